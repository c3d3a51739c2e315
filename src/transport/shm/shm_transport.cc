#include "transport/shm/shm_transport.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/line_limit.h"
#include "base/log.h"
#include "transport/poll_set.h"
#include "transport/release_hook.h"
#include "transport/shm/handover.h"
#include "transport/shm/inlets.h"
#include "transport/shm/reception.h"
#include "transport/shm/segment.h"
#include "transport/shm/shm_link.h"
#include "transport/shm/spin.h"

namespace ps {
namespace {

constexpr int kMaxFramesPerPoll = 32;
constexpr int kLookEvery = 16;        // while rings are busy, all else is looked at in every 16th Poll
constexpr int64_t kSpinSliceUs = 50;  // and after so long
constexpr int64_t kCountSwitchesUs = 1000;
constexpr int64_t kTroubleLineMs = 60000;
constexpr int kChecksPerClock = 16;

constexpr uint64_t kInnerTag = 1;
constexpr uint64_t kReceptionTag = 2;  // inlets and links have the tags above

uint64_t CapacityFor(uint64_t max_frame_bytes) {
  uint64_t capacity = kRingBytes;
  while (capacity < 2 * RecordBytes(max_frame_bytes) && capacity < Segment::kLargestCapacity) capacity *= 2;
  return capacity;
}

class ShmLink : public Link {
 public:
  explicit ShmLink(std::shared_ptr<ShmLinkEnd> end) : end_(std::move(end)) {}
  ~ShmLink() override { end_->Close(); }

  SendResult TrySend(const Frame& frame) override { return end_->TrySend(frame); }
  uint64_t piece_bytes() const override { return kPieceBytes; }
  size_t unreleased() const override { return end_->unreleased(); }
  void Close() override { end_->Close(); }

 private:
  const std::shared_ptr<ShmLinkEnd> end_;
};

class ShmTransport : public Transport {
 public:
  ShmTransport(std::unique_ptr<Transport> inner, const ShmOptions& options, std::shared_ptr<PollSet> poll_set,
               std::unique_ptr<Reception> reception)
      : inner_(std::move(inner)),
        options_(options),
        capacity_(CapacityFor(options.max_frame_bytes)),
        poll_set_(std::move(poll_set)),
        reception_(std::move(reception)),
        inlets_(poll_set_),
        spin_(options.spin_us, NumProcessors()) {}
  ~ShmTransport() override { Close(0); }

  // Once, before all else.
  Status Watch();
  // Before this object goes although it could be of no use.
  std::unique_ptr<Transport> TakeInner() { return std::move(inner_); }

  const char* name() const override { return "shm"; }
  Result<Address> Bind(const Address& where) override { return inner_->Bind(where); }
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override;
  Status Reply(const ReturnPath& to, const Frame& frame) override;
  int Poll(FrameSink* sink, int timeout_ms) override;
  std::string Probe(const Address& peer) const override { return inner_->Probe(peer); }
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override {
    return inner_->StartCheck(peer);
  }
  void Wake() override;
  void set_release_callback(std::function<void()> callback) override {
    hook_->Set(callback);
    inner_->set_release_callback(std::move(callback));
  }
  void Close(int linger_ms) override;

 private:
  Result<std::shared_ptr<ShmLinkEnd>> OpenEnd(const Hello& hello, ShmLinkEnd::MakeOther make_other)
      PS_EXCLUDES(links_mutex_);
  std::shared_ptr<ShmLinkEnd> FindLink(uint64_t tag) PS_EXCLUDES(links_mutex_);
  std::vector<std::shared_ptr<ShmLinkEnd>> RefuseLinks() PS_EXCLUDES(links_mutex_);
  void SayTrouble(const Status& trouble) PS_EXCLUDES(trouble_mutex_);

  // Of the polling thread.
  int PollInner(FrameSink* sink);
  int64_t SpinBudgetUs(int64_t now_us);
  // Looks at rings only; true when there is something to do.
  bool Spin(int64_t until_us);
  // Looks at everything, and waits for it up to `timeout_ms` (-1: for ever). Returns how many frames that
  // gave; what is in rings is left there.
  int Look(FrameSink* sink, int64_t timeout_ms);
  // False: do not sleep.
  bool BeginSleep();
  void OnTag(uint64_t tag);
  void Receive(FrameSink* sink, int64_t now_ms);

  std::unique_ptr<Transport> inner_;
  const ShmOptions options_;
  const uint64_t capacity_;
  const std::shared_ptr<PollSet> poll_set_;
  const std::shared_ptr<ReleaseHook> hook_ = std::make_shared<ReleaseHook>();
  std::atomic<uint64_t> last_tag_{kReceptionTag};

  // Of the polling thread.
  std::unique_ptr<Reception> reception_;
  Inlets inlets_;
  bool inner_has_more_ = false;
  int busy_polls_ = 0;
  PollSet::Ready ready_;
  SpinPolicy spin_;
  int64_t budget_us_ = 0;
  int64_t count_switches_us_ = 0;  // when next

  // Set before the other one is read, on both sides, so that one of them sees the other.
  std::atomic<bool> woken_{false};
  std::atomic<bool> asleep_{false};

  Mutex close_mutex_;  // held through Close; before the others
  Mutex links_mutex_;
  std::map<uint64_t, std::weak_ptr<ShmLinkEnd>> links_ PS_GUARDED_BY(links_mutex_);
  std::atomic<bool> closed_{false};  // set under links_mutex_
  Mutex trouble_mutex_;
  LineLimit trouble_lines_ PS_GUARDED_BY(trouble_mutex_){kTroubleLineMs};
};

Status ShmTransport::Watch() {
  PS_RETURN_IF_ERROR(poll_set_->Add(inner_->poll_fd(), kInnerTag));
  return poll_set_->Add(reception_->fd(), kReceptionTag);
}

void ShmTransport::SayTrouble(const Status& trouble) {
  MutexLock lock(trouble_mutex_);
  if (!trouble_lines_.Allows(Clock::Real().NowMs())) return;
  PS_LOG(kWarning, "",
         "no shared memory with a node of this machine, it goes over ZeroMQ: " << trouble.message());
}

// --- links ---

Result<std::unique_ptr<Link>> ShmTransport::Connect(const Address& peer, uint64_t incarnation) {
  if (incarnation == 0) return inner_->Connect(peer);
  Transport* const inner = inner_.get();
  ShmLinkEnd::MakeOther make_other;
  if (!options_.is_required) make_other = [inner, peer] { return inner->Connect(peer); };
  const Hello hello{options_.incarnation, incarnation, capacity_, false};
  Result<std::shared_ptr<ShmLinkEnd>> end = OpenEnd(hello, std::move(make_other));
  if (end.ok()) return std::unique_ptr<Link>(std::make_unique<ShmLink>(std::move(end).value()));
  const Status why = end.status();
  if (why.code() == StatusCode::kCancelled) return why;
  if (options_.is_required) {
    return Status(why.code(), "DMLC_PS_VAN_TYPE=shm, but there is no shared memory with the node at " +
                                  peer.ToString() + ": " + why.message());
  }
  if (why.code() != StatusCode::kNotFound) SayTrouble(why);
  return inner_->Connect(peer);
}

Result<std::shared_ptr<ShmLinkEnd>> ShmTransport::OpenEnd(const Hello& hello,
                                                          ShmLinkEnd::MakeOther make_other) {
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  Descriptor memfd;
  Result<std::shared_ptr<Segment>> segment = Segment::Create(hello.capacity, &memfd);
  PS_RETURN_IF_ERROR(segment.status());
  Result<Doorbell> doorbell = HandOver(hello, memfd);
  PS_RETURN_IF_ERROR(doorbell.status());
  const uint64_t tag = ++last_tag_;
  auto end = std::make_shared<ShmLinkEnd>(
      tag, std::make_unique<Outlet>(std::move(segment).value(), std::move(doorbell).value()),
      std::move(make_other), poll_set_);
  MutexLock lock(links_mutex_);
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  for (auto at = links_.begin(); at != links_.end();)
    at = at->second.expired() ? links_.erase(at) : std::next(at);
  links_[tag] = end;
  PS_RETURN_IF_ERROR(end->Watch());
  return end;
}

std::shared_ptr<ShmLinkEnd> ShmTransport::FindLink(uint64_t tag) {
  MutexLock lock(links_mutex_);
  const auto found = links_.find(tag);
  return found == links_.end() ? nullptr : found->second.lock();
}

std::vector<std::shared_ptr<ShmLinkEnd>> ShmTransport::RefuseLinks() {
  MutexLock lock(links_mutex_);
  closed_.store(true);
  std::vector<std::shared_ptr<ShmLinkEnd>> open;
  for (const auto& [tag, weak] : links_) {
    if (std::shared_ptr<ShmLinkEnd> link = weak.lock()) open.push_back(std::move(link));
  }
  links_.clear();
  return open;
}

// Through a ring of its own: the one that the question came through has one direction.
Status ShmTransport::Reply(const ReturnPath& to, const Frame& frame) {
  if (closed_.load()) return Status::Cancelled("the transport is closed");
  const uint64_t tag = TagOfRingPath(to);
  if (tag == 0) return inner_->Reply(to, frame);
  Inlet* const inlet = inlets_.Find(tag);
  if (inlet == nullptr) return Status::Unavailable("the sender is not connected any more");
  if (inlet->reply == nullptr) {
    const Hello hello{options_.incarnation, inlet->hello().writer, capacity_, true};
    Result<std::shared_ptr<ShmLinkEnd>> end = OpenEnd(hello, nullptr);
    if (!end.ok()) return Status::Unavailable("the sender can not be answered: " + end.status().message());
    inlet->reply = std::move(end).value();
  }
  if (inlet->reply->TrySend(frame) == SendResult::kSent) return Status::Ok();
  return Status::Unavailable("the sender does not read its answers");
}

// --- polling ---

int ShmTransport::PollInner(FrameSink* sink) {
  inner_has_more_ = true;  // also if the sink throws
  const int count = inner_->Poll(sink, 0);
  inner_has_more_ = count > 0;
  return count;
}

// Counting switches is a system call: not each time.
int64_t ShmTransport::SpinBudgetUs(int64_t now_us) {
  if (!spin_.ever() || inlets_.empty()) return 0;
  if (now_us >= count_switches_us_) {
    count_switches_us_ = now_us + kCountSwitchesUs;
    budget_us_ = spin_.BudgetUs(now_us, InvoluntarySwitches());
  }
  return budget_us_;
}

bool ShmTransport::Spin(int64_t until_us) {
  do {
    for (int i = 0; i < kChecksPerClock; ++i) {
      if (woken_.load() || inlets_.HasMore()) return true;
      RelaxProcessor();
    }
  } while (Clock::Real().NowUs() < until_us);
  return false;
}

bool ShmTransport::BeginSleep() {
  asleep_.store(true);
  // Whoever comes from here on rings.
  return inlets_.BeginSleep() && !woken_.load();
}

int ShmTransport::Look(FrameSink* sink, int64_t timeout_ms) {
  int64_t now_ms = Clock::Real().NowMs();
  if (reception_->next_look_ms() != CondVar::kNever) {
    const int64_t left_ms = std::max<int64_t>(0, reception_->next_look_ms() - now_ms);
    timeout_ms = timeout_ms < 0 ? left_ms : std::min(timeout_ms, left_ms);
  }
  const bool sleeps = timeout_ms != 0;
  if (sleeps && !BeginSleep()) timeout_ms = 0;
  poll_set_->Wait(static_cast<int>(std::min<int64_t>(timeout_ms, std::numeric_limits<int>::max())), &ready_);
  if (sleeps) {
    asleep_.store(false);
    inlets_.EndSleep();
  }
  now_ms = Clock::Real().NowMs();
  bool receives = reception_->next_look_ms() <= now_ms;
  int count = 0;
  for (const uint64_t tag : ready_.tags) {
    if (tag == kInnerTag) {
      count += PollInner(sink);
    } else if (tag == kReceptionTag) {
      receives = true;
    } else {
      OnTag(tag);
    }
  }
  if (receives) Receive(sink, now_ms);
  return count;
}

void ShmTransport::OnTag(uint64_t tag) {
  if (Inlet* const inlet = inlets_.Find(tag)) {
    inlet->OnBell();
  } else if (const std::shared_ptr<ShmLinkEnd> link = FindLink(tag)) {
    if (link->OnBell()) hook_->Call();
  }
}

void ShmTransport::Receive(FrameSink* sink, int64_t now_ms) {
  Reception::News news = reception_->Look(now_ms);
  if (!news.trouble.ok()) SayTrouble(news.trouble);
  for (int i = 0; i < news.num_refused; ++i) sink->OnDropped(Counter::kRejectedHandshake);
  for (Reception::Guest& guest : news.guests) {
    // If it is not watched the writer sees its end, and takes the other way.
    const Status added = inlets_.Add(++last_tag_, std::move(guest));
    if (!added.ok()) SayTrouble(added);
  }
}

int ShmTransport::Poll(FrameSink* sink, int timeout_ms) {
  if (closed_.load()) return 0;
  const Clock& clock = Clock::Real();
  const int64_t deadline_ms = timeout_ms < 0 ? CondVar::kNever : clock.NowMs() + timeout_ms;
  int64_t spin_until_us = timeout_ms == 0 ? 0 : -1;
  for (;;) {
    int count = inlets_.Drain(sink, kMaxFramesPerPoll);
    if (inner_has_more_) count += PollInner(sink);
    if (count > 0) {
      if (++busy_polls_ % kLookEvery == 0) count += Look(sink, 0);
      return count;
    }
    if (woken_.exchange(false)) return 0;
    int64_t now_us = clock.NowUs();
    if (spin_until_us < 0) spin_until_us = now_us + SpinBudgetUs(now_us);
    if (now_us < spin_until_us && Spin(std::min(spin_until_us, now_us + kSpinSliceUs))) continue;
    now_us = clock.NowUs();
    const int64_t left_ms =
        deadline_ms == CondVar::kNever ? -1 : std::max<int64_t>(0, deadline_ms - now_us / 1000);
    count = Look(sink, now_us < spin_until_us ? 0 : left_ms);
    if (count > 0) return count;
    // Bells may have been taken in, and what they stand for must not wait for the next call.
    if (left_ms == 0) return inlets_.Drain(sink, kMaxFramesPerPoll);
  }
}

void ShmTransport::Wake() {
  woken_.store(true);
  if (asleep_.load()) poll_set_->Wake();
}

void ShmTransport::Close(int linger_ms) {
  MutexLock closing(close_mutex_);
  if (inner_ == nullptr) return;
  const std::vector<std::shared_ptr<ShmLinkEnd>> links = RefuseLinks();
  hook_->Close();
  for (const auto& link : links) link->Detach();
  inlets_.Clear();
  reception_ = nullptr;
  inner_->Close(linger_ms);
  poll_set_->Close();
}

// Null with `*why` when something is not to be had.
std::unique_ptr<ShmTransport> TryMake(std::unique_ptr<Transport>* inner, const ShmOptions& options,
                                      Status* why) {
  Result<std::shared_ptr<PollSet>> poll_set = PollSet::Make();
  *why = poll_set.status();
  if (!why->ok()) return nullptr;
  Result<std::unique_ptr<Reception>> reception = Reception::Open(options.incarnation);
  *why = reception.status();
  if (!why->ok()) return nullptr;
  auto transport = std::make_unique<ShmTransport>(std::move(*inner), options, std::move(poll_set).value(),
                                                  std::move(reception).value());
  *why = transport->Watch();
  if (why->ok()) return transport;
  *inner = transport->TakeInner();
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Transport>> MakeShmTransport(std::unique_ptr<Transport> inner,
                                                    const ShmOptions& options) {
  Status why;
  std::unique_ptr<Transport> transport = TryMake(&inner, options, &why);
  if (transport != nullptr) return transport;
  if (options.is_required) return Status(why.code(), "DMLC_PS_VAN_TYPE=shm: " + why.message());
  PS_LOG(kWarning, "",
         "no shared memory between the nodes of this machine, all goes over ZeroMQ: " << why.message());
  return inner;
}

}  // namespace ps
