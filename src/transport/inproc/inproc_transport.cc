#include "transport/inproc/inproc_transport.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "transport/inproc/inbox.h"
#include "transport/inproc/inproc_receiver.h"
#include "transport/inproc/pipe.h"
#include "transport/release_hook.h"

namespace ps {
namespace {

constexpr int64_t kReleaseMs = 2000;  // a peer's thread looks at a frame for far less

class InprocLink : public Link {
 public:
  explicit InprocLink(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}
  ~InprocLink() override { pipe_->Close(false); }

  SendResult TrySend(const Frame& frame) override { return pipe_->TrySend(frame); }
  size_t unreleased() const override { return pipe_->unreleased(); }
  void Close() override { pipe_->Close(false); }

 private:
  const std::shared_ptr<Pipe> pipe_;
};

// The hub knows at once.
class InprocCheck : public ReachCheck {
 public:
  explicit InprocCheck(State state) : state_(state) {}
  State Look() override { return state_; }

 private:
  const State state_;
};

// The return path of one of a transport's pipes: the name of its inbox, and a number that tells the pipes
// apart. Replies go to the inbox.
ReturnPath PathOfPipe(const ReturnPath& name, uint64_t pipe) { return name + "." + std::to_string(pipe); }

// The inbox's name in a return path; empty if it is none.
ReturnPath InboxName(const ReturnPath& path) {
  const ReturnPath name = path.substr(0, path.find('.'));
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_name ? name : ReturnPath();
}

int64_t DeadlineMs(int timeout_ms) {
  return timeout_ms < 0 ? CondVar::kNever : Clock::Real().NowMs() + timeout_ms;
}

class InprocTransport : public Transport {
 public:
  InprocTransport(std::shared_ptr<Hub> hub, const InprocOptions& options)
      : hub_(std::move(hub)), options_(options), name_(hub_->Register(inbox_)) {}
  ~InprocTransport() override { Close(0); }

  const char* name() const override { return "inproc"; }
  Result<Address> Bind(const Address& where) override;
  Result<std::unique_ptr<Link>> Connect(const Address& peer, uint64_t incarnation) override;
  Status Reply(const ReturnPath& to, const Frame& frame) override;
  int Poll(FrameSink* sink, int timeout_ms) override { return receiver_.Poll(sink, DeadlineMs(timeout_ms)); }
  SharedReception* shared_reception() override { return &receiver_; }
  std::string Probe(const Address& peer) const override;
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override;
  void Wake() override { inbox_->Wake(); }
  void set_release_callback(std::function<void()> callback) override { hook_->Set(std::move(callback)); }
  void Close(int linger_ms) override;

 private:
  // Refuses new work; the pipes that links still hold, and where this transport listened.
  std::vector<std::shared_ptr<Pipe>> Refuse(Address* bound) PS_EXCLUDES(mutex_);

  const std::shared_ptr<Hub> hub_;
  const InprocOptions options_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  const std::shared_ptr<ReleaseHook> hook_ = std::make_shared<ReleaseHook>();
  const ReturnPath name_;
  InprocReceiver receiver_{inbox_};

  Mutex close_mutex_;  // held through Close, so that a second one returns after the first; before mutex_
  Mutex mutex_;        // before the locks of pipes, hub and inboxes
  Address bound_ PS_GUARDED_BY(mutex_);  // host empty: not bound
  std::vector<std::weak_ptr<Pipe>> pipes_ PS_GUARDED_BY(mutex_);
  uint64_t last_pipe_ PS_GUARDED_BY(mutex_) = 0;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

Result<Address> InprocTransport::Bind(const Address& where) {
  MutexLock lock(mutex_);
  if (closed_) return Status::Cancelled("the transport is closed");
  if (!bound_.host.empty())
    return Status::FailedPrecondition("the transport listens at " + bound_.ToString() + " already");
  if (where.host.empty() || where.port < 0 || where.port > 65535) {
    return Status::InvalidArgument("\"" + where.ToString() + "\" is no address to listen at");
  }
  Result<Address> address = hub_->Bind(where, inbox_);
  if (address.ok()) bound_ = address.value();
  return address;
}

Result<std::unique_ptr<Link>> InprocTransport::Connect(const Address& peer, uint64_t /*incarnation*/) {
  if (peer.host.empty() || peer.port < 1 || peer.port > 65535) {
    return Status::InvalidArgument("\"" + peer.ToString() + "\" is no address to connect to");
  }
  MutexLock lock(mutex_);
  if (closed_) return Status::Cancelled("the transport is closed");
  const SendWindow::Limits limits{options_.max_frames, options_.max_bytes};
  const auto pipe = std::make_shared<Pipe>(hub_, peer, PathOfPipe(name_, ++last_pipe_),
                                           std::make_shared<SendWindow>(limits, hook_));
  pipes_.erase(std::remove_if(pipes_.begin(), pipes_.end(), [](const auto& p) { return p.expired(); }),
               pipes_.end());
  pipes_.push_back(pipe);
  return std::unique_ptr<Link>(std::make_unique<InprocLink>(pipe));
}

Status InprocTransport::Reply(const ReturnPath& to, const Frame& frame) {
  {
    MutexLock lock(mutex_);
    if (closed_) return Status::Cancelled("the transport is closed");
  }
  const ReturnPath name = InboxName(to);
  if (name.empty()) return Status::InvalidArgument("no return path of an inproc transport");
  const std::shared_ptr<Inbox> inbox = hub_->FindByName(name);
  Parcel parcel;
  parcel.from = name_;
  parcel.frame = frame.DeepCopy();
  if (inbox == nullptr || !inbox->Push(&parcel))
    return Status::Unavailable("the sender has closed its transport");
  return Status::Ok();
}

std::string InprocTransport::Probe(const Address& peer) const {
  return hub_->IsBound(peer) ? kAcceptsButDoesNotAnswer : "nobody listens there";
}

std::unique_ptr<ReachCheck> InprocTransport::StartCheck(const Address& peer) const {
  return std::make_unique<InprocCheck>(hub_->IsBound(peer) ? ReachCheck::State::kAccepts
                                                           : ReachCheck::State::kRefused);
}

void InprocTransport::Close(int linger_ms) {
  MutexLock closing(close_mutex_);
  Address bound;
  const std::vector<std::shared_ptr<Pipe>> pipes = Refuse(&bound);
  const int64_t deadline_ms = DeadlineMs(std::max(0, linger_ms));
  for (const auto& pipe : pipes) pipe->WaitDelivered(deadline_ms);
  for (const auto& pipe : pipes) pipe->Close(linger_ms > 0);
  // What a peer's thread has in hand is still the sender's memory; it holds it only while it looks at it.
  const int64_t released_ms = Clock::Real().NowMs() + kReleaseMs;
  for (const auto& pipe : pipes) (void)pipe->WaitReleased(released_ms);
  if (!bound.host.empty()) hub_->Unbind(bound);
  hub_->Unregister(name_);
  inbox_->Close();
  hook_->Close();
}

std::vector<std::shared_ptr<Pipe>> InprocTransport::Refuse(Address* bound) {
  MutexLock lock(mutex_);
  closed_ = true;
  std::vector<std::shared_ptr<Pipe>> open;
  for (const std::weak_ptr<Pipe>& weak : pipes_) {
    if (std::shared_ptr<Pipe> pipe = weak.lock()) open.push_back(std::move(pipe));
  }
  for (const auto& pipe : open) pipe->Refuse();
  pipes_.clear();
  *bound = std::exchange(bound_, Address());
  return open;
}

}  // namespace

std::unique_ptr<Transport> MakeInprocTransport(std::shared_ptr<Hub> hub, const InprocOptions& options) {
  return std::make_unique<InprocTransport>(std::move(hub), options);
}

}  // namespace ps
