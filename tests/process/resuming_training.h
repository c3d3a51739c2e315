// Training that goes on with what the servers have, whoever was killed and started again
// (PS_ON_NODE_LOST=wait).
#ifndef PS_TESTS_PROCESS_RESUMING_TRAINING_H_
#define PS_TESTS_PROCESS_RESUMING_TRAINING_H_

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/process/push_stream.h"
#include "tests/process/trainer_server.h"

namespace ps_test {

// Each push to a key is numbered: its values are its number. Applies the next number of a key, knows what it
// has applied already, and refuses a number that leaves one out, for that one was acknowledged and is lost.
// What is applied is in a file first, and the next server with the path begins with it.
class NumberedServer : public TrainerServer {
 public:
  explicit NumberedServer(const std::string& path) {
    std::ifstream kept(path);
    for (ps::Key key = 0, number = 0; kept >> key >> number;) applied_[key] = static_cast<int>(number);
    file_.open(path, std::ios::app);
    Serve([this](const ps::KVMeta& meta, const Data& data) { Handle(meta, data); });
  }

  // `worker 0: applied 12, again 1`: its keys begin with the rank of the worker. `again` counts since the
  // start of this process.
  void SayCounts() {
    const ps::Key begin = ps::Postoffice::Get()->GetServerKeyRanges()[ps::MyRank()].begin();
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, number] : applied_) {
      Say("worker " + std::to_string(key - begin) + ": applied " + std::to_string(number) + ", again " +
          std::to_string(again_[key]));
    }
  }

 private:
  void Handle(const ps::KVMeta& meta, const Data& data) {
    if (meta.push) {
      const size_t width = data.vals.size() / data.keys.size();
      for (size_t i = 0; i < data.keys.size(); ++i) {
        const ps::Status applied = Apply(data.keys[i], static_cast<int>(data.vals[i * width]));
        if (!applied.ok()) return server_.Fail(meta, applied);
      }
    }
    Data answer;
    if (meta.pull) {
      answer.keys = data.keys;
      answer.vals = ps::SArray<float>(data.keys.size() * kValuesPerKey);
      for (size_t i = 0; i < answer.vals.size(); ++i)
        answer.vals[i] = static_cast<float>(applied_[data.keys[i / kValuesPerKey]]);
    }
    server_.Response(meta, answer);
  }

  ps::Status Apply(ps::Key key, int number) {
    int& last = applied_[key];
    if (number <= last) return ++again_[key], ps::Status::Ok();
    if (number != last + 1) {
      return ps::Status::InvalidArgument("push " + std::to_string(number) + " comes after " +
                                         std::to_string(last) + ": what is between them is lost");
    }
    file_ << key << ' ' << number << std::endl;
    last = number;
    return ps::Status::Ok();
  }

  std::ofstream file_;
  std::map<ps::Key, int> applied_;  // the last number
  std::map<ps::Key, int> again_;    // how many were there already
};

// One worker: so many rounds of three pushes at once to every server, each round ended together with the
// other workers. It knows nothing but what the servers have, so that one that takes the place of another
// goes on where that was.
class ResumingWorker {
 public:
  static constexpr int kPushesPerRound = 3;

  explicit ResumingWorker(ps::KVWorker<float>* kv) : kv_(kv) {}

  ps::Status Run(int rounds) {
    try {
      Look();
      const int total = rounds * kPushesPerRound;
      while (Least(ps::MyRank()) < total) {
        const int round = Least(ps::MyRank()) / kPushesPerRound;
        Push(round);
        Meet(round);
      }
    } catch (const ps::Error& error) {
      return error.status();
    }
    return ps::Status::Ok();
  }

 private:
  static constexpr int kMeetMs = 300;
  static constexpr double kPatienceMs = 20000;

  static ps::Key KeyOf(int server, int worker) {
    return ps::Postoffice::Get()->GetServerKeyRanges()[server].begin() + static_cast<ps::Key>(worker);
  }

  // What the servers have of everybody.
  void Look() {
    std::vector<ps::Key> keys;
    for (int server = 0; server < ps::NumServers(); ++server) {
      for (int worker = 0; worker < ps::NumWorkers(); ++worker) keys.push_back(KeyOf(server, worker));
    }
    std::vector<float> values;
    kv_->Wait(kv_->Pull(keys, &values));
    CHECK_EQ(values.size(), keys.size() * kValuesPerKey);
    for (size_t i = 0; i < keys.size(); ++i) applied_[keys[i]] = static_cast<int>(values[i * kValuesPerKey]);
  }

  // The last push of the worker that all servers have.
  int Least(int worker) {
    int least = applied_[KeyOf(0, worker)];
    for (int server = 1; server < ps::NumServers(); ++server)
      least = std::min(least, applied_[KeyOf(server, worker)]);
    return least;
  }

  // Without what a server has from before.
  void Push(int round) {
    std::vector<int> pushed;
    for (int i = 1; i <= kPushesPerRound; ++i) {
      const int number = round * kPushesPerRound + i;
      std::vector<ps::Key> keys;
      for (int server = 0; server < ps::NumServers(); ++server) {
        if (applied_[KeyOf(server, ps::MyRank())] < number) keys.push_back(KeyOf(server, ps::MyRank()));
      }
      const std::vector<float> values(keys.size() * kValuesPerKey, static_cast<float>(number));
      if (!keys.empty()) pushed.push_back(kv_->Push(keys, values));
    }
    for (int timestamp : pushed) kv_->Wait(timestamp);
  }

  // Until all workers have pushed this round. One that was killed in the barrier can not know whether it was
  // over: who waits for it there looks again after a moment, and one barrier more does no harm.
  void Meet(int round) {
    const double began_ms = NowMs();
    do {
      const ps::Status met = ps::Postoffice::Get()->TryBarrier(0, ps::kWorkerGroup, kMeetMs);
      const bool is_late = met.code() == ps::StatusCode::kDeadlineExceeded &&
                           met.message().find("missing worker ") != std::string::npos;
      if (!met.ok() && !is_late) throw ps::Error(met);
      if (NowMs() - began_ms > kPatienceMs) throw ps::Error(met);
      Look();
    } while (!AllAreThrough(round));
  }

  bool AllAreThrough(int round) {
    for (int worker = 0; worker < ps::NumWorkers(); ++worker) {
      if (Least(worker) < (round + 1) * kPushesPerRound) return false;
    }
    return true;
  }

  ps::KVWorker<float>* const kv_;
  std::map<ps::Key, int> applied_;
};

// `resume <rounds> <file>`: servers keep what they have in files that begin with that name.
inline ps::Status Resume(const Arguments& arguments) {
  if (ps::IsServer()) {
    NumberedServer server(arguments.at(1) + std::to_string(ps::MyRank()));
    const ps::Status ended = ps::TryFinalize(0, true);
    server.SayCounts();
    return ended;
  }
  ps::Status outcome;
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    outcome = ResumingWorker(&kv).Run(std::stoi(arguments.at(0)));
  }
  const ps::Status ended = ps::TryFinalize(0, outcome.ok());
  return outcome.ok() ? ended : outcome;
}

}  // namespace ps_test

#endif  // PS_TESTS_PROCESS_RESUMING_TRAINING_H_
