#include "store/gate.h"

#include <algorithm>
#include <functional>
#include <string>

namespace ps {
namespace {

constexpr std::uint64_t kNever = GateState::kStays;
// Rounds that are open beyond the next one, of all participants together: what a broken sender may cost.
constexpr std::size_t kMaxAhead = std::size_t{1} << 20;

std::string RoundOf(int worker, std::uint64_t round) {
  return "round " + std::to_string(round) + " of worker " + std::to_string(worker);
}

bool IsIn(const GateState::Clock& clock) { return clock.completed < clock.last; }

}  // namespace

Gate::Gate(int num_participants, const Consistency& consistency)
    : Gate(num_participants, consistency, GateState()) {}

Gate::Gate(int num_participants, const Consistency& consistency, const GateState& from)
    : consistency_(consistency), state_(from), next_(static_cast<std::size_t>(num_participants)) {
  state_.version = is_bsp() ? std::min(state_.version, kMaxRound) : 0;
  const std::uint64_t highest = is_bsp() ? state_.version : kMaxRound;
  std::uint64_t start = state_.version;
  for (GateState::Clock& clock : state_.clocks) {
    const bool left = !IsIn(clock);
    clock.completed = std::min(clock.completed, highest);
    if (left) clock.last = clock.completed;
    start = std::max(start, clock.completed);
  }
  if (state_.clocks.size() != next_.size()) state_.clocks.assign(next_.size(), {start, kNever});
  MembersChanged();
}

Status Gate::Check(int worker, std::uint64_t round) const {
  if (worker < 0 || worker >= num_participants()) {
    return Status::InvalidArgument("worker " + std::to_string(worker) + " does not take part: there are " +
                                   std::to_string(num_participants()));
  }
  if (round > kMaxRound) {
    return Status::InvalidArgument(RoundOf(worker, round) + " is out of range");
  }
  return Status::Ok();
}

// The progress of a round that is not complete.
Result<Gate::Progress*> Gate::Open(int worker, std::uint64_t round) {
  if (round <= clock(worker)) {
    return Status::InvalidArgument(RoundOf(worker, round) + " is complete already");
  }
  if (round == clock(worker) + 1) return &NextOf(worker);
  const auto found = ahead_.find({worker, round});
  if (found != ahead_.end()) return &found->second;
  if (ahead_.size() >= kMaxAhead) {
    return Status::ResourceExhausted(RoundOf(worker, round) + ": too many rounds are open, the next one is " +
                                     std::to_string(clock(worker) + 1));
  }
  return &ahead_[{worker, round}];
}

Status Gate::Part(int worker, std::uint64_t round, std::uint64_t token, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, round));
  const Pending part{worker, round, token};
  if (round > ClockOf(worker).last) {
    Place(part, out);
    return Status::Ok();
  }
  const Result<Progress*> progress = Open(worker, round);
  if (!progress.ok()) return progress.status();
  Progress& open = *progress.value();
  if (open.received == open.announced || open.received + 1 == kUnknown) {
    return Status::InvalidArgument(RoundOf(worker, round) + " has more than " +
                                   std::to_string(open.received) + " parts");
  }
  ++open.received;
  Place(part, out);
  Advance(worker, out);
  return Status::Ok();
}

void Gate::Place(const Pending& part, Actions* out) {
  if (!is_bsp()) {
    out->push_back({Action::kApply, part.worker, part.round, part.token});
  } else if (part.round <= state_.version || part.round > ClockOf(part.worker).last) {
    Drop(part, out);
  } else {
    staged_[part.round].push_back(part);
  }
}

void Gate::Drop(const Pending& part, Actions* out) {
  ++state_.num_dropped;
  out->push_back({Action::kDrop, part.worker, part.round, part.token});
}

Status Gate::Close(int worker, std::uint64_t round, std::uint32_t num_parts, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, round));
  if (round > ClockOf(worker).last) {
    return Status::InvalidArgument(RoundOf(worker, round) + ": it left after round " +
                                   std::to_string(ClockOf(worker).last));
  }
  const Result<Progress*> progress = Open(worker, round);
  if (!progress.ok()) return progress.status();
  Progress& open = *progress.value();
  if (open.announced != kUnknown) {
    return Status::InvalidArgument(RoundOf(worker, round) + " is closed already");
  }
  if (num_parts < open.received || num_parts == kUnknown) {
    return Status::InvalidArgument(RoundOf(worker, round) + " is closed with " + std::to_string(num_parts) +
                                   " parts, but " + std::to_string(open.received) + " came");
  }
  open.announced = num_parts;
  Advance(worker, out);
  return Status::Ok();
}

Status Gate::Leave(int worker, std::uint64_t round, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, round));
  const GateState::Clock& clock = ClockOf(worker);
  if (round == clock.last) return Status::Ok();
  if (clock.last != kNever || round < clock.completed) {
    return Status::InvalidArgument(
        "worker " + std::to_string(worker) + " cannot leave after round " + std::to_string(round) +
        ": it has completed " + std::to_string(clock.completed) +
        (clock.last == kNever ? "" : " and left after " + std::to_string(clock.last)));
  }
  ClockOf(worker).last = round;
  Forget(worker, round, out);
  MembersChanged();
  Pump(out);
  return Status::Ok();
}

Status Gate::Lose(int worker, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, 0));
  DropReads(worker, out);
  GateState::Clock& clock = ClockOf(worker);
  clock.last = clock.completed;
  Forget(worker, clock.completed, out);
  MembersChanged();
  Pump(out);
  return Status::Ok();
}

Result<Gate::Rejoined> Gate::Rejoin(int worker, std::uint64_t round, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, round));
  DropReads(worker, out);
  GateState::Clock& clock = ClockOf(worker);
  Forget(worker, clock.completed, out);
  Rejoined result;
  if (round > clock.completed) result.lost_rounds = round - clock.completed;
  // The others did not wait for one that was out: neither do they now.
  std::uint64_t others = state_.version;
  if (!is_bsp() && clock.last != kNever && floor_ != kNever) others = floor_;
  clock.completed = std::max({clock.completed, round, others});
  clock.last = kNever;
  result.clock = clock.completed;
  MembersChanged();
  Pump(out);
  return result;
}

// Everything of `worker` that belongs to rounds after `after`, none of which is complete.
void Gate::Forget(int worker, std::uint64_t after, Actions* out) {
  if (clock(worker) >= after) NextOf(worker) = Progress();
  ahead_.erase(ahead_.upper_bound({worker, after}), ahead_.upper_bound({worker, kNever}));
  DropStaged(worker, after, out);
}

void Gate::DropStaged(int worker, std::uint64_t after, Actions* out) {
  for (auto round = staged_.upper_bound(after); round != staged_.end();) {
    std::vector<Pending>& parts = round->second;
    const auto kept = std::stable_partition(parts.begin(), parts.end(),
                                            [worker](const Pending& part) { return part.worker != worker; });
    std::for_each(kept, parts.end(), [this, out](const Pending& part) { Drop(part, out); });
    parts.erase(kept, parts.end());
    round = parts.empty() ? staged_.erase(round) : std::next(round);
  }
}

// After something of `worker` came: its clock, and what follows from it.
void Gate::Advance(int worker, Actions* out) {
  GateState::Clock& clock = ClockOf(worker);
  Progress& next = NextOf(worker);
  const std::uint64_t before = clock.completed;
  while (next.received == next.announced) {
    ++clock.completed;
    next = Progress();
    if (ahead_.empty()) continue;
    const auto found = ahead_.find({worker, clock.completed + 1});
    if (found == ahead_.end()) continue;
    next = found->second;
    ahead_.erase(found);
  }
  if (clock.completed == before) return;
  Moved(worker, before);
  if (!early_reads_.empty()) HoldEarly(worker, out);
  Pump(out);
}

// The clock of `worker` was `before`.
void Gate::Moved(int worker, std::uint64_t before) {
  const GateState::Clock& clock = ClockOf(worker);
  if (is_bsp()) {
    if (before <= state_.version && clock.completed > state_.version) ++num_delivered_;
  } else if (before == floor_ && --num_at_floor_ == 0) {
    FindFloor();
  }
}

void Gate::MembersChanged() {
  first_missing_ = 0;
  CountDelivered();
  FindFloor();
}

void Gate::CountDelivered() {
  num_live_ = num_delivered_ = 0;
  for (const GateState::Clock& clock : state_.clocks) {
    if (clock.last <= state_.version) continue;
    ++num_live_;
    if (clock.completed > state_.version) ++num_delivered_;
  }
}

// The floor rises once for every round that all complete: a look at each of them costs nothing by comparison.
void Gate::FindFloor() {
  floor_ = kNever;
  num_at_floor_ = 0;
  for (const GateState::Clock& clock : state_.clocks) {
    if (!IsIn(clock) || clock.completed > floor_) continue;
    num_at_floor_ = clock.completed == floor_ ? num_at_floor_ + 1 : 1;
    floor_ = clock.completed;
  }
}

Status Gate::Read(int worker, std::uint64_t round, std::uint64_t token, Actions* out) {
  PS_RETURN_IF_ERROR(Check(worker, round));
  if (round > ClockOf(worker).last) {
    return Status::InvalidArgument("a read after " + RoundOf(worker, round) + ": it left after round " +
                                   std::to_string(ClockOf(worker).last));
  }
  const Pending read{worker, round, token};
  if (round > clock(worker)) {
    early_reads_.push_back(read);
  } else {
    Hold(read, out);
  }
  return Status::Ok();
}

// A read whose own rounds are complete: answers it, or keeps it.
void Gate::Hold(const Pending& read, Actions* out) {
  if (read.round > ReadLimit()) {
    reads_[read.round].push_back(read);
  } else {
    out->push_back({Action::kAnswer, read.worker, read.round, read.token});
  }
}

void Gate::HoldEarly(int worker, Actions* out) {
  const auto still = std::stable_partition(
      early_reads_.begin(), early_reads_.end(),
      [this, worker](const Pending& read) { return read.worker == worker && read.round <= clock(worker); });
  std::for_each(early_reads_.begin(), still, [this, out](const Pending& read) { Hold(read, out); });
  early_reads_.erase(early_reads_.begin(), still);
}

template <typename Which>
void Gate::Cancel(const Which& which, Actions* out) {
  const auto cancel = [&which, out](std::vector<Pending>* reads) {
    const auto kept = std::stable_partition(reads->begin(), reads->end(),
                                            [&which](const Pending& read) { return !which(read); });
    std::for_each(kept, reads->end(), [out](const Pending& read) {
      out->push_back({Action::kCancel, read.worker, read.round, read.token});
    });
    reads->erase(kept, reads->end());
  };
  cancel(&early_reads_);
  for (auto round = reads_.begin(); round != reads_.end();) {
    cancel(&round->second);
    round = round->second.empty() ? reads_.erase(round) : std::next(round);
  }
}

void Gate::CancelRead(int worker, std::uint64_t token, Actions* out) {
  Cancel([=](const Pending& read) { return read.worker == worker && read.token == token; }, out);
}

void Gate::DropReads(int worker, Actions* out) {
  Cancel([worker](const Pending& read) { return read.worker == worker; }, out);
}

// Reads with tags up to this need not wait for others.
std::uint64_t Gate::ReadLimit() const {
  if (is_bsp()) return state_.version;
  if (consistency_.mode == Consistency::kAsp || floor_ == kNever) return kNever;
  return floor_ + static_cast<std::uint64_t>(consistency_.bound);
}

void Gate::AnswerReads(Actions* out) {
  while (!reads_.empty() && reads_.begin()->first <= ReadLimit()) {
    for (const Pending& read : reads_.begin()->second) {
      out->push_back({Action::kAnswer, read.worker, read.round, read.token});
    }
    reads_.erase(reads_.begin());
  }
}

void Gate::Pump(Actions* out) {
  AnswerReads(out);
  while (is_bsp() && CanClose()) {
    state_.version = EmptyRoundsUntil();
    CloseRound(out);
    AnswerReads(out);
  }
}

bool Gate::CanClose() const { return num_delivered_ >= std::max(1, num_live_ - consistency_.backup); }

// Rounds without parts that can close one after the other, as after many lost rounds, are closed as one: up
// to the last of them, or the one before it if that has parts. Returns the version before the round to close.
std::uint64_t Gate::EmptyRoundsUntil() {
  const std::uint64_t next = state_.version + 1;
  if (!staged_.empty() && staged_.begin()->first == next) return state_.version;
  scratch_.clear();
  std::uint64_t until = kNever;
  for (const GateState::Clock& clock : state_.clocks) {
    if (clock.last <= state_.version) continue;
    scratch_.push_back(clock.completed);
    until = std::min(until, clock.last);  // so far the live ones are the same
  }
  const auto needed = std::max(1, num_live_ - consistency_.backup) - 1;
  std::nth_element(scratch_.begin(), scratch_.begin() + needed, scratch_.end(), std::greater<>());
  until = std::min(until, scratch_[static_cast<std::size_t>(needed)]);
  if (!staged_.empty()) until = std::min(until, staged_.begin()->first - 1);
  if (!reads_.empty()) until = std::min(until, reads_.begin()->first);
  return until - 1;
}

void Gate::CloseRound(Actions* out) {
  const std::uint64_t round = ++state_.version;
  const auto staged = staged_.find(round);
  if (staged != staged_.end()) {
    std::vector<Pending>& parts = staged->second;
    std::stable_sort(parts.begin(), parts.end(), [](const Pending& a, const Pending& b) {
      return std::make_pair(a.worker, a.token) < std::make_pair(b.worker, b.token);
    });
    for (const Pending& part : parts) {
      if (clock(part.worker) >= round) {
        out->push_back({Action::kApply, part.worker, round, part.token});
      } else {
        Drop(part, out);
      }
    }
    staged_.erase(staged);
  }
  out->push_back({Action::kClose, -1, round, 0});
  first_missing_ = 0;
  CountDelivered();
}

std::vector<int> Gate::Missing(std::uint64_t round) const {
  std::vector<int> missing;
  const auto bound = static_cast<std::uint64_t>(consistency_.bound);
  std::uint64_t needed = round;
  if (consistency_.mode == Consistency::kAsp) needed = 0;
  if (consistency_.mode == Consistency::kSsp) needed = round < bound ? 0 : round - bound;
  for (int worker = 0; worker < num_participants(); ++worker) {
    const GateState::Clock& clock = state_.clocks[static_cast<std::size_t>(worker)];
    if (clock.completed < std::min(needed, clock.last)) missing.push_back(worker);
  }
  return missing;
}

int Gate::FirstMissing() {
  while (first_missing_ < num_participants()) {
    const GateState::Clock& clock = ClockOf(first_missing_);
    if (clock.last > state_.version && clock.completed <= state_.version) break;
    ++first_missing_;
  }
  return first_missing_;
}

}  // namespace ps
