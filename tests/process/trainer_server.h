// The server of the programs that lose nodes, and what both their ends share.
#ifndef PS_TESTS_PROCESS_TRAINER_SERVER_H_
#define PS_TESTS_PROCESS_TRAINER_SERVER_H_

#include <condition_variable>
#include <cstdio>
#include <deque>
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

// Bulk-synchronous: answers the n-th push of a worker when all workers have made their n-th, and adds them
// up.
class RoundServer {
 public:
  RoundServer() : server_(0) {
    static_cast<ps::SimpleApp&>(server_).set_request_handle(
        [this](const ps::SimpleData& request, ps::SimpleApp* app) {
          app->Response(request);
          std::lock_guard<std::mutex> lock(mutex_);
          done_.insert(ps::Postoffice::IDtoRank(request.sender));
          changed_.notify_all();
        });
    server_.set_request_handle([this](const ps::KVMeta& meta, const ps::KVPairs<float>& data,
                                      ps::KVServer<float>*) { Handle(meta, data); });
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

 private:
  void Handle(const ps::KVMeta& meta, const ps::KVPairs<float>& data) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!stopped_.ok()) return server_.Fail(meta, stopped_);
    if (meta.pull) {
      ps::KVPairs<float> answer;
      answer.keys = data.keys;
      answer.vals = ps::SArray<float>(kValuesPerKey, sum_);
      return server_.Response(meta, answer);
    }
    waiting_[meta.sender].push_back(meta);
    sum_ += data.vals.front();
    const auto has_one = [](const auto& entry) { return !entry.second.empty(); };
    while (static_cast<int>(waiting_.size()) == ps::NumWorkers() &&
           std::all_of(waiting_.begin(), waiting_.end(), has_one)) {
      for (auto& [sender, metas] : waiting_) {
        server_.Response(metas.front());
        metas.pop_front();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  ps::Status stopped_;                             // guarded by mutex_
  std::set<int> done_;                             // ranks; guarded by mutex_
  std::map<int, std::deque<ps::KVMeta>> waiting_;  // by sender; guarded by mutex_
  float sum_ = 0;                                  // guarded by mutex_
  ps::KVServer<float> server_;
};

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_TRAINER_SERVER_H_
