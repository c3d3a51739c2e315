// The server of the programs that lose nodes, and what both their ends share.
#ifndef PS_TESTS_PROCESS_TRAINER_SERVER_H_
#define PS_TESTS_PROCESS_TRAINER_SERVER_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
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

  // Until all workers from this rank on are done.
  void AwaitDone(int first_rank) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] {
      for (int rank = first_rank; rank < ps::NumWorkers(); ++rank) {
        if (done_.count(rank) == 0) return false;
      }
      return true;
    });
  }

 protected:
  using Data = ps::KVPairs<float>;

  TrainerServer() : server_(0) {
    static_cast<ps::SimpleApp&>(server_).set_request_handle(
        [this](const ps::SimpleData& request, ps::SimpleApp* app) {
          app->Response(request);
          std::lock_guard<std::mutex> lock(mutex_);
          done_.insert(ps::Postoffice::IDtoRank(request.sender));
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
  std::condition_variable changed_;
  std::set<int> done_;  // ranks; guarded by mutex_

 protected:
  ps::KVServer<float> server_;
};

// Bulk-synchronous: answers the n-th push of a worker when all workers have made their n-th, and adds them
// up.
class RoundServer : public TrainerServer {
 public:
  RoundServer() {
    Serve([this](const ps::KVMeta& meta, const Data& data) { Handle(meta, data); });
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
    while (EverybodyWaits()) {
      for (auto& [sender, metas] : waiting_) {
        server_.Response(metas.front());
        metas.pop_front();
      }
    }
  }

  bool EverybodyWaits() const {
    const auto has_one = [](const auto& entry) { return !entry.second.empty(); };
    return static_cast<int>(waiting_.size()) == ps::NumWorkers() &&
           std::all_of(waiting_.begin(), waiting_.end(), has_one);
  }

  ps::Status stopped_;
  std::map<int, std::deque<ps::KVMeta>> waiting_;  // by sender
  float sum_ = 0;
};

// Asynchronous: adds what is pushed to a key, one value per key, and answers at once.
class SumServer : public TrainerServer {
 public:
  SumServer() {
    Serve([this](const ps::KVMeta& meta, const Data& data) {
      Data answer;
      if (meta.pull) answer.keys = data.keys;
      for (size_t i = 0; i < data.keys.size(); ++i) {
        if (meta.push) sums_[data.keys[i]] += data.vals[i];
        if (meta.pull) answer.vals.push_back(sums_[data.keys[i]]);
      }
      server_.Response(meta, answer);
    });
  }

  // What has been applied, as `worker 0 has 12`: its keys begin with the rank of the worker.
  void SaySums() {
    const ps::Key begin = ps::Postoffice::Get()->GetServerKeyRanges()[ps::MyRank()].begin();
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, sum] : sums_)
      Say("worker " + std::to_string(key - begin) + " has " + std::to_string(static_cast<int64_t>(sum)));
  }

 private:
  std::map<ps::Key, float> sums_;
};

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_TRAINER_SERVER_H_
