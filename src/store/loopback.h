#ifndef PS_STORE_LOOPBACK_H_
#define PS_STORE_LOOPBACK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/queue.h"
#include "base/thread.h"
#include "ps/user_shard.h"
#include "store/server_link.h"
#include "store/store_server_core.h"

namespace ps {

// The servers of a store inside this process, and the barrier of its workers: what a cluster is elsewhere.
class LoopbackServers : public UserShardHost {
 public:
  LoopbackServers(int num_servers, int num_workers, const StoreServerCore::Options& options);

  int num_servers() const { return static_cast<int>(servers_.size()); }
  int num_workers() const { return num_workers_; }
  StoreServerCore& server(int i) { return *servers_[static_cast<std::size_t>(i)]; }
  // With all of them, or none.
  void Register(const std::string& table, const std::string& code, const MakeUserShard& make) override;
  // Of those that have not left. -1: as long as in a cluster where nothing is set; 0: for ever.
  Status Barrier(std::int64_t timeout_ms);
  // kFailedPrecondition on a thread of theirs, which Leave waits for.
  Status CheckMayLeave() const;
  // It has ended: nobody waits for it any more. When this returns, nothing uses what it has lent.
  void Leave(int worker);

 private:
  bool AllHaveCome() const PS_REQUIRES(mutex_) { return num_waiting_ >= num_workers_ - num_left_; }
  void Release() PS_REQUIRES(mutex_);

  const int num_workers_;
  std::vector<std::unique_ptr<StoreServerCore>> servers_;
  Mutex mutex_;
  CondVar met_;
  int num_left_ PS_GUARDED_BY(mutex_) = 0;
  int num_waiting_ PS_GUARDED_BY(mutex_) = 0;
  std::uint64_t num_barriers_ PS_GUARDED_BY(mutex_) = 0;
};

// The link of one worker to them: a function call. What a message lends is used in place.
class LoopbackLink : public ServerLink {
 public:
  LoopbackLink(std::shared_ptr<LoopbackServers> servers, int worker);
  ~LoopbackLink() override { Close(); }

  int num_servers() const override { return servers_->num_servers(); }
  int num_workers() const override { return servers_->num_workers(); }
  int worker() const override { return worker_; }
  SentRequest Send(std::vector<Addressed>&& requests, std::shared_ptr<AnswerSink> sink) override;
  Status WaitUntil(const SentRequest& request, std::int64_t deadline_ms) override;
  Status CheckMayWait() override;
  bool Post(std::function<void()> code) override;
  void Close() override;
  Status Barrier(std::int64_t timeout_ms) override { return servers_->Barrier(timeout_ms); }

 private:
  class Pending;
  // What answers find, also after the link is gone.
  struct Open {
    Mutex mutex;
    CondVar finished;
    std::unordered_map<int, std::shared_ptr<Pending>> requests PS_GUARDED_BY(mutex);
  };

  class Turn;  // of one that sends

  const std::shared_ptr<LoopbackServers> servers_;
  const int worker_;
  const std::uint64_t incarnation_;
  const std::shared_ptr<Open> open_;
  Mutex mutex_;
  int next_timestamp_ PS_GUARDED_BY(mutex_) = 0;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
  int num_sending_ PS_GUARDED_BY(mutex_) = 0;
  CondVar all_sent_;
  // Of the thread, too, which may run out after the link where a continuation closes it.
  using Posted = BlockingQueue<std::function<void()>>;
  const std::shared_ptr<Posted> posted_ = std::make_shared<Posted>();
  std::unique_ptr<Thread> thread_ PS_GUARDED_BY(mutex_);  // made by the first Post
};

}  // namespace ps
#endif  // PS_STORE_LOOPBACK_H_
