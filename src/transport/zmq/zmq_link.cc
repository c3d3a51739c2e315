#include "transport/zmq/zmq_link.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

constexpr char kLinkMark = 'L';
constexpr size_t kMaxBatchBytes = 16 << 10;

}  // namespace

ReturnPath LinkReturnPath(uint64_t tag) { return NumberedPath(kLinkMark, tag); }

uint64_t TagOfReturnPath(const ReturnPath& path) { return NumberOfPath(kLinkMark, path); }

ZmqLinkSocket::ZmqLinkSocket(Plan plan, std::unique_ptr<ZmqSocket> socket, std::shared_ptr<SendWindow> window,
                             std::shared_ptr<PollSet> poll_set)
    : plan_(std::move(plan)),
      window_(std::move(window)),
      poll_set_(std::move(poll_set)),
      socket_(std::move(socket)),
      batch_(std::min(kMaxBatchBytes, plan_.max_part_bytes)) {}

// Ends when the library lets go of the batch, on any thread.
class ZmqLinkSocket::Passage {
 public:
  explicit Passage(std::weak_ptr<ZmqLinkSocket> link) : link_(std::move(link)) {}
  ~Passage() {
    if (const std::shared_ptr<ZmqLinkSocket> link = link_.lock()) link->OnTaken();
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  const std::weak_ptr<ZmqLinkSocket> link_;
};

// The library may let go of a batch in any call: then the caller has the lock, and looks afterwards.
class ZmqLinkSocket::Call {
 public:
  explicit Call(const ZmqLinkSocket* link) : outer_(std::exchange(current_, link)) {}
  ~Call() { current_ = outer_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static bool IsOf(const ZmqLinkSocket* link) { return current_ == link; }

 private:
  static thread_local const ZmqLinkSocket* current_;
  const ZmqLinkSocket* const outer_;
};

thread_local const ZmqLinkSocket* ZmqLinkSocket::Call::current_ = nullptr;

void ZmqLinkSocket::OnTaken() {
  // In one order with who lets a frame wait: one of the two sees the other.
  if (under_way_.fetch_sub(1) != 1 || !waiting_.load() || Call::IsOf(this)) return;
  MutexLock lock(mutex_);
  if (socket_ != nullptr && under_way_.load() == 0) (void)WriteWaiting();
}

Status ZmqLinkSocket::Watch() {
  MutexLock lock(mutex_);
  PS_RETURN_IF_ERROR(poll_set_->Add(socket_->Descriptor(), plan_.tag));
  if (socket_->Readable()) poll_set_->MarkReady(plan_.tag);
  return Status::Ok();
}

SendResult ZmqLinkSocket::TrySend(const Frame& frame) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr) return SendResult::kClosed;
  IoResult result = IoResult::kDone;
  if (IsLent(frame)) {
    const uint64_t bytes = frame.payload_bytes();
    if (!window_->TryTake(bytes)) return SendResult::kFull;
    result = WriteAlone(frame, std::make_shared<SendClaim>(window_, bytes));
  } else {
    if (!batch_.HasRoomFor(frame)) result = WriteWaiting();
    batch_.Add(frame);
    waiting_.store(true);
    if (under_way_.load() == 0 && result != IoResult::kFailed) result = WriteWaiting();
  }
  return result == IoResult::kFailed ? SendResult::kClosed : SendResult::kSent;
}

Status ZmqLinkSocket::SendCopy(const Frame& frame) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr || WriteAlone(frame, nullptr) == IoResult::kFailed)
    return Status::Cancelled("the link is closed");
  return Status::Ok();
}

template <typename Try>
IoResult ZmqLinkSocket::Write(Try try_once) {
  const Call call(this);
  IoResult result = try_once();
  if (result == IoResult::kNothing) {
    // The library has given the connection up, because what listens there does not speak its protocol. A new
    // attempt takes the message; if that fails too it is lost, as it is with a connection that breaks.
    socket_->Connect(plan_.endpoint);
    result = try_once();
  }
  // Sending may take in the signal that a reply has come, and the polling thread would sleep on.
  if (socket_->Readable()) poll_set_->MarkReady(plan_.tag);
  return result;
}

// Behind what waits.
IoResult ZmqLinkSocket::WriteAlone(const Frame& frame, const std::shared_ptr<SendClaim>& claim) {
  if (WriteWaiting() == IoResult::kFailed) return IoResult::kFailed;
  ZmqSocket* const socket = socket_.get();
  return Write([&, socket] { return WriteFrame(socket, nullptr, frame, claim); });
}

IoResult ZmqLinkSocket::WriteWaiting() {
  if (batch_.empty()) return IoResult::kDone;
  const Call call(this);
  waiting_.store(false);
  under_way_.fetch_add(1);
  ZmqMessage message(batch_.Take(), std::make_shared<Passage>(weak_from_this()));
  ZmqSocket* const socket = socket_.get();
  return Write([&, socket] { return socket->Send(&message, false); });
}

bool ZmqLinkSocket::Drain(std::vector<Arrival>* arrivals, int* malformed) {
  MutexLock lock(mutex_);
  const bool has_more = Read(arrivals, malformed);
  // A batch may have been let go of in there.
  if (socket_ != nullptr && under_way_.load() == 0) (void)WriteWaiting();
  return has_more;
}

bool ZmqLinkSocket::Read(std::vector<Arrival>* arrivals, int* malformed) {
  const Call call(this);
  for (size_t reads = 0; reads < kMaxFramesPerPoll && arrivals->size() < kMaxFramesPerPoll; ++reads) {
    if (socket_ == nullptr) return false;
    received_.clear();
    const ReadResult result = ReadFrames(socket_.get(), nullptr, &received_);
    if (result == ReadResult::kNothing || result == ReadResult::kFailed) return false;
    if (result == ReadResult::kMalformed) {
      ++*malformed;
      continue;
    }
    for (Frame& frame : received_) arrivals->push_back({std::move(frame), LinkReturnPath(plan_.tag)});
  }
  return true;
}

void ZmqLinkSocket::Close(int linger_ms) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr) return;
  (void)WriteWaiting();
  const Call call(this);
  poll_set_->Remove(socket_->Descriptor());
  window_->CallWhenEmpty();
  socket_->Close(linger_ms);
  socket_ = nullptr;
}

}  // namespace ps
