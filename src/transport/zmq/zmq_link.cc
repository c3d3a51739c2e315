#include "transport/zmq/zmq_link.h"

#include <utility>

namespace ps {
namespace {

constexpr char kLinkMark = 'L';

}  // namespace

ReturnPath LinkReturnPath(uint64_t tag) { return NumberedPath(kLinkMark, tag); }

uint64_t TagOfReturnPath(const ReturnPath& path) { return NumberOfPath(kLinkMark, path); }

ZmqLinkSocket::ZmqLinkSocket(uint64_t tag, std::string endpoint, std::unique_ptr<ZmqSocket> socket,
                             std::shared_ptr<SendWindow> window, std::shared_ptr<PollSet> poll_set)
    : tag_(tag),
      endpoint_(std::move(endpoint)),
      window_(std::move(window)),
      poll_set_(std::move(poll_set)),
      socket_(std::move(socket)) {}

Status ZmqLinkSocket::Watch() {
  MutexLock lock(mutex_);
  PS_RETURN_IF_ERROR(poll_set_->Add(socket_->Descriptor(), tag_));
  if (socket_->Readable()) poll_set_->MarkReady(tag_);
  return Status::Ok();
}

SendResult ZmqLinkSocket::TrySend(const Frame& frame) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr) return SendResult::kClosed;
  std::shared_ptr<SendClaim> claim;  // none for what is copied: nothing is referred to then
  if (IsLent(frame)) {
    const uint64_t bytes = frame.payload_bytes();
    if (!window_->TryTake(bytes)) return SendResult::kFull;
    claim = std::make_shared<SendClaim>(window_, bytes);
  }
  return Write(frame, claim) == IoResult::kFailed ? SendResult::kClosed : SendResult::kSent;
}

Status ZmqLinkSocket::SendCopy(const Frame& frame) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr || Write(frame, nullptr) == IoResult::kFailed)
    return Status::Cancelled("the link is closed");
  return Status::Ok();
}

IoResult ZmqLinkSocket::Write(const Frame& frame, const std::shared_ptr<SendClaim>& claim) {
  IoResult result = WriteFrame(socket_.get(), nullptr, frame, claim);
  if (result == IoResult::kNothing) {
    // The library has given the connection up, because what listens there does not speak its protocol. A new
    // attempt takes the frame; if that fails too the frame is lost, as it is with a connection that breaks.
    socket_->Connect(endpoint_);
    result = WriteFrame(socket_.get(), nullptr, frame, claim);
  }
  // Sending may take in the signal that a reply has come, and the polling thread would sleep on.
  if (socket_->Readable()) poll_set_->MarkReady(tag_);
  return result;
}

bool ZmqLinkSocket::Drain(std::vector<Arrival>* arrivals, int* malformed) {
  MutexLock lock(mutex_);
  for (size_t reads = 0; reads < kMaxFramesPerPoll && arrivals->size() < kMaxFramesPerPoll; ++reads) {
    if (socket_ == nullptr) return false;
    Arrival arrival;
    const ReadResult result = ReadFrame(socket_.get(), nullptr, &arrival.frame);
    if (result == ReadResult::kNothing || result == ReadResult::kFailed) return false;
    if (result == ReadResult::kMalformed) {
      ++*malformed;
      continue;
    }
    arrival.from = LinkReturnPath(tag_);
    arrivals->push_back(std::move(arrival));
  }
  return true;
}

void ZmqLinkSocket::Close(int linger_ms) {
  MutexLock lock(mutex_);
  if (socket_ == nullptr) return;
  poll_set_->Remove(socket_->Descriptor());
  window_->CallWhenEmpty();
  socket_->Close(linger_ms);
  socket_ = nullptr;
}

}  // namespace ps
