#include "transport/shm/reception.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "transport/shm/handover.h"

namespace ps {
namespace {

constexpr int64_t kOpenAgainMs = 100;
constexpr int kMostPerLook = 64;

Status SystemError(const char* what) {
  return Status::ResourceExhausted(std::string(what) + ": " + std::strerror(errno));
}

bool Watch(int epoll_fd, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Reception::Reception(uint64_t incarnation, Descriptor watch, Descriptor listener)
    : incarnation_(incarnation), watch_(std::move(watch)), listener_(std::move(listener)) {}

Result<std::unique_ptr<Reception>> Reception::Open(uint64_t incarnation) {
  Descriptor watch(epoll_create1(EPOLL_CLOEXEC));
  if (!watch.is_open()) return SystemError("cannot make an epoll descriptor");
  Result<Descriptor> listener = ListenForRings(incarnation);
  if (!listener.ok()) return listener.status();
  auto reception = std::make_unique<Reception>(incarnation, std::move(watch), std::move(listener).value());
  PS_RETURN_IF_ERROR(reception->WatchListener());
  return reception;
}

Status Reception::WatchListener() {
  open_again_ms_ = CondVar::kNever;
  return Watch(watch_.fd(), listener_.fd()) ? Status::Ok() : SystemError("cannot watch a descriptor");
}

void Reception::Unwatch(const Descriptor& socket) {
  epoll_ctl(watch_.fd(), EPOLL_CTL_DEL, socket.fd(), nullptr);
}

void Reception::LetIn(int64_t now_ms, News* news) {
  for (int i = 0; i < kMostPerLook; ++i) {
    Descriptor socket = AcceptPeer(listener_, &news->trouble);
    if (!socket.is_open()) break;
    if (!IsOwnUser(socket) || !Watch(watch_.fd(), socket.fd())) {
      ++news->num_refused;
      continue;
    }
    if (pending_.size() >= kMostPending) {
      Unwatch(pending_.front().socket);
      pending_.erase(pending_.begin());
      ++news->num_refused;
    }
    pending_.push_back({std::move(socket), now_ms + kHelloMs});
  }
  if (news->trouble.ok()) return;
  // Its descriptor stays readable: looking at once would only burn the processor.
  Unwatch(listener_);
  open_again_ms_ = now_ms + kOpenAgainMs;
}

bool Reception::Listen(Pending* pending, int64_t now_ms, News* news) {
  Offer offer = ReceiveOffer(pending->socket);
  if (offer.state == Offer::State::kNothingYet && now_ms < pending->deadline_ms) return false;
  Unwatch(pending->socket);
  if (offer.state != Offer::State::kMade || offer.hello.reader != incarnation_) {
    ++news->num_refused;
    return true;
  }
  Result<std::shared_ptr<Segment>> segment = Segment::Open(offer.memfd, offer.hello.capacity);
  if (!segment.ok()) {
    ++news->num_refused;
    if (segment.status().code() != StatusCode::kInvalidArgument) news->trouble = segment.status();
    return true;
  }
  news->guests.push_back({offer.hello, std::move(segment).value(), Doorbell(std::move(pending->socket))});
  return true;
}

Reception::News Reception::Look(int64_t now_ms) {
  News news;
  if (open_again_ms_ <= now_ms) news.trouble = WatchListener();
  LetIn(now_ms, &news);
  const auto is_done = [&](Pending& pending) { return Listen(&pending, now_ms, &news); };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_done), pending_.end());
  return news;
}

int64_t Reception::next_look_ms() const {
  return pending_.empty() ? open_again_ms_ : std::min(open_again_ms_, pending_.front().deadline_ms);
}

}  // namespace ps
