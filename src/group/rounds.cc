#include "group/rounds.h"

#include <algorithm>
#include <utility>

namespace ps {

Rounds::Rounds(const Options& options) : options_(options), slots_(Index(options.num_slots)) {}

// --- pushes ---

std::uint64_t Rounds::Push(int slot) { return ++slots_[Index(slot)].pushed; }

// The last round that all have contributed to.
std::uint64_t Rounds::Complete() const {
  std::uint64_t least = slots_.front().pushed;
  for (const Slot& slot : slots_) least = std::min(least, slot.pushed);
  return least;
}

std::optional<std::uint64_t> Rounds::TakeMerge() {
  if (is_merging_ || merged_ >= Complete()) return std::nullopt;
  is_merging_ = true;
  return ++merged_;
}

void Rounds::OnMerged() { is_merging_ = false; }

std::vector<int> Rounds::OnResult(std::uint64_t round) {
  std::vector<int> answered;
  if (HasResult(round)) return answered;
  early_.insert(round);
  while (!early_.empty() && *early_.begin() == finished_ + 1) {
    early_.erase(early_.begin());
    ++finished_;
  }
  last_result_ = std::max(last_result_, round);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const bool is_later = slot.asked_again == Answer::kLater;
    if ((slot.state != State::kWaiting && !is_later) || slot.wanted != round) continue;
    if (is_later) {
      slot.asked_again = Answer::kKept;
    } else {
      slot.state = State::kCopying;
    }
    slot.answered = round;
    answered.push_back(static_cast<int>(i));
  }
  return answered;
}

// --- pulls ---

// What there is for a slot now, whose round is not before the last one with a result. Sets which it wants.
Rounds::Answer Rounds::Decide(Slot* slot) const {
  if (options_.keeps_value && slot->pushed <= slot->answered) return Answer::kValue;
  // Whoever has pushed nothing gets the first round that there is.
  slot->wanted = std::max<std::uint64_t>({slot->pushed, last_result_, 1});
  if (slot->wanted != last_result_) return GoneBefore(slot->wanted) ? Answer::kGone : Answer::kWait;
  slot->answered = last_result_;
  return Answer::kResult;
}

Rounds::Answer Rounds::Pull(int slot) {
  Slot& asking = slots_[Index(slot)];
  if (asking.state == State::kInCallback && !asking.asked_again) {
    const Answer now = Decide(&asking);
    if (now == Answer::kResult) {
      asking.asked_again = Answer::kKept;
      return Answer::kKept;
    }
    asking.asked_again = now == Answer::kValue ? now : Answer::kLater;
    return Answer::kLater;
  }
  if (asking.state != State::kFree) return Answer::kRefused;
  const Answer now = Decide(&asking);
  if (now == Answer::kWait) asking.state = State::kWaiting;
  if (now == Answer::kResult || now == Answer::kValue) asking.state = State::kCopying;
  return now;
}

void Rounds::OnCopied(int slot) { slots_[Index(slot)].state = State::kInCallback; }

std::optional<Rounds::Answer> Rounds::OnDone(int slot) {
  Slot& done = slots_[Index(slot)];
  done.state = State::kFree;
  std::optional<Answer> next = std::exchange(done.asked_again, std::nullopt);
  if (next == Answer::kLater) next = GoneBefore(done.wanted) ? Answer::kGone : Answer::kWait;
  if (next == Answer::kWait) done.state = State::kWaiting;
  if (next == Answer::kKept || next == Answer::kValue) done.state = State::kCopying;
  return next;
}

bool Rounds::Cancel(int slot) {
  Slot& waiting = slots_[Index(slot)];
  if (waiting.state == State::kFree) return false;
  if (waiting.state == State::kInCallback)
    return std::exchange(waiting.asked_again, std::nullopt).has_value();
  waiting.state = State::kFree;
  return true;
}

// --- losses ---

std::vector<int> Rounds::SetGone(int slot) {
  Slot& gone = slots_[Index(slot)];
  gone.pushed = Complete();
  gone.is_gone = true;
  std::vector<int> in_vain;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state != State::kWaiting || slots_[i].wanted <= gone.pushed) continue;
    slots_[i].state = State::kFree;
    in_vain.push_back(static_cast<int>(i));
  }
  return in_vain;
}

std::optional<int> Rounds::GoneBefore(std::uint64_t round) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].is_gone && slots_[i].pushed < round) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::vector<int> Rounds::MissingOf(std::uint64_t round) const {
  std::vector<int> missing;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].pushed < round) missing.push_back(static_cast<int>(i));
  }
  return missing;
}

bool Rounds::has_pushes() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.pushed != 0; });
}

}  // namespace ps
