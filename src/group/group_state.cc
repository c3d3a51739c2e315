// A Group towards its callers; what its threads do is in group_work.cc.
#include "group/group_state.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "device/shape.h"

namespace ps {
namespace {

int NumThreads() { return std::max(2, static_cast<int>(std::thread::hardware_concurrency())); }

Status CheckView(const Group::Key& key, const TensorView& view, const Shape& shape, const std::string& whom) {
  TensorView wanted;
  wanted.shape = shape;
  wanted.dtype = key.dtype;
  if (view.shape != shape || view.dtype != key.dtype)
    return Status::InvalidArgument(whom + "the array is " + Describe(view) + ", and it has to be " +
                                   NameOf(key.dtype) + " " + ToString(shape));
  if (view.data == nullptr) return Status::InvalidArgument(whom + "the array has no memory");
  return Status::Ok();
}

Status CheckMerge(int key, DType dtype, MergeKind merge) {
  if (merge != MergeKind::kMean || IsFloat(dtype)) return Status::Ok();
  return Status::InvalidArgument("key " + std::to_string(key) + ": there is no mean of " + NameOf(dtype) +
                                 ", only of floats");
}

}  // namespace

Group::State::State(const Options& options, ResultSink* sink)
    : options_(options),
      sink_(sink),
      resources_(std::min(options.reduce_threads, NumThreads()), options.big, options.cpus_are_apart,
                 NumThreads()),
      jobs_(
          &resources_.workers, this,
          {options.max_merges > 0 ? options.max_merges : static_cast<int>(options.devices.size()),
           options.max_deliveries > 0 ? options.max_deliveries : static_cast<int>(options.devices.size())}) {}

// --- names and checks ---

int Group::State::SlotOf(int device) const {
  const auto found = std::find(options_.devices.begin(), options_.devices.end(), device);
  if (found != options_.devices.end()) return static_cast<int>(found - options_.devices.begin());
  std::string all;
  for (const int each : options_.devices) all += (all.empty() ? "" : ", ") + std::to_string(each);
  throw Error(Status::InvalidArgument("device " + std::to_string(device) +
                                      " is none of the model's, which are " + all));
}

std::string Group::State::Devices(const std::vector<int>& slots) const {
  std::string names = slots.size() == 1 ? "device " : "devices ";
  for (std::size_t i = 0; i < slots.size(); ++i)
    names += (i == 0 ? "" : ", ") + std::to_string(DeviceOf(slots[i]));
  return names;
}

Status Group::State::CheckOpen() const {
  return closed_ ? Status::Cancelled("the model is closed") : Status::Ok();
}

Group::State::KeyState* Group::State::Find(int key, int device) {
  ThrowIfError(CheckOpen());
  const auto found = keys_.find(key);
  if (found == keys_.end() || !found->second->is_made)
    ThrowIfError(Status::NotFound(KeyAndDevice(key, device) + "there is no such key; InitKey comes first"));
  return found->second.get();
}

Status Group::State::Named(const KeyState& state, int slot, const char* what, const Status& why) const {
  return Status(why.code(), KeyAndDevice(state.key.key, DeviceOf(slot)) + what + ": " + why.message());
}

Group::State::Calling::Calling(State* state) : state_(state) {
  MutexLock lock(state->mutex_);
  ++state->num_callers_;
}
Group::State::Calling::~Calling() {
  MutexLock lock(state_->mutex_);
  --state_->num_callers_;
  if (state_->closed_) state_->changed_.NotifyAll();
}

Status Group::State::Gone(int slot) const {
  return Status::Unavailable("device " + std::to_string(DeviceOf(slot)) +
                             " takes part no more: " + gone_.at(slot));
}

// Round `round` has no result.
Status Group::State::WhyWaits(const KeyState& state, const std::string& what, std::uint64_t round) const {
  const std::vector<int> missing = state.rounds.MissingOf(round);
  const std::string text = what + " waits for round " + std::to_string(round) + ", ";
  if (missing.empty())
    return Status::DeadlineExceeded(text + "which all devices have pushed: it is under way");
  return Status::DeadlineExceeded(text + "which " + Devices(missing) + " has not pushed yet");
}

Status Group::State::AfterTimeout(const Status& why) const {
  return Status(why.code(), why.message() + " within " + std::to_string(options_.timeout_ms) +
                                " ms (PS_BARRIER_TIMEOUT)");
}

// --- keys ---

void Group::State::AddKey(const Key& key, int device, const std::function<void()>& make) {
  static_cast<void>(SlotOf(device));
  const Calling calling(this);
  ThrowIfError(CheckMerge(key.key, key.dtype, key.merge));
  const std::int64_t deadline_ms = Deadline::After(options_.timeout_ms).at_ms();
  {
    MutexLock lock(mutex_);
    bool in_time = true;
    while (true) {
      ThrowIfError(CheckOpen());
      const auto found = keys_.find(key.key);
      if (found == keys_.end()) break;
      const Key& known = found->second->key;
      if (known.shape != key.shape || known.dtype != key.dtype)
        ThrowIfError(Status::InvalidArgument(
            KeyAndDevice(key.key, device) + "the key is " + NameOf(known.dtype) + " " +
            ToString(known.shape) + " already, not " + NameOf(key.dtype) + " " + ToString(key.shape)));
      if (found->second->is_made) return;
      if (!in_time)
        ThrowIfError(Status::DeadlineExceeded(KeyAndDevice(key.key, device) +
                                              "another device's InitKey of it does not end"));
      in_time = changed_.WaitUntil(mutex_, deadline_ms);
    }
    const Rounds::Options options{static_cast<int>(options_.devices.size()), options_.max_rounds,
                                  sink_ != nullptr && sink_->keeps_value()};
    keys_.emplace(key.key, std::make_unique<KeyState>(key, options));
  }
  try {
    if (make != nullptr) make();
  } catch (...) {
    MutexLock lock(mutex_);
    keys_.erase(key.key);
    changed_.NotifyAll();
    throw;
  }
  MutexLock lock(mutex_);
  KeyState* const made = keys_.at(key.key).get();
  made->is_made = true;
  for (const auto& [slot, why] : gone_) static_cast<void>(made->rounds.SetGone(slot));
  changed_.NotifyAll();
}

void Group::State::SetMerge(int key, MergeKind merge) {
  MutexLock lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) return;
  KeyState* const state = found->second.get();
  ThrowIfError(CheckMerge(key, state->key.dtype, merge));
  if (state->rounds.has_pushes() && merge != state->key.merge)
    ThrowIfError(Status::FailedPrecondition("key " + std::to_string(key) +
                                            " has been pushed already: push_op[" + std::to_string(key) +
                                            "] comes before that"));
  const auto pulls = [](const Slot& slot) { return slot.pull != nullptr; };
  if (merge != state->key.merge && std::any_of(state->slots.begin(), state->slots.end(), pulls))
    ThrowIfError(Status::FailedPrecondition("key " + std::to_string(key) +
                                            ": a PullReq waits already: push_op[" + std::to_string(key) +
                                            "] comes before that"));
  state->key.merge = merge;
}

// --- contributions ---

void Group::State::AwaitRoom(KeyState* state, int slot) {
  const Rounds& rounds = state->rounds;
  std::int64_t deadline_ms = Deadline::After(options_.timeout_ms).at_ms();
  const std::string whom = KeyAndDevice(state->key.key, DeviceOf(slot));
  bool in_time = true;
  while (true) {
    ThrowIfError(CheckOpen());
    if (gone_.count(slot) != 0) ThrowIfError(Named(*state, slot, "Push", Gone(slot)));
    // What can not become a round any more is not begun.
    const std::optional<int> gone = rounds.GoneBefore(rounds.pushed(slot) + 1);
    if (gone) ThrowIfError(Named(*state, slot, "Push", Gone(*gone)));
    ThrowIfError(TakeUntold(state, slot));
    if (rounds.MayPush(slot)) return;
    const Status waits = WhyWaits(*state, whom + "Push", rounds.Blocking());
    if (GroupTicket::OnThread::IsOf(this))
      ThrowIfError(
          Status::FailedPrecondition(waits.message() + "; inside a callback it can not be waited for"));
    if (!in_time) {
      const std::int64_t more_ms = MoreTime(*state, rounds.Blocking());
      if (more_ms == 0) ThrowIfError(AfterTimeout(waits));
      deadline_ms = Deadline::After(more_ms).at_ms();
    }
    in_time = changed_.WaitUntil(mutex_, deadline_ms);
  }
}

Status Group::State::TakeUntold(KeyState* state, int slot) {
  const Untold untold = std::exchange(state->slots[static_cast<std::size_t>(slot)].untold, {});
  if (untold.empty()) return Status::Ok();
  std::string rounds = untold.size() == 1 ? "round " : "rounds ";
  for (const auto& [round, why] : untold)
    rounds += (round == untold.begin()->first ? "" : ", ") + std::to_string(round);
  const Status& first = untold.begin()->second;
  return Named(
      *state, slot, "Push",
      Status(first.code(), "nothing is contributed by this call, because what was pushed in " + rounds +
                               " has failed, which no PullReq has told: " + first.message()));
}

Group::State::Promise Group::State::NewTicket(
    std::function<Status(State*, bool gives_up, GroupTicket*)> overdue,
    std::function<std::int64_t()> more_ms) {
  GroupTicket::Owner owner;
  owner.group = this;
  owner.timeout_ms = options_.timeout_ms;
  const std::weak_ptr<State> weak = weak_from_this();
  owner.post = [weak](std::function<void()> code) {
    const std::shared_ptr<State> state = weak.lock();
    return state != nullptr && state->jobs_.Post(JobQueue::kFollow, 0, std::move(code));
  };
  const auto self = std::make_shared<GroupTicket*>(nullptr);
  owner.overdue = [weak, self, overdue = std::move(overdue)](bool gives_up) {
    const std::shared_ptr<State> state = weak.lock();
    return state == nullptr ? Status::Cancelled("the model is closed")
                            : overdue(state.get(), gives_up, *self);
  };
  owner.more_ms = std::move(more_ms);
  Promise ticket = std::make_shared<GroupTicket>(std::move(owner));
  *self = ticket.get();
  return ticket;
}

Ticket Group::State::Contribute(int key, int device, const TensorView& data, int priority) {
  const int slot = SlotOf(device);
  const Calling calling(this);
  MutexLock lock(mutex_);
  KeyState* const state = Find(key, device);
  ThrowIfError(CheckView(state->key, data, state->key.shape, KeyAndDevice(key, device)));
  AwaitRoom(state, slot);
  const std::uint64_t round = state->rounds.Push(slot);
  const std::string what = KeyAndDevice(key, device) + "Push";
  const Promise ticket = NewTicket([state, round, what](State* self, bool gives_up, GroupTicket*) {
    MutexLock lock(self->mutex_);
    const Status why = self->WhyWaits(*state, what, round);
    return gives_up ? self->AfterTimeout(why) : why;
  });
  OpenRound& open = state->open[round];
  open.priority = open.tickets.empty() ? priority : std::max(open.priority, priority);
  open.parts.resize(state->slots.size());
  open.parts[static_cast<std::size_t>(slot)] = data;
  open.tickets[slot] = ticket;
  StartMerge(state);
  return Ticket(ticket);
}

// --- results ---

Ticket Group::State::Distribute(int key, int device, Delivery delivery, int priority) {
  const int slot = SlotOf(device);
  Outcomes outcomes;
  MutexLock lock(mutex_);
  KeyState* const state = Find(key, device);
  const Shape wanted = MergedShape(state->key.shape, state->key.merge, state->slots.size());
  ThrowIfError(CheckView(state->key, delivery.to, wanted, KeyAndDevice(key, device)));
  Slot& at = state->slots[static_cast<std::size_t>(slot)];
  if (gone_.count(slot) != 0) ThrowIfError(Named(*state, slot, "PullReq", Gone(slot)));
  const Rounds::Answer answer = state->rounds.Pull(slot);
  if (answer == Rounds::Answer::kRefused)
    ThrowIfError(Status::FailedPrecondition(KeyAndDevice(key, device) +
                                            "a PullReq is not done yet: PullWait comes before the next one"));
  auto pull = std::make_shared<Pull>();
  pull->delivery = std::move(delivery);
  pull->priority = priority;
  pull->ticket =
      NewTicket([key, slot](State* self, bool gives_up,
                            GroupTicket* ticket) { return self->GiveUp(key, slot, ticket, gives_up); },
                [weak = weak_from_this(), state, slot, of = std::weak_ptr<Pull>(pull)]() -> std::int64_t {
                  const std::shared_ptr<State> self = weak.lock();
                  const std::shared_ptr<Pull> pull = of.lock();
                  if (self == nullptr || pull == nullptr) return 0;
                  MutexLock lock(self->mutex_);
                  return self->MoreTime(*state, pull->is_read ? 0 : state->rounds.WaitedFor(slot));
                });
  at.last = pull->ticket;
  const Ticket ticket(pull->ticket);
  if (answer == Rounds::Answer::kLater || answer == Rounds::Answer::kKept) {
    at.next = std::move(pull);
    at.kept = answer == Rounds::Answer::kKept ? state->last : Outcome();
    at.untold.erase(at.kept.round);
  } else {
    at.pull = std::move(pull);
    Answer(state, slot, answer, &outcomes);
  }
  return ticket;
}

Status Group::State::GiveUp(int key, int slot, GroupTicket* ticket, bool gives_up) {
  Outcomes outcomes;
  MutexLock lock(mutex_);
  KeyState* const state = keys_.at(key).get();
  Slot& at = state->slots[static_cast<std::size_t>(slot)];
  const std::string whom = KeyAndDevice(key, DeviceOf(slot)) + "PullReq";
  std::shared_ptr<Pull>* pull = at.next != nullptr && at.next->ticket.get() == ticket ? &at.next : &at.pull;
  if (*pull == nullptr || (*pull)->ticket.get() != ticket || (*pull)->is_running)
    return Status::DeadlineExceeded(whom + " is under way: its copy or its callback takes longer");
  Status why = WhyWaits(*state, whom, state->rounds.WaitedFor(slot));
  if (pull == &at.next) {
    why = Status::DeadlineExceeded(whom + " waits for the callback of the one before, which still runs");
  } else if ((*pull)->is_read) {
    why = Status::DeadlineExceeded(whom + " waits for the value of the key, which is being read");
  } else if (state->rounds.HasResult(state->rounds.WaitedFor(slot))) {
    why = Status::DeadlineExceeded(whom + " waits for a thread that copies its result: all are busy");
  }
  if (!gives_up) return why;
  why = AfterTimeout(why);
  if (!state->rounds.Cancel(slot)) return why;
  const std::uint64_t round = pull == &at.next ? at.kept.round : (*pull)->round;
  const Status& error = pull == &at.next ? at.kept.status : (*pull)->error;
  if (round != 0 && !error.ok()) at.untold.emplace(round, error);
  if (pull == &at.next) at.kept = Outcome();
  outcomes.Add(pull, why);
  return why;
}

std::optional<Ticket> Group::State::LastOf(int key, int device) {
  const auto known = std::find(options_.devices.begin(), options_.devices.end(), device);
  MutexLock lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end() || known == options_.devices.end()) return std::nullopt;
  const auto slot = static_cast<std::size_t>(known - options_.devices.begin());
  const Promise& last = found->second->slots[slot].last;
  return last == nullptr ? std::nullopt : std::make_optional(Ticket(last));
}

// --- ends ---

void Group::State::SetGone(int device, const std::string& why) {
  const int slot = SlotOf(device);
  const Calling calling(this);
  {
    Outcomes outcomes;
    MutexLock lock(mutex_);
    if (gone_.emplace(slot, why).second) {
      for (const auto& [key, state] : keys_) Lose(state.get(), slot, &outcomes);
      changed_.NotifyAll();
    }
  }
  if (GroupTicket::OnThread::IsOf(this)) return;
  bool closed = false;
  {
    MutexLock lock(mutex_);
    while (!closed_ && Uses(slot)) changed_.Wait(mutex_);
    closed = closed_;
  }
  if (closed) jobs_.Close();
  // Of a device alone it is the sink that may still use what it has lent; nothing comes any more.
  if (sink_ != nullptr && options_.devices.size() == 1) sink_->Close();
}

void Group::State::Close() {
  {
    Outcomes outcomes;
    MutexLock lock(mutex_);
    closed_ = true;
    for (const auto& [key, state] : keys_)
      CancelAll(state.get(), Status::Cancelled("the model was closed"), &outcomes);
    changed_.NotifyAll();
  }
  jobs_.Close();
  if (sink_ != nullptr) sink_->Close();
  if (GroupTicket::OnThread::IsOf(this)) return;  // who waits for this thread would never leave
  MutexLock lock(mutex_);
  while (num_callers_ > 0) changed_.Wait(mutex_);
}

}  // namespace ps
