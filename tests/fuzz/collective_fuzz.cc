// Packets of collectives as a peer sends them, and what a rank makes of any order of them.
#include <dmlc/logging.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collective/operation_table.h"
#include "tests/fuzz/bytes_reader.h"

namespace ps {
namespace {

constexpr int kRanks = 3;
constexpr std::uint64_t kMostElements = 20000;  // some kinds are exchanged in another way from fewer on
constexpr OperationTable::Bounds kBounds{50, 100000};

int NodeOf(int rank) { return rank * 2 + 9; }

// A rank under a peer's control. Each operation ends once, early packets are bounded, and nothing is written
// beyond the arrays (the sanitizers see that).
class Target : private CollectiveSink {
 public:
  explicit Target(BytesReader* reader) : reader_(*reader) { SetGroup(0); }

  void Step() {
    switch (reader_.Byte() % 9) {
      case 0: return Raw();
      case 1:
      case 2: return Built();
      case 3: return table_.OnAnswer(reader_.Byte() % 8, NodeOf(reader_.Byte() % 4));
      case 4: return table_.OnRefused(reader_.Byte() % 8, Status::Unavailable("gone"));
      case 5: return table_.OnLost(100U + reader_.Byte() % 4, Status::Unavailable("lost"));
      case 6: return table_.OnTime(now_ms_ += reader_.Byte() * 100);
      case 7: return Begin();
      default: return SetGroup(reader_.Byte() % 3);
    }
  }
  void Finish() {
    CHECK_LE(table_.early_bytes(), kBounds.bytes + OperationTable::kForeign.bytes);
    table_.EndAll(Status::Cancelled("the end"));
    CHECK_EQ(table_.num_open(), 0u);
    CHECK_EQ(ended_.size(), begun_.size());
  }

 private:
  void Send(Packed&& packed) override { CHECK(DecodePacket(packed.packet).ok()); }
  void Answer(const Asked&, const Status&) override {}
  void End(int token, const Status&) override {
    CHECK(begun_.count(token) != 0);
    CHECK(ended_.insert(token).second);
  }

  void SetGroup(unsigned first) {
    std::vector<GroupMembers::Member> members;
    for (int rank = 0; rank < kRanks; ++rank)
      members.push_back({NodeOf(rank), 100U + first + static_cast<unsigned>(rank)});
    table_.SetGroup(GroupMembers(members, NodeOf(1)));
  }
  Signature AnySignature() {
    Signature signature;
    signature.kind = static_cast<CollectiveKind>(reader_.Byte() % kNumCollectiveKinds);
    signature.op = static_cast<ReduceOp>(reader_.Byte() % 4);
    signature.dtype = reader_.Byte() % 2 == 0 ? DType::kF32 : DType::kI8;
    signature.root = reader_.Byte() % kRanks;
    signature.count = reader_.Number<std::uint16_t>() % kMostElements;
    return signature;
  }
  std::string AnyName() {
    static const char* const names[] = {"", "", "a", "b"};
    return names[reader_.Byte() % 4];
  }

  void Begin() {
    if (begun_.size() == 32) return;
    OperationTable::Wish wish;
    wish.token = static_cast<int>(begun_.size()) + 1;
    wish.group = table_.group().tag() + (reader_.Byte() % 16 == 0 ? 1U : 0U);
    wish.name = AnyName();
    wish.signature = AnySignature();
    wish.algorithm = ChooseAlgorithm(wish.signature.kind, wish.signature.bytes(), kRanks);
    std::vector<char>& array = arrays_[wish.token];
    array.resize(static_cast<std::size_t>(wish.signature.bytes()));
    wish.arrays = {array.data(), array.data(), 0};
    begun_.insert(wish.token);
    const int token = wish.token;
    const Status begun = table_.Begin(std::move(wish), now_ms_);
    if (begun.ok()) return;
    CHECK(begun.code() == StatusCode::kAlreadyExists || begun.code() == StatusCode::kUnavailable);
    begun_.erase(token);
    begun_.insert(-token);  // its number is used
    ended_.insert(-token);
  }

  // Bytes as they come.
  void Raw() {
    const SArray<char> bytes = reader_.Take(reader_.Byte());
    const Result<Packet> packet = DecodePacket({bytes.data(), bytes.size()});
    if (!packet.ok()) {
      CHECK(packet.status().code() == StatusCode::kInvalidArgument);
      return;
    }
    CHECK(EncodePacket(packet.value()) == std::string(bytes.data(), bytes.size()));
    Hand(packet.value());
  }
  // What is near what is expected.
  void Built() {
    Packet packet;
    packet.kind = static_cast<Packet::Kind>(reader_.Byte() % 8 < 6 ? 0 : 1 + reader_.Byte() % 2);
    packet.id = {table_.group().tag(), AnyName(), reader_.Byte() % 4U};
    packet.signature = AnySignature();
    packet.round = reader_.Byte() % 8;
    packet.begin = reader_.Byte() % 4 == 0 ? reader_.Number<std::uint64_t>() : 0;
    packet.answered = reader_.Byte() % 2 == 0;
    if (packet.kind == Packet::kEnd) packet.status = Status::Internal("ended");
    Hand(packet);
  }
  void Hand(const Packet& packet) {
    Asked asked;
    asked.sender = NodeOf(reader_.Byte() % 4);
    const std::size_t choice = reader_.Byte();
    const std::size_t whole =
        static_cast<std::size_t>(packet.signature.count) * SizeOf(packet.signature.dtype);
    const std::size_t bytes = choice % 4 == 0 ? choice : choice % 4 == 1 ? 0 : whole;
    table_.OnPacket({asked.sender, packet, SArray<char>(bytes <= 4 * kMostElements ? bytes : 0), asked});
    CHECK_LE(table_.early_bytes(), kBounds.bytes + OperationTable::kForeign.bytes);
  }

  BytesReader& reader_;
  std::int64_t now_ms_ = 0;
  std::map<int, std::vector<char>> arrays_;
  std::set<int> begun_;
  std::set<int> ended_;
  // As much ahead as one operation of the largest arrays takes, so that a second one has to be patient.
  OperationTable table_{this, [](int node) { return std::to_string(node); }, 5000, kBounds,
                        4 * kMostElements};
};

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::BytesReader reader(data, size);
  ps::Target target(&reader);
  while (!reader.empty()) target.Step();
  target.Finish();
  return 0;
}
