// Keys, values and lengths as a peer sends them: what a server makes of a request, and a worker of an answer.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "app/gather.h"
#include "app/kv_message.h"
#include "app/slicer.h"
#include "ps/base.h"
#include "ps/kv_arrays.h"
#include "tests/fuzz/bytes_reader.h"

namespace ps {
namespace {

constexpr int kServerId = 8;

// Up to four blocks; keys are small numbers half of the time, so that they are often in order.
Message MessageFrom(BytesReader* reader) {
  Message message;
  const uint8_t shape = reader->Byte();
  for (int block = 0; block < shape % 5; ++block) {
    const uint8_t type = reader->Byte();
    const SArray<char> bytes = reader->Take(reader->Byte());
    if (block == 0 && (shape & 0x80) != 0) {
      SArray<Key> keys;
      for (const char byte : bytes) keys.push_back(static_cast<uint8_t>(byte));
      message.data.push_back(SArray<char>(keys));
    } else {
      message.data.push_back(bytes);
    }
    message.meta.data_type.push_back(static_cast<DataType>(type % (OTHER + 1)));
    message.meta.data_size += static_cast<int64_t>(message.data.back().size());
  }
  return message;
}

// As KVServerDefaultHandle does.
void Serve(const KVBytes& data) {
  KVArrays<float> arrays;
  KVArrays<float>::Store store;
  const KVPairs<float> pairs = data.As<float>();
  if (!arrays.Add(pairs, &store).ok()) return;
  const KVPairs<float> found = arrays.Read(pairs.keys, store);
  CHECK_EQ(found.keys.size(), pairs.keys.size());
  const auto total = found.lens.empty() ? static_cast<int64_t>(found.keys.size())
                                        : std::accumulate(found.lens.begin(), found.lens.end(), int64_t{0});
  CHECK_EQ(total, static_cast<int64_t>(found.vals.size()));
}

void FuzzRequest(BytesReader* reader) {
  const Message message = MessageFrom(reader);
  for (const ElementType& element :
       {ElementType::Of<float>(), ElementType::Of<double>(), ElementType::Of<char>()}) {
    const Result<KVBytes> data = ReadBlocks(message, element);
    if (!data.ok()) {
      CHECK(data.status().code() == StatusCode::kInvalidArgument);
      continue;
    }
    const bool fits = CheckShape(data.value(), element.size, true, "a push").ok();
    (void)CheckShape(data.value(), element.size, false, "a pull");
    if (fits && element.type == FLOAT) Serve(data.value());
  }
}

// The answer of the only server to a pull of keys 0, 1, ...
void FuzzAnswer(BytesReader* reader) {
  const size_t num_keys = reader->Byte() % 8;
  KVBytes asked;
  for (Key key = 0; key < num_keys; ++key) asked.keys.push_back(key);
  std::vector<float> vals(reader->Byte() % 4 == 0 ? num_keys : 0);
  std::vector<int> lens;
  Gather::Pull pull;
  pull.num_keys = num_keys;
  pull.element = ElementType::Of<float>();
  pull.vals = PullBuffer::Of(&vals);
  if (reader->Byte() % 2 == 0) pull.lens = PullBuffer::Of(&lens);
  Gather gather(pull, SliceByRange(asked, sizeof(float), {Range(0, kMaxKey)}));
  if (!gather.Add(kServerId, MessageFrom(reader)).ok() || !gather.Write().ok()) return;
  if (pull.lens.container == nullptr) return;
  CHECK_EQ(lens.size(), num_keys);
  CHECK_EQ(std::accumulate(lens.begin(), lens.end(), int64_t{0}), static_cast<int64_t>(vals.size()));
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::BytesReader reader(data, size);
  if (reader.Byte() % 2 == 0) {
    ps::FuzzRequest(&reader);
  } else {
    ps::FuzzAnswer(&reader);
  }
  return 0;
}
