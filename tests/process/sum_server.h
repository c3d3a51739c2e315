// The asynchronous server of the programs that lose nodes.
#ifndef PS_TESTS_PROCESS_SUM_SERVER_H_
#define PS_TESTS_PROCESS_SUM_SERVER_H_

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include "tests/process/trainer_server.h"

namespace ps_test {

// Asynchronous: adds what is pushed to a key, one value per key, and answers at once.
class SumServer : public TrainerServer {
 public:
  // With a path: what is applied is in that file first, and the next server with the path begins with it.
  explicit SumServer(const std::string& path) : path_(path) {
    std::ifstream kept(path_);
    for (ps::Key key = 0, pushed = 0; kept >> key >> pushed;) sums_[key] += static_cast<float>(pushed);
    if (!path_.empty()) file_.open(path_, std::ios::app);
    Serve([this](const ps::KVMeta& meta, const Data& data) {
      Data answer;
      if (meta.pull) answer.keys = data.keys;
      for (size_t i = 0; i < data.keys.size(); ++i) {
        if (meta.push) Add(data.keys[i], data.vals[i]);
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
  void Add(ps::Key key, float value) {
    if (!path_.empty()) file_ << key << ' ' << static_cast<int64_t>(value) << std::endl;
    sums_[key] += value;
  }

  const std::string path_;
  std::ofstream file_;
  std::map<ps::Key, float> sums_;
};

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_SUM_SERVER_H_
