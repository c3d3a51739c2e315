// What the process tests start as scheduler, server or worker: `node <scenario> [arguments]`. A failure is
// one line and exit code 1.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <map>

#include "ps/ps.h"
#include "tests/support/memory.h"

namespace {

using Arguments = std::vector<std::string>;
using Values = std::vector<float>;

double NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

void Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// The tests tell a node to go on by SIGUSR1, which main blocks before any thread exists.
void AwaitSignal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  int received = 0;
  sigwait(&set, &received);
}

void BuildServer(int app_id = 0) {
  auto* server = new ps::KVServer<float>(app_id);
  server->set_request_handle(ps::KVServerDefaultHandle<float>());
  ps::RegisterExitCallback([server] { delete server; });
}

// Keys of all servers, different for each worker; values that sum up exactly.
void PushAndPull(ps::KVWorker<float>* kv, int rounds) {
  const int num_keys = 100;
  std::vector<ps::Key> keys;
  Values vals;
  for (int i = 0; i < num_keys; ++i) {
    keys.push_back(ps::kMaxKey / num_keys * static_cast<ps::Key>(i) + static_cast<ps::Key>(ps::MyRank()));
    vals.push_back(static_cast<float>(i));
  }
  for (int i = 0; i < rounds; ++i) kv->Wait(kv->Push(keys, vals));
  Values pulled;
  kv->Wait(kv->Pull(keys, &pulled));
  for (int i = 0; i < num_keys; ++i) CHECK_EQ(pulled[i], static_cast<float>(rounds) * vals[i]) << "key " << i;
  Say("sums exact");
}

// Start and Finalize, with the moments a test compares between processes.
void StartOnly(const Arguments&) {
  const double began = NowMs();
  ps::Start(0);
  Say("started");
  ps::Postoffice::Get()->Barrier(0, ps::kScheduler + ps::kServerGroup + ps::kWorkerGroup);
  const double all_there = NowMs();
  ps::Finalize(0);
  const double ended = NowMs();
  char line[160];
  std::snprintf(line, sizeof(line), "began=%.3f ended=%.3f finalize_ms=%.3f", began, ended,
                ended - all_there);
  Say(line);
}

void KeyValues(const Arguments&) {
  ps::Start(0);
  if (ps::IsServer()) BuildServer();
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    PushAndPull(&kv, 20);
  }
  ps::Finalize(0);
}

// The worker is there until it gets SIGUSR1, then works.
void Hold(const Arguments&) {
  ps::Start(0);
  if (ps::IsServer()) BuildServer();
  Say("started as rank " + std::to_string(ps::MyRank()));
  if (ps::IsWorker()) {
    AwaitSignal();
    ps::KVWorker<float> kv(0, 0);
    PushAndPull(&kv, 3);
  }
  ps::Finalize(0);
}

// The server builds its KVServer when it gets SIGUSR1; the worker has pushed long before.
void LateServer(const Arguments&) {
  ps::Start(0);
  if (ps::IsServer()) {
    AwaitSignal();
    BuildServer();
  }
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    const int pushed = kv.Push({1, 2}, {1, 2});
    Say("pushed");
    kv.Wait(pushed);
    Values pulled;
    kv.Wait(kv.Pull({1, 2}, &pulled));
    CHECK_EQ(pulled[0] + pulled[1], 3);
    Say("sums exact");
  }
  ps::Finalize(0);
}

// A server that counts what it applies.
class CountingServer {
 public:
  CountingServer() : server_(0) {
    server_.set_request_handle(
        [this](const ps::KVMeta& meta, const ps::KVPairs<float>& data, ps::KVServer<float>* server) {
          server->Response(meta);
          std::lock_guard<std::mutex> lock(mutex_);
          ++count_;
          for (float value : data.vals) sum_ += value;
          changed_.notify_all();
        });
  }

  void AwaitCount(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(15), [&] { return count_ >= count; });
  }

  std::string Report() {
    std::lock_guard<std::mutex> lock(mutex_);
    return "applied " + std::to_string(count_) + ", sum " + std::to_string(static_cast<int64_t>(sum_));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;   // guarded by mutex_
  double sum_ = 0;  // guarded by mutex_
  ps::KVServer<float> server_;
};

// 200 pushes nobody waits for; `pushes leave` ends without the barrier.
void UnawaitedPushes(const Arguments& arguments) {
  const bool barrier = arguments.at(0) == "barrier";
  const int num_pushes = 200;
  ps::Start(0);
  if (ps::IsServer()) {
    CountingServer server;
    if (!barrier) server.AwaitCount(num_pushes * ps::NumWorkers());
    ps::Finalize(0, barrier);
    Say(server.Report());
    return;
  }
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    for (int i = 0; i < num_pushes; ++i) kv.Push({7}, {static_cast<float>(i)});
    ps::Finalize(0, barrier);
    return;
  }
  ps::Finalize(0, barrier);
}

// main returns without Finalize, on the workers or on all nodes.
void ReturnEarly(const Arguments& arguments) {
  ps::Start(0);
  if (ps::IsServer()) BuildServer();
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    kv.Wait(kv.Push({1}, {1}));
  }
  const bool all = arguments.at(0) == "all";
  if (all) ps::Postoffice::Get()->Barrier(0, ps::kScheduler + ps::kServerGroup + ps::kWorkerGroup);
  Say("returns");
  if (ps::IsWorker() || all) return;
  ps::Finalize(0);
}

// Customer ids 1 and 2 of one process; the other nodes have one id, given as argument where it is not 0.
void TwoIds(const Arguments& arguments) {
  if (!ps::IsWorker()) {
    const int id = arguments.empty() ? 0 : std::stoi(arguments[0]);
    ps::Start(id);
    if (ps::IsServer()) BuildServer();
    ps::Finalize(id);
    return;
  }
  const auto run = [](int id) {
    ps::Start(id);
    {
      ps::KVWorker<float> kv(0, id);
      PushAndPull(&kv, 5);
    }
    ps::Finalize(id);
  };
  std::thread first(run, 1);
  std::thread second(run, 2);
  first.join();
  second.join();
}

// The given role ends with code 3 as soon as all have started.
void Fail(const Arguments& arguments) {
  ps::Start(0);
  Say("started");
  if (std::getenv("DMLC_ROLE") == arguments.at(0)) std::_Exit(3);
  ps::Finalize(0);
}

// The obvious program, as often as the argument says: the server is built after Start, the worker pushes at
// once.
void Race(const Arguments& arguments) {
  const int times = arguments.empty() ? 1 : std::stoi(arguments[0]);
  int64_t before[3] = {};
  for (int i = 0; i < times; ++i) {
    if (i == times / 4) {
      malloc_trim(0);
      before[0] = ps::NumThreads();
      before[1] = ps::NumDescriptors();
      before[2] = ps::ResidentKb();
    }
    ps::Start(0);
    if (ps::IsServer()) BuildServer();
    if (ps::IsWorker()) {
      ps::KVWorker<float> kv(0, 0);
      kv.Wait(kv.Push({1, ps::kMaxKey}, {1, 2}));
    }
    ps::Finalize(0);
  }
  malloc_trim(0);
  Say("passed; since the first quarter threads=" + std::to_string(ps::NumThreads() - before[0]) +
      " descriptors=" + std::to_string(ps::NumDescriptors() - before[1]) +
      " kb=" + std::to_string(ps::ResidentKb() - before[2]));
}

// One value of so many bytes, pushed and pulled back; says what memory it took.
void LargeBlock(const Arguments& arguments) {
  const uint64_t num_values = std::stoull(arguments.at(0)) / sizeof(uint64_t);
  ps::Start(0);
  if (ps::IsServer()) {
    auto* server = new ps::KVServer<uint64_t>(0);
    auto* kept = new ps::KVPairs<uint64_t>;
    server->set_request_handle(
        [kept](const ps::KVMeta& meta, const ps::KVPairs<uint64_t>& data, ps::KVServer<uint64_t>* to) {
          if (meta.push) *kept = data;
          to->Response(meta, meta.pull ? *kept : ps::KVPairs<uint64_t>());
        });
    ps::RegisterExitCallback([server, kept] {
      delete server;
      delete kept;
    });
  }
  if (ps::IsWorker()) {
    ps::KVWorker<uint64_t> kv(0, 0);
    ps::SArray<uint64_t> vals(num_values, 0);
    for (uint64_t i = 0; i < num_values; ++i) vals[i] = i * 0x9E3779B97F4A7C15ULL;
    const double began = NowMs();
    kv.Wait(kv.ZPush({1}, vals));
    const double pushed = NowMs();
    for (uint64_t i = 0; i < num_values; ++i) vals[i] = ~vals[i];
    const double filled = NowMs();
    kv.Wait(kv.ZPull({1}, &vals));
    const double pulled = NowMs();
    for (uint64_t i = 0; i < num_values; ++i) CHECK_EQ(vals[i], i * 0x9E3779B97F4A7C15ULL) << "value " << i;
    Say("exact; push " + std::to_string(pushed - began) + " ms, pull " + std::to_string(pulled - filled) +
        " ms");
  }
  ps::Finalize(0);
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  Say("peak memory " + std::to_string(used.ru_maxrss / 1024) + " MiB");
}

// The server stops itself while it reads an array that the worker has lent.
void StopAmidALoan(const Arguments&) {
  ps::Start(0);
  auto* server = ps::IsServer() ? new ps::KVServer<float>(0) : nullptr;
  if (server != nullptr) {
    server->set_request_handle(
        [](const ps::KVMeta& req, const ps::KVPairs<float>&, ps::KVServer<float>* kv) {
          if (req.cmd == 1) raise(SIGSTOP);
          kv->Response(req);
        },
        ps::kBorrow);
  }
  if (!ps::IsWorker()) return ps::Finalize(0);
  ps::KVWorker<float> kv(0, 0);
  const ps::SArray<ps::Key> keys(1, 1);
  ps::SArray<float> lent = ps::Alloc<float>(100000);
  kv.Wait(kv.ZPush(keys, lent));
  const double began = NowMs();
  const ps::Status outcome = kv.WaitFor(kv.ZPush(keys, lent, {}, 1), std::chrono::seconds(60));
  Say("after " + std::to_string(NowMs() - began) + " ms: " + outcome.message());
  std::_Exit(0);
}

const std::map<std::string, void (*)(const Arguments&)>& Scenarios() {
  static const std::map<std::string, void (*)(const Arguments&)> scenarios = {
      {"start", StartOnly},
      {"kv", KeyValues},
      {"hold", Hold},
      {"late_server", LateServer},
      {"pushes", UnawaitedPushes},
      {"return", ReturnEarly},
      {"ids", TwoIds},
      {"fail", Fail},
      {"race", Race},
      {"large", LargeBlock},
      {"stop_amid_a_loan", StopAmidALoan},
  };
  return scenarios;
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const auto scenario = Scenarios().find(argc > 1 ? argv[1] : "");
  if (scenario == Scenarios().end()) {
    Say("node: unknown scenario");
    return 2;
  }
  try {
    scenario->second(Arguments(argv + 2, argv + argc));
  } catch (const std::exception& error) {
    Say(std::string("node: ") + error.what());
    return 1;
  }
  return 0;
}
