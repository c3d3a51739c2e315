#include "van/delivery.h"

#include <algorithm>
#include <utility>

#include "ps/base.h"

namespace ps {
namespace {

constexpr int64_t kLongestPatienceMs = 1000;
// So many answers in a row without a loss, and the first question is late again.
constexpr int kLossyAnswers = 32;
constexpr int64_t kQuestionsPerRoundTrip = 4;  // where losses are known
// So many questions without an answer are no accident.
constexpr int kQuestionsBeforeDoubling = 16;
constexpr int kMostDoublings = 10;
constexpr size_t kMostOpenQuestions = 64;

}  // namespace

void DeliverySender::Keep(Frame frame, int64_t now_ms) {
  const uint64_t payload_bytes = frame.payload_bytes();
  *NextPlace() = std::move(frame);
  KeepNext(payload_bytes, now_ms);
}

bool DeliverySender::Acknowledge(uint64_t ack) {
  if (ack < kept_.first() || ack >= kept_.next()) return false;
  kept_.DropThrough(ack);
  unanswered_ = 0;
  return true;
}

int64_t DeliverySender::PatienceMs() const {
  const int64_t base = round_trip_ms_ < 0 ? ask_after_ms_ : round_trip_ms_ + round_trip_ms_ / 4 + 1;
  const int64_t patience = std::clamp<int64_t>(base, 1, kLongestPatienceMs);
  const int doublings = std::clamp(unanswered_ - kQuestionsBeforeDoubling, 0, kMostDoublings);
  return std::min(patience << doublings, kLongestPatienceMs);
}

int64_t DeliverySender::next_ask_ms() const {
  if (kept_.empty()) return -1;
  const int64_t sent_ms = kept_[kept_.first()].sent_ms;
  if (sent_ms <= last_asked_ms_) {
    // Where much is lost, so are questions and answers, and each answer repairs the whole window.
    const int64_t step = IsLossy() ? PatienceMs() / kQuestionsPerRoundTrip : PatienceMs();
    return last_asked_ms_ + std::max<int64_t>(1, step);
  }
  return sent_ms + (IsLossy() ? PatienceMs() : ask_after_ms_);
}

void DeliverySender::Asked(int64_t now_ms) {
  if (!asked_ms_.empty()) ++unanswered_;
  if (asked_ms_.size() == kMostOpenQuestions) asked_ms_.pop_front();
  asked_ms_.push_back(now_ms);
  ++questions_;
  last_asked_ms_ = now_ms;
}

// Closes `question` and those before it. Returns when it was asked; -1 if it is not open.
int64_t DeliverySender::Answered(uint64_t question, int64_t now_ms) {
  const uint64_t closed = questions_ - asked_ms_.size();
  if (question <= closed || question > questions_) return -1;
  const auto index = static_cast<int64_t>(question - closed - 1);
  const int64_t asked_ms = asked_ms_[index];
  asked_ms_.erase(asked_ms_.begin(), asked_ms_.begin() + index + 1);
  unanswered_ = 0;
  const int64_t sample = std::max<int64_t>(0, now_ms - asked_ms);
  round_trip_ms_ = round_trip_ms_ < 0 ? sample : (3 * round_trip_ms_ + sample + 2) / 4;
  return asked_ms;
}

std::vector<const Frame*> DeliverySender::Missing(uint64_t ack, const std::vector<SeqRange>& held,
                                                  int64_t now_ms, uint64_t question) {
  std::vector<const Frame*> missing;
  if (ack >= next_sequence()) return missing;
  Acknowledge(ack);
  const int64_t asked_ms = Answered(question == 0 ? questions_ : question, now_ms);
  if (asked_ms < 0) return missing;
  // Frames and question may travel at different speeds. Where nothing is lost a wrong guess would cost the
  // promise of no needless resend, so only what is old counts; where losses are known, waiting costs more.
  const int64_t sent_before_ms = asked_ms - (IsLossy() ? round_trip_ms_ : ask_after_ms_ / 2);
  auto range = held.begin();
  for (uint64_t number = kept_.first(); number < kept_.next(); ++number) {
    KeptFrames::Kept& kept = kept_[number];
    while (range != held.end() && range->last < number) ++range;
    const bool is_held = range != held.end() && range->first <= number;
    if (is_held || kept.sent_ms >= sent_before_ms) continue;
    kept.sent_ms = now_ms;
    missing.push_back(&kept.frame);
  }
  lossy_answers_ = missing.empty() ? std::max(0, lossy_answers_ - 1) : kLossyAnswers;
  return missing;
}

void DeliveryReceiver::Ready(Frame frame, std::vector<Frame>* ready) {
  untold_bytes_ += frame.payload_bytes();
  ready->push_back(std::move(frame));
  ++next_;
}

DeliveryReceiver::Verdict DeliveryReceiver::Accept(uint64_t sequence, Frame frame,
                                                   std::vector<Frame>* ready) {
  if (sequence < next_) return Verdict::kDuplicate;
  if (sequence - next_ >= kDeliveryWindow) return Verdict::kBeyondWindow;
  if (sequence != next_) {
    if (early_.count(sequence) != 0) return Verdict::kDuplicate;
    // What is next is always taken, so that this only slows down who does not keep to the window.
    if (early_bytes_ >= kDeliveryWindowBytes) return Verdict::kBeyondWindow;
    early_bytes_ += frame.payload_bytes();
    early_.emplace(sequence, std::move(frame));
    return Verdict::kEarly;
  }
  Ready(std::move(frame), ready);
  while (!early_.empty() && early_.begin()->first == next_) {
    Frame next = std::move(early_.begin()->second);
    early_.erase(early_.begin());
    early_bytes_ -= next.payload_bytes();
    Ready(std::move(next), ready);
  }
  return Verdict::kReady;
}

std::vector<SeqRange> DeliveryReceiver::Held() const {
  std::vector<SeqRange> held;
  for (const auto& [sequence, frame] : early_) {
    if (!held.empty() && held.back().last + 1 == sequence) {
      held.back().last = sequence;
    } else {
      held.push_back(SeqRange{sequence, sequence});
    }
  }
  return held;
}

}  // namespace ps
