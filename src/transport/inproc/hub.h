#ifndef PS_TRANSPORT_INPROC_HUB_H_
#define PS_TRANSPORT_INPROC_HUB_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/mutex.h"
#include "ps/status.h"
#include "transport/transport.h"

namespace ps {

class Inbox;
class Pipe;

// The network of inproc transports: a name space of addresses. Every cluster of a process has a hub of its
// own, so that equal addresses of different clusters never meet. Costs nothing per endpoint but its entry;
// has no thread. Thread-safe; shared by its transports.
class Hub {
 public:
  // A name for an inbox that replies can be sent to; never used twice.
  ReturnPath Register(std::weak_ptr<Inbox> inbox) PS_EXCLUDES(mutex_);
  void Unregister(const ReturnPath& name) PS_EXCLUDES(mutex_);
  // Null when nobody has (or has any more) this name.
  std::shared_ptr<Inbox> FindByName(const ReturnPath& name) PS_EXCLUDES(mutex_);

  // Lets `inbox` listen at `where`, port 0 at the next free port of the host, and flushes the pipes that wait
  // for the address. The host is free text. Errors: kUnavailable when the address is taken.
  Result<Address> Bind(const Address& where, std::shared_ptr<Inbox> inbox) PS_EXCLUDES(mutex_);
  void Unbind(const Address& where) PS_EXCLUDES(mutex_);
  bool IsBound(const Address& where) PS_EXCLUDES(mutex_);

  // Who listens at `where`. If nobody does, `waiter` is flushed once when somebody begins to.
  std::shared_ptr<Inbox> FindOrWait(const Address& where, std::weak_ptr<Pipe> waiter) PS_EXCLUDES(mutex_);

 private:
  using Key = std::pair<std::string, int>;

  // 0 when every port of `host` is taken.
  int FreePort(const std::string& host) PS_REQUIRES(mutex_);

  Mutex mutex_;  // innermost but for an inbox's: a pipe's lock may be held, none is taken under it
  std::map<Key, std::shared_ptr<Inbox>> bound_ PS_GUARDED_BY(mutex_);
  std::map<Key, std::vector<std::weak_ptr<Pipe>>> waiters_ PS_GUARDED_BY(mutex_);
  std::map<ReturnPath, std::weak_ptr<Inbox>> names_ PS_GUARDED_BY(mutex_);
  uint64_t last_name_ PS_GUARDED_BY(mutex_) = 0;
  int last_port_ PS_GUARDED_BY(mutex_) = 10000;
};

}  // namespace ps
#endif  // PS_TRANSPORT_INPROC_HUB_H_
