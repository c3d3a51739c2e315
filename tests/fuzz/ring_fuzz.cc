// What a writer of another process may leave in a ring, and a reader in its control page: whatever it is,
// nothing is read or written outside of the ring, and everything ends.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "tests/fuzz/bytes_reader.h"
#include "transport/shm/hello.h"
#include "transport/shm/inlet.h"
#include "transport/shm/segment.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

constexpr uint64_t kCapacity = ps::Segment::kSmallestCapacity;

// Reads every byte, and counts.
class ReadingSink : public ps::FrameSink {
 public:
  explicit ReadingSink(const ps::RingMemory& memory) : memory_(memory) {}

  void OnFrame(ps::Frame&& frame, const ps::ReturnPath&) override {
    ++num_frames_;
    for (const ps::SArray<char>& part : frame.parts) {
      if (part.empty()) continue;
      Require(frame.lent != 0 ||
              (part.begin() >= memory_.data && part.end() <= memory_.data + 2 * kCapacity));
      for (const char c : part) sum_ += static_cast<unsigned char>(c);
    }
  }
  void OnDropped(ps::Counter) override { ++num_dropped_; }

  uint64_t num_frames() const { return num_frames_; }
  int num_dropped() const { return num_dropped_; }

 private:
  const ps::RingMemory memory_;
  uint64_t num_frames_ = 0;
  int num_dropped_ = 0;
  volatile uint64_t sum_ = 0;
};

ps::Doorbell OneEnd() {
  int ends[2];
  Require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const ps::Descriptor other(ends[1]);  // gone: the peer is
  return ps::Doorbell(ps::Descriptor(ends[0]));
}

void FuzzHello(const uint8_t* data, size_t size) {
  const ps::Result<ps::Hello> hello = ps::DecodeHello(reinterpret_cast<const char*>(data), size);
  if (!hello.ok()) return;
  const ps::HelloBytes again = ps::EncodeHello(hello.value());
  Require(size == again.size() && std::memcmp(again.data(), data, size) == 0);
}

// The input becomes the records; now and then the writer changes its mind about where they end.
void FuzzReader(ps::BytesReader* input) {
  ps::Descriptor memfd;
  const auto written = ps::Segment::Create(kCapacity, &memfd).value();
  const ps::RingMemory& memory = written->memory();
  const uint64_t begin = (input->Byte() % 4) * (kCapacity / 4);  // records may go around the end
  const uint64_t head = input->Number<uint32_t>();
  const int num_moves = input->Byte() % 8;
  std::array<uint64_t, 8> moves{};
  for (int i = 0; i < num_moves; ++i) moves[static_cast<size_t>(i)] = input->Number<uint64_t>();
  for (size_t i = 0; i < 8; ++i) memory.control->loans[i].store(input->Byte() % 16);
  const ps::SArray<char> records = input->Take(kCapacity);
  std::copy(records.begin(), records.end(), memory.data + begin);
  ps::Hello hello;
  hello.capacity = kCapacity;
  const auto read = ps::Segment::Open(memfd, kCapacity).value();
  ps::Inlet inlet(3, {hello, read, OneEnd()});
  ReadingSink sink(read->memory());
  memory.control->head.store(begin == 0 ? head : 0);
  for (int i = 0; i <= num_moves; ++i) {
    // A record has 64 bytes at least.
    Require(inlet.Drain(&sink, 100000) <= static_cast<int>(kCapacity / 64));
    memory.control->head.store(moves[static_cast<size_t>(i % 8)]);
  }
  inlet.OnBell();
  inlet.Drain(&sink, 100000);
  Require(inlet.is_done() && sink.num_dropped() <= 1);
}

// The reader claims to have given back what it never had.
void FuzzWriter(ps::BytesReader* input) {
  ps::Descriptor memfd;
  const auto segment = ps::Segment::Create(kCapacity, &memfd).value();
  const ps::RingMemory& memory = segment->memory();
  ps::RingWriter writer(memory);
  while (!input->empty()) {
    ps::Frame frame;
    frame.parts[0] = ps::SArray<char>(input->Number<uint16_t>());
    const ps::RingWriter::Outcome outcome = writer.TryWrite(frame);
    if (input->Byte() % 2 == 0) memory.control->tail.store(input->Number<uint64_t>());
    if (input->Byte() % 2 == 0) memory.control->tail.store(memory.control->head.load());
    if (outcome == ps::RingWriter::Outcome::kBroken) {
      Require(writer.TryWrite(ps::Frame()) == ps::RingWriter::Outcome::kBroken);
    }
    (void)writer.Wake();
    memory.control->sleeper.store(input->Byte() % 4);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzHello(data, size);
  ps::BytesReader input(data, size);
  if (input.Byte() % 2 == 0) {
    FuzzReader(&input);
  } else {
    FuzzWriter(&input);
  }
  return 0;
}
