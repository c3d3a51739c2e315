// Both halves of delivery over a link of which the bytes decide what it loses, doubles and reorders. Whatever
// they do: everything arrives once and in order as soon as the link is good again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "ps/base.h"
#include "tests/fuzz/bytes_reader.h"
#include "van/control.h"
#include "van/delivery.h"

namespace ps {
namespace {

constexpr int64_t kAskAfterMs = 20;

class LossyPair {
 public:
  void Step(BytesReader* reader) {
    now_ms_ += reader->Byte() % 8;
    switch (reader->Byte() % 8) {
      case 0:
      case 1: Send(); break;
      case 2:
      case 3: Arrive(reader->Byte()); break;
      case 4: Lose(reader->Byte()); break;
      case 5: Double(reader->Byte()); break;
      case 6: AskIfDue(); break;
      default: Tell(reader->Number<uint64_t>()); break;
    }
    CHECK_LE(sender_.unacknowledged(), kDeliveryWindow);
    CHECK(in_order_.size() <= sent_);
  }

  // From now on nothing is lost.
  void Settle() {
    for (int i = 0; sender_.unacknowledged() > 0; ++i) {
      CHECK_LT(i, 100) << "does not come to an end";
      while (!under_way_.empty()) Arrive(0);
      now_ms_ = std::max(now_ms_, sender_.next_ask_ms());
      AskIfDue();
      Arrive(0);  // the question
    }
    CHECK_EQ(in_order_.size(), sent_);
  }

 private:
  // A frame, or a question with its number.
  struct Parcel {
    uint64_t sequence = 0;
    uint64_t question = 0;
    Frame frame;
  };

  void Send() {
    if (!sender_.HasRoom()) return;
    Parcel parcel;
    parcel.sequence = sender_.next_sequence();
    std::memcpy(parcel.frame.head.data(), &parcel.sequence, sizeof(parcel.sequence));
    sender_.Keep(parcel.frame, now_ms_);
    under_way_.push_back(std::move(parcel));
    ++sent_;
  }
  void AskIfDue() {
    if (sender_.next_ask_ms() < 0 || sender_.next_ask_ms() > now_ms_) return;
    sender_.Asked(now_ms_);
    Parcel parcel;
    parcel.question = sender_.question();
    under_way_.push_back(std::move(parcel));
  }
  void Arrive(size_t which) {
    if (under_way_.empty()) return;
    const auto at = under_way_.begin() + static_cast<std::ptrdiff_t>(which % under_way_.size());
    Parcel parcel = std::move(*at);
    under_way_.erase(at);
    if (parcel.question != 0) return Answer(parcel.question);
    std::vector<Frame> ready;
    receiver_.Accept(parcel.sequence, std::move(parcel.frame), &ready);
    for (const Frame& frame : ready) {
      uint64_t sequence = 0;
      std::memcpy(&sequence, frame.head.data(), sizeof(sequence));
      in_order_.push_back(sequence);
      CHECK_EQ(sequence, in_order_.size()) << "out of order or twice";
    }
  }
  // Answers travel through the codec, and at once; what is sent again takes the same link as everything.
  void Answer(uint64_t question) {
    const Result<std::vector<SeqRange>> held = DecodeHave(EncodeHave(receiver_.Held()));
    CHECK(held.ok());
    for (const Frame* missing : sender_.Missing(receiver_.acknowledged(), held.value(), now_ms_, question)) {
      Parcel again;
      std::memcpy(&again.sequence, missing->head.data(), sizeof(again.sequence));
      again.frame = *missing;
      under_way_.push_back(std::move(again));
    }
  }
  void Lose(size_t which) {
    if (under_way_.empty()) return;
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which % under_way_.size()));
  }
  void Double(size_t which) {
    if (under_way_.empty()) return;
    under_way_.push_back(under_way_[which % under_way_.size()]);
  }
  // An acknowledgement: a true one, an old one, or nonsense beyond what was sent, which is ignored.
  void Tell(uint64_t nonsense) {
    if (nonsense % 2 == 0) {
      sender_.Acknowledge(receiver_.acknowledged());
      receiver_.Told();
    } else if (nonsense >= sender_.next_sequence()) {
      CHECK(!sender_.Acknowledge(nonsense));
    }
  }

  DeliverySender sender_{kAskAfterMs};
  DeliveryReceiver receiver_;
  std::deque<Parcel> under_way_;
  std::vector<uint64_t> in_order_;
  uint64_t sent_ = 0;
  int64_t now_ms_ = 1000;
};

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::LossyPair pair;
  for (ps::BytesReader reader(data, size); !reader.empty();) pair.Step(&reader);
  pair.Settle();
  return 0;
}
