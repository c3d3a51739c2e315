// What the threads of a Group do.
#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "group/group_state.h"

namespace ps {

// --- merging ---

// What is wrong with a round says which one it is of.
Status Group::State::OfRound(const KeyState& state, std::uint64_t round, const Status& why) {
  if (why.ok()) return why;
  return Status(why.code(), "key " + std::to_string(state.key.key) + ", round " + std::to_string(round) +
                                ": " + why.message());
}

void Group::State::StartMerge(KeyState* state) {
  const std::optional<std::uint64_t> round = state->rounds.TakeMerge();
  if (!round) return;
  state->since_ms[*round] = Clock::Real().NowMs();
  const int priority = state->open.at(*round).priority;
  static_cast<void>(
      jobs_.Post(JobQueue::kMerge, priority,
                 [self = shared_from_this(), state, round = *round] { self->RunMerge(state, round); }));
}

void Group::State::RunMerge(KeyState* state, std::uint64_t round) {
  OpenRound open;
  MergeKind kind;
  {
    MutexLock lock(mutex_);
    const auto found = state->open.find(round);
    open = std::move(found->second);
    state->open.erase(found);
    kind = state->key.merge;
  }
  MergedValue merged;
  Status done = Guarded([&] {
    merged = MergeParts(&resources_, kind, open.parts, sink_ == nullptr);
    return Status::Ok();
  });
  if (!done.ok()) {
    done = OfRound(*state, round, done);
    OnResult(state, {round, done, Tensor(), false}, false);  // the pushes' tickets tell it
  } else {
    HandOn(state, round, std::move(merged), open.priority);
  }
  for (const auto& [slot, ticket] : open.tickets) ticket->Finish(done);
  MutexLock lock(mutex_);
  state->rounds.OnMerged();
  changed_.NotifyAll();
  if (!closed_) StartMerge(state);
}

// To the sink, where there is one.
void Group::State::HandOn(KeyState* state, std::uint64_t round, MergedValue merged, int priority) {
  if (sink_ == nullptr) return OnResult(state, {round, Status::Ok(), merged.values, merged.is_lent});
  const auto done = [self = weak_from_this(), state, round](Result<Tensor> result) {
    const std::shared_ptr<State> group = self.lock();
    if (group == nullptr) return;
    group->OnResult(state, {round, OfRound(*state, round, result.status()),
                            result.ok() ? result.value() : Tensor(), false});
  };
  const Status taken = Guarded([&] {
    sink_->Take({state->key.key, round, std::move(merged.values), merged.is_lent, priority}, done);
    return Status::Ok();
  });
  if (!taken.ok()) done(taken);
}

void Group::State::OnResult(KeyState* state, Outcome outcome, bool tells) {
  const std::uint64_t round = outcome.round;
  MutexLock lock(mutex_);
  if (closed_ || state->rounds.HasResult(round)) return;
  state->since_ms.erase(round);
  const bool is_last = round > state->rounds.last_result();
  if (tells && !outcome.status.ok()) {
    for (Slot& slot : state->slots) slot.untold.emplace(round, outcome.status);
  }
  for (const int slot : state->rounds.OnResult(round)) {
    Slot& at = state->slots[static_cast<std::size_t>(slot)];
    if (at.next != nullptr) {
      at.kept = outcome;  // its callback runs, and has asked for this
      at.untold.erase(round);
    } else {
      StartDelivery(state, slot, outcome);
    }
  }
  if (is_last) std::swap(state->last, outcome);
  changed_.NotifyAll();
}

std::int64_t Group::State::MoreTime(const KeyState& state, std::uint64_t round) const {
  const std::int64_t own_ms = options_.timeout_ms / 10 + 1000;  // to tell, when its time is over
  if (sink_ == nullptr) return 0;
  // What has come just now is on its way to the pull.
  if (round == 0 || state.rounds.HasResult(round)) return own_ms;
  const auto since = state.since_ms.find(round);
  if (since == state.since_ms.end()) return 0;
  return std::max<std::int64_t>(since->second + options_.timeout_ms + own_ms - Clock::Real().NowMs(), 0);
}

// --- pulls ---

void Group::State::Answer(KeyState* state, int slot, Rounds::Answer answer, Outcomes* outcomes) {
  switch (answer) {
    case Rounds::Answer::kResult: return StartDelivery(state, slot, state->last);
    case Rounds::Answer::kKept: {
      Outcome& kept = state->slots[static_cast<std::size_t>(slot)].kept;
      return StartDelivery(state, slot, std::exchange(kept, Outcome()));
    }
    case Rounds::Answer::kValue: return StartRead(state, slot);
    case Rounds::Answer::kGone: {
      std::shared_ptr<Pull>& pull = state->slots[static_cast<std::size_t>(slot)].pull;
      const std::uint64_t round = state->rounds.WaitedFor(slot);
      return outcomes->Add(&pull, Named(*state, slot, "PullReq", Gone(*state->rounds.GoneBefore(round))));
    }
    default: return;  // it waits
  }
}

void Group::State::StartRead(KeyState* state, int slot) {
  const std::shared_ptr<Pull>& pull = state->slots[static_cast<std::size_t>(slot)].pull;
  const int priority = pull->priority;
  pull->is_read = true;
  const auto read = [self = shared_from_this(), state, slot, priority, of = std::weak_ptr<Pull>(pull)] {
    const auto done = [weak = self->weak_from_this(), state, slot, of](Result<Tensor> result) {
      const std::shared_ptr<State> group = weak.lock();
      const std::shared_ptr<Pull> asking = of.lock();
      if (group == nullptr || asking == nullptr) return;  // it was withdrawn
      MutexLock lock(group->mutex_);
      if (group->closed_ || asking != state->slots[static_cast<std::size_t>(slot)].pull) return;
      const Status outcome =
          result.ok() ? Status::Ok() : group->Named(*state, slot, "PullReq", result.status());
      group->StartDelivery(state, slot, {0, outcome, result.ok() ? result.value() : Tensor(), false});
    };
    const Status asked = Guarded([&] {
      self->sink_->Read(state->key.key, priority, done);
      return Status::Ok();
    });
    if (!asked.ok()) done(asked);
  };
  static_cast<void>(jobs_.Post(JobQueue::kDeliver, priority, read));
}

void Group::State::StartDelivery(KeyState* state, int slot, Outcome outcome) {
  Slot& at = state->slots[static_cast<std::size_t>(slot)];
  const std::shared_ptr<Pull>& pull = at.pull;
  at.untold.erase(outcome.round);
  pull->round = outcome.round;
  pull->error = outcome.status;
  static_cast<void>(
      jobs_.Post(JobQueue::kDeliver, pull->priority,
                 [self = shared_from_this(), state, slot, of = std::weak_ptr<Pull>(pull),
                  outcome = std::move(outcome)] { self->RunDelivery(state, slot, of, outcome); }));
}

// `of` may have been given up since, and another one have come.
void Group::State::RunDelivery(KeyState* state, int slot, const std::weak_ptr<Pull>& of,
                               const Outcome& outcome) {
  const std::shared_ptr<Pull> pull = of.lock();
  {
    MutexLock lock(mutex_);
    if (closed_ || pull == nullptr || pull != state->slots[static_cast<std::size_t>(slot)].pull) return;
    pull->is_running = true;
  }
  const auto on_copied = [&] {
    MutexLock lock(mutex_);
    state->rounds.OnCopied(slot);
    if (outcome.is_lent && state->last.round == outcome.round) state->last.values = Tensor();
  };
  const Status done = Guarded([&] {
    PS_RETURN_IF_ERROR(outcome.status);
    if (outcome.values.is_none())
      return Status::FailedPrecondition(
          KeyAndDevice(state->key.key, DeviceOf(slot)) +
          "the device is alone, so the result of a round is what it has pushed, and it has pulled that "
          "already: nothing else is kept");
    Deliver(&resources_, outcome.values, pull->delivery, on_copied);
    return Status::Ok();
  });
  EndPull(state, slot, done);
}

void Group::State::EndPull(KeyState* state, int slot, const Status& outcome) {
  Outcomes outcomes;
  MutexLock lock(mutex_);
  Slot& at = state->slots[static_cast<std::size_t>(slot)];
  outcomes.Add(at.pull->ticket, outcome);
  at.pull = std::move(at.next);
  at.next = nullptr;
  const std::optional<Rounds::Answer> next = state->rounds.OnDone(slot);
  if (next && at.pull != nullptr) Answer(state, slot, *next, &outcomes);
  changed_.NotifyAll();
}

// --- what does not come to its end ---

void Group::State::CancelPulls(KeyState* state, int slot, const Status& why, Outcomes* outcomes) {
  Slot& at = state->slots[static_cast<std::size_t>(slot)];
  for (std::shared_ptr<Pull>* const pull : {&at.next, &at.pull}) {
    if (*pull == nullptr || (*pull)->is_running) continue;
    state->rounds.Cancel(slot);
    outcomes->Add(pull, why);
  }
  at.kept = Outcome();
}

void Group::State::CancelAll(KeyState* state, const Status& why, Outcomes* outcomes) {
  for (auto& [round, open] : state->open) {
    for (const auto& [slot, ticket] : open.tickets) outcomes->Add(ticket, why);
    open.tickets.clear();
  }
  for (std::size_t slot = 0; slot < state->slots.size(); ++slot)
    CancelPulls(state, static_cast<int>(slot), why, outcomes);
}

// Rounds of the key that the slot has not completed, or that others have not, fail; their arrays are
// nobody's.
void Group::State::Lose(KeyState* state, int slot, Outcomes* outcomes) {
  const Status why = Gone(slot);
  CancelPulls(state, slot, Named(*state, slot, "PullReq", why), outcomes);
  for (const int waiting : state->rounds.SetGone(slot)) {
    if (waiting == slot) continue;
    outcomes->Add(&state->slots[static_cast<std::size_t>(waiting)].pull,
                  Named(*state, waiting, "PullReq", why));
  }
  const auto begin = state->open.upper_bound(state->rounds.pushed(slot));
  for (auto open = begin; open != state->open.end(); ++open) {
    for (const auto& [pusher, ticket] : open->second.tickets)
      outcomes->Add(ticket, Named(*state, pusher, "Push", why));
  }
  state->open.erase(begin, state->open.end());
  if (state->last.is_lent) state->last.values = Tensor();
}

bool Group::State::Uses(int slot) const {
  return std::any_of(keys_.begin(), keys_.end(), [slot](const auto& key) {
    const KeyState& state = *key.second;
    return state.rounds.HasMerges() || state.slots[static_cast<std::size_t>(slot)].pull != nullptr;
  });
}

}  // namespace ps
