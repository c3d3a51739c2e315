// The server of the programs that lose nodes, and what both their ends share.
#ifndef PS_TESTS_PROCESS_TRAINER_SERVER_H_
#define PS_TESTS_PROCESS_TRAINER_SERVER_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ps/ps.h"

namespace ps_test {

using Arguments = std::vector<std::string>;

constexpr int kValuesPerKey = 3000;
constexpr int kDone = 1;  // command of a worker that will not ask for anything any more

inline void Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// Tells all servers, also when some of them are lost; their loss is the outcome then.
inline ps::Status TellServers(ps::SimpleApp* app, int command) {
  try {
    app->Wait(app->Request(command, "", ps::kServerGroup));
  } catch (const ps::Error& error) {
    return error.status();
  }
  return ps::Status::Ok();
}

// A server of floats that knows which workers are done.
class TrainerServer {
 public:
  virtual ~TrainerServer() = default;

  // Until every worker has said that it is done, or is lost.
  void AwaitDone() {
    std::unique_lock<std::mutex> lock(mutex_);
    // In the long form of R3 workers go on for a minute.
    const std::chrono::seconds length(std::getenv("PS_TEST_LONG") != nullptr ? 90 : 20);
    const auto patience = std::chrono::steady_clock::now() + length;
    while (!AllDone() && std::chrono::steady_clock::now() < patience) {
      changed_.wait_for(lock, std::chrono::milliseconds(20));  // nothing tells of a loss
    }
  }

 protected:
  using Data = ps::KVPairs<float>;

  TrainerServer() : server_(0) {
    static_cast<ps::SimpleApp&>(server_).set_request_handle(
        [this](const ps::SimpleData& request, ps::SimpleApp* app) {
          app->Response(request);
          std::lock_guard<std::mutex> lock(mutex_);
          done_.insert(request.sender);
          changed_.notify_all();
        });
  }
  // The last act of a derived constructor: from then on it is called, with mutex_ held.
  void Serve(const std::function<void(const ps::KVMeta&, const Data&)>& handle) {
    server_.set_request_handle(
        [this, handle](const ps::KVMeta& meta, const Data& data, ps::KVServer<float>*) {
          std::lock_guard<std::mutex> lock(mutex_);
          handle(meta, data);
        });
  }

  std::mutex mutex_;

 private:
  bool AllDone() const {
    std::set<int> gone = done_;
    for (int id : ps::Postoffice::Get()->GetDeadNodes()) gone.insert(id);
    for (int id : ps::Postoffice::Get()->GetNodeIDs(ps::kWorkerGroup)) {
      if (gone.count(id) == 0) return false;
    }
    return true;
  }

  std::condition_variable changed_;
  std::set<int> done_;  // node ids; guarded by mutex_

 protected:
  ps::KVServer<float> server_;
};

// Bulk-synchronous: answers the n-th push of a worker when all workers have made their n-th, and adds them
// up.
class RoundServer : public TrainerServer {
 public:
  RoundServer() {
    Serve([this](const ps::KVMeta& meta, const Data& data) { Handle(meta, data); });
    watch_ = std::thread([this] { Watch(); });
  }
  ~RoundServer() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
      ended_changed_.notify_all();
    }
    watch_.join();
  }

  // A node is lost. Without a worker no round ends any more: what waits, and what comes, fails with the
  // reason.
  void Stop(const ps::Status& why) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (why.message().find("scheduler") != std::string::npos) return;  // training goes on without it
    stopped_ = why;
    for (auto& [sender, metas] : waiting_) {
      for (const ps::KVMeta& meta : metas) server_.Fail(meta, why);
      metas.clear();
    }
  }

 private:
  void Handle(const ps::KVMeta& meta, const Data& data) {
    if (!stopped_.ok()) return server_.Fail(meta, stopped_);
    if (meta.pull) {
      Data answer;
      answer.keys = data.keys;
      answer.vals = ps::SArray<float>(kValuesPerKey, sum_);
      return server_.Response(meta, answer);
    }
    waiting_[meta.sender].push_back(meta);
    sum_ += data.vals.front();
    EndRounds();
  }

  // Under PS_ON_NODE_LOST=shrink a round ends without the lost, and nothing else tells of them.
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ended_) {
      ended_changed_.wait_for(lock, std::chrono::milliseconds(20));
      EndRounds();
    }
  }

  void EndRounds() {
    const std::vector<int> workers = ps::Postoffice::Get()->GetNodeIDs(ps::kWorkerGroup);
    const auto waits = [this](int id) { return !waiting_[id].empty(); };
    while (!workers.empty() && std::all_of(workers.begin(), workers.end(), waits)) {
      for (int id : workers) {
        server_.Response(waiting_[id].front());
        waiting_[id].pop_front();
      }
    }
  }

  ps::Status stopped_;
  std::map<int, std::deque<ps::KVMeta>> waiting_;  // by sender
  float sum_ = 0;
  bool ended_ = false;
  std::condition_variable ended_changed_;
  std::thread watch_;
};

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_TRAINER_SERVER_H_
