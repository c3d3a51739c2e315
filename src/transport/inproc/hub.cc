#include "transport/inproc/hub.h"

#include <algorithm>

#include "transport/inproc/pipe.h"

namespace ps {
namespace {

constexpr int kFirstPort = 10001;
constexpr int kLastPort = 65535;

}  // namespace

ReturnPath Hub::Register(std::weak_ptr<Inbox> inbox) {
  MutexLock lock(mutex_);
  const ReturnPath name = std::to_string(++last_name_);
  names_[name] = std::move(inbox);
  return name;
}

void Hub::Unregister(const ReturnPath& name) {
  MutexLock lock(mutex_);
  names_.erase(name);
}

std::shared_ptr<Inbox> Hub::FindByName(const ReturnPath& name) {
  MutexLock lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second.lock();
}

Result<Address> Hub::Bind(const Address& where, std::shared_ptr<Inbox> inbox) {
  Address address = where;
  std::vector<std::weak_ptr<Pipe>> waiting;
  {
    MutexLock lock(mutex_);
    if (address.port == 0) address.port = FreePort(where.host);
    if (address.port == 0)
      return Status::Unavailable("cannot listen at " + where.ToString() + ": every port is taken");
    if (!bound_.emplace(Key(address.host, address.port), std::move(inbox)).second) {
      return Status::Unavailable("cannot listen at " + address.ToString() +
                                 ": Address already in use; choose another port, or 0 for any free one");
    }
    const auto found = waiters_.find(Key(address.host, address.port));
    if (found != waiters_.end()) {
      waiting.swap(found->second);
      waiters_.erase(found);
    }
  }
  for (const std::weak_ptr<Pipe>& waiter : waiting) {
    if (const std::shared_ptr<Pipe> pipe = waiter.lock()) pipe->OnPeerBound();
  }
  return address;
}

void Hub::Unbind(const Address& where) {
  std::shared_ptr<Inbox> last;  // goes after the lock
  MutexLock lock(mutex_);
  const auto found = bound_.find(Key(where.host, where.port));
  if (found == bound_.end()) return;
  last = std::move(found->second);
  bound_.erase(found);
}

bool Hub::IsBound(const Address& where) {
  MutexLock lock(mutex_);
  return bound_.count(Key(where.host, where.port)) != 0;
}

std::shared_ptr<Inbox> Hub::FindOrWait(const Address& where, std::weak_ptr<Pipe> waiter) {
  MutexLock lock(mutex_);
  const Key key(where.host, where.port);
  const auto found = bound_.find(key);
  if (found != bound_.end()) return found->second;
  std::vector<std::weak_ptr<Pipe>>& waiting = waiters_[key];
  waiting.erase(
      std::remove_if(waiting.begin(), waiting.end(), [](const auto& pipe) { return pipe.expired(); }),
      waiting.end());
  waiting.push_back(std::move(waiter));
  return nullptr;
}

int Hub::FreePort(const std::string& host) {
  for (int tries = 0; tries <= kLastPort - kFirstPort; ++tries) {
    last_port_ = last_port_ >= kLastPort ? kFirstPort : last_port_ + 1;
    if (bound_.count(Key(host, last_port_)) == 0) return last_port_;
  }
  return 0;
}

}  // namespace ps
