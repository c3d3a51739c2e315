// A small training job in which nodes are lost: `trainer <scenario> [arguments]`. With PS_TEST_KILL=point[:n]
// in its environment the process is killed at that point of the protocol (base/test_point.h). Whatever fails
// is one line `error: ...`; then the node leaves in order, with exit code 1.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include "base/counters.h"
#include "ps/ps.h"
#include "tests/process/push_stream.h"
#include "tests/process/resuming_training.h"
#include "tests/process/sum_server.h"
#include "tests/process/trainer_server.h"
#include "tests/support/kill_point.h"
#include "tests/support/memory.h"
#include "van/van_core.h"

namespace {

using namespace ps_test;
using ps::Status;

constexpr int kEverybody = ps::kScheduler + ps::kServerGroup + ps::kWorkerGroup;

// One key per server; several chunks of PS_CHUNK_BYTES each.
std::vector<ps::Key> KeysOfAllServers() {
  std::vector<ps::Key> keys;
  for (const ps::Range& range : ps::Postoffice::Get()->GetServerKeyRanges()) keys.push_back(range.begin());
  return keys;
}

// Three pushes at once: they wait for each other's room.
void TrainRound(ps::KVWorker<float>* kv, int round) {
  constexpr int kPushes = 3;
  const std::vector<ps::Key> keys = KeysOfAllServers();
  const std::vector<float> ones(keys.size() * kValuesPerKey, 1);
  std::vector<int> pushed;
  for (int i = 0; i < kPushes; ++i) pushed.push_back(kv->Push(keys, ones));
  for (int timestamp : pushed) kv->Wait(timestamp);
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);
  std::vector<float> sums;
  kv->Wait(kv->Pull(keys, &sums));
  // What a worker has pushed before it was lost is unknown.
  const char* policy = ps::Environment::Get()->find("PS_ON_NODE_LOST");
  const bool shrinks = policy != nullptr && std::string(policy) == "shrink";
  const float expected = static_cast<float>(kPushes * (round + 1) * ps::NumWorkers());
  for (float sum : sums) CHECK(shrinks ? sum >= expected : sum == expected) << sum << " in round " << round;
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);
}

Status Train(ps::KVWorker<float>* kv, int rounds) {
  try {
    for (int round = 0; round < rounds; ++round) TrainRound(kv, round);
  } catch (const ps::Error& error) {
    return error.status();
  }
  return Status::Ok();
}

int End(const Status& outcome) {
  if (!outcome.ok()) Say("error: " + outcome.ToString());
  const Status ended = ps::TryFinalize(0, outcome.ok());
  if (!ended.ok()) Say("error: " + ended.ToString());
  Say("ended");
  return outcome.ok() && ended.ok() ? 0 : 1;
}

Status AwaitEverybody() { return ps::Postoffice::Get()->TryBarrier(0, kEverybody); }

bool IsMe(const Status& lost) {
  const std::string me = (ps::IsServer() ? "server " : "worker ") + std::to_string(ps::MyRank()) + " (id ";
  return lost.message().rfind(me, 0) == 0;
}

// The end of all nodes but workers: servers stay until the workers are done or lost.
int Accompany(TrainerServer* server, const std::function<void(const Status&)>& on_loss) {
  const Status outcome = AwaitEverybody();
  if (!outcome.ok()) {
    Say("noticed: " + outcome.ToString());
    on_loss(outcome);
    if (server != nullptr && !IsMe(outcome)) server->AwaitDone();
  }
  return End(outcome);
}

// The end of a worker.
int Leave(ps::KVWorker<float>* kv, Status outcome) {
  const Status told = TellServers(kv, kDone);
  if (outcome.ok()) outcome = told;
  if (outcome.ok()) outcome = AwaitEverybody();
  return End(outcome);
}

// `rounds <number>`: bulk-synchronous rounds. A server stays until the workers that
// survive have said that they are done.
int Rounds(const Arguments& arguments) {
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    return Leave(&kv, Train(&kv, std::stoi(arguments.at(0))));
  }
  if (!ps::IsServer()) return Accompany(nullptr, [](const Status&) {});
  RoundServer server;
  return Accompany(&server, [&](const Status& why) { server.Stop(why); });
}

// When a worker of `Stream` has pushed enough.
bool GoesOn(const Arguments& arguments, double began_ms, int rounds_after_loss) {
  constexpr double kPatienceMs = 30000;
  const std::string& mode = arguments.at(0);
  if (mode == "until") return NowMs() - began_ms < kPatienceMs && !std::filesystem::exists(arguments.at(1));
  const int number = std::stoi(arguments.at(1));
  if (mode == "seconds") return NowMs() - began_ms < 1000.0 * number;
  if (rounds_after_loss < number) return NowMs() - began_ms < kPatienceMs;
  // "fence": until something late was dropped.
  return mode == "fence" && NowMs() - began_ms < kPatienceMs &&
         ps::Postoffice::Get()->van()->core().counters().Get(ps::Counter::kRejectedStale) == 0;
}

double WallClockS() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

int StreamAsWorker(const Arguments& arguments) {
  ps::KVWorker<float> kv(0, 0);
  std::vector<PushStream> streams;
  for (int rank = 0; rank < ps::NumServers(); ++rank) streams.emplace_back(&kv, rank);
  const double began_ms = NowMs();
  const double wall_began_s = WallClockS();
  int rounds_after_loss = 0;
  for (int round = 0; GoesOn(arguments, began_ms, rounds_after_loss); ++round) {
    if (round == 100) Say("under way");
    for (PushStream& stream : streams) stream.Push();
    const bool lost =
        std::any_of(streams.begin(), streams.end(), [](const auto& stream) { return stream.lost(); });
    if (lost && rounds_after_loss++ == 0) Say("lost one");
  }
  for (PushStream& stream : streams) {
    Say(stream.Report());
    Say("longest_ms=" + std::to_string(stream.longest_ms()));
  }
  Say("wall clock moved by " + std::to_string(WallClockS() - wall_began_s - (NowMs() - began_ms) / 1000) +
      " s");
  Say("fenced=" +
      std::to_string(ps::Postoffice::Get()->van()->core().counters().Get(ps::Counter::kRejectedStale)));
  const Status barrier = ps::Postoffice::Get()->TryBarrier(0, ps::kWorkerGroup);
  Say("barrier: " + barrier.ToString());
  return Leave(&kv, barrier);
}

// `stream seconds|loss|fence|until <number> [<file>]`: each worker pushes to each server; so many seconds, or
// so many rounds after a server was lost (and, with `fence`, until something late of it was dropped); or
// until there is a file (in the place of the number). Servers keep what they have in files that begin with
// that name.
int Stream(const Arguments& arguments) {
  if (ps::IsWorker()) return StreamAsWorker(arguments);
  if (!ps::IsServer()) return Accompany(nullptr, [](const Status&) {});
  const bool keeps = arguments.size() > 2;
  SumServer server(keeps ? arguments[2] + std::to_string(ps::MyRank()) : "");
  const int code = Accompany(&server, [](const Status&) {});
  server.SaySums();
  return code;
}

// Pushes one value to each server so many times without waiting; then waits for all.
int FloodAsWorker(const Arguments& arguments) {
  ps::KVWorker<float> kv(0, 0);
  const int num_pushes = std::stoi(arguments.at(0));
  const std::vector<ps::Key> keys = KeysOfAllServers();
  const std::vector<float> ones(keys.size(), 1);
  std::vector<int> pushed;
  pushed.reserve(static_cast<size_t>(num_pushes));
  double longest_ms = 0;
  int64_t resident_kb = 0;
  for (int i = 0; i < num_pushes; ++i) {
    if (i == num_pushes / 5) resident_kb = ps::ResidentKb();
    if (i == num_pushes / 10) Say("under way");
    const double began_ms = NowMs();
    pushed.push_back(kv.Push(keys, ones));
    longest_ms = std::max(longest_ms, NowMs() - began_ms);
  }
  const int64_t grown_kb = ps::ResidentKb() - resident_kb;
  int failed = 0;
  Status last;
  for (int timestamp : pushed) {
    const Status outcome = kv.WaitFor(timestamp, std::chrono::minutes(1));
    if (outcome.ok()) continue;
    ++failed;
    last = outcome;
  }
  Say("longest_ms=" + std::to_string(longest_ms) + " grown_kb=" + std::to_string(grown_kb) +
      " failed=" + std::to_string(failed));
  Say("last: " + last.ToString());
  return Leave(&kv, last);
}

int Flood(const Arguments& arguments) {
  if (ps::IsWorker()) return FloodAsWorker(arguments);
  if (!ps::IsServer()) return Accompany(nullptr, [](const Status&) {});
  SumServer server("");
  return Accompany(&server, [](const Status&) {});
}

// `uneven barrier|leave`: worker r does 10 + 2 r rounds against a server that answers a round when all
// workers have pushed.
int Uneven(const Arguments& arguments) {
  const bool barrier = arguments.at(0) == "barrier";
  if (ps::IsServer()) {
    RoundServer server;
    const Status ended = ps::TryFinalize(0, true);
    Say("ended: " + ended.ToString());
    return ended.ok() ? 0 : 1;
  }
  Status outcome;
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    const std::vector<ps::Key> keys = KeysOfAllServers();
    for (int round = 0; round < 10 + 2 * ps::MyRank() && outcome.ok(); ++round) {
      const double began_ms = NowMs();
      outcome = kv.WaitFor(kv.Push(keys, std::vector<float>(keys.size() * kValuesPerKey, 1)),
                           std::chrono::minutes(1));
      if (!outcome.ok())
        Say("round " + std::to_string(round) + " after " + std::to_string(NowMs() - began_ms) +
            " ms: " + outcome.ToString());
    }
  }
  const Status ended = ps::TryFinalize(0, barrier || !ps::IsWorker());
  Say("ended: " + ended.ToString());
  return ended.ok() ? 0 : 1;
}

// `answers twice|never|throw`: a server whose handle does that; the worker waits for some pushes, not for the
// last.
int Answers(const Arguments& arguments) {
  const std::string how = arguments.at(0);
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    for (int i = 0; i < 3; ++i)
      Say("push: " + kv.WaitFor(kv.Push({1}, {1}), std::chrono::minutes(1)).ToString());
    kv.Push({1}, {1});
    const double began_ms = NowMs();
    const Status ended = ps::TryFinalize(0, true);
    Say("finalize_ms=" + std::to_string(NowMs() - began_ms));
    return ended.ok() ? 0 : 1;
  }
  if (!ps::IsServer()) return ps::TryFinalize(0, true).ok() ? 0 : 1;
  ps::KVServer<float> server(0);
  server.set_request_handle(
      [how](const ps::KVMeta& meta, const ps::KVPairs<float>&, ps::KVServer<float>* to) {
        if (how == "throw") throw std::runtime_error("no such shard");
        for (int i = 0; how == "twice" && i < 2; ++i) to->Response(meta);
      });
  return ps::TryFinalize(0, true).ok() ? 0 : 1;
}

// What a child of fork() can do with the node of its parent: nothing, and is told so.
int UseInChild(ps::KVWorker<float>* kv, int pushed) {
  Status issued;
  try {
    kv->Push({1}, {1});
  } catch (const ps::Error& error) {
    issued = error.status();
  }
  const Status outcomes[] = {issued, kv->WaitFor(pushed, std::chrono::minutes(1)), AwaitEverybody(),
                             ps::TryFinalize(0, true), ps::TryStart(1)};
  for (const Status& outcome : outcomes) Say("child: " + outcome.ToString());
  return 0;
}

// `fork _exit|exit|exec|use`: a worker forks between its pushes.
int Fork(const Arguments& arguments) {
  const std::string how = arguments.at(0);
  if (!ps::IsWorker()) {
    if (!ps::IsServer()) return Accompany(nullptr, [](const Status&) {});
    SumServer server("");
    return Accompany(&server, [](const Status&) {});
  }
  ps::KVWorker<float> kv(0, 0);
  PushStream stream(&kv, 0);
  for (int i = 0; i < 100; ++i) stream.Push();
  const int pushed = kv.Push({1}, {1});
  const pid_t child = fork();
  if (child == 0) {
    if (how == "_exit") _exit(7);
    if (how == "exit") std::exit(7);
    if (how == "exec") execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    return UseInChild(&kv, pushed), 7;
  }
  for (int i = 0; i < 100; ++i) stream.Push();
  int status = -1;
  waitpid(child, &status, 0);
  Say("child ended with " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  for (int i = 0; i < 100; ++i) stream.Push();
  Say(stream.Report());
  return Leave(&kv, Status::Ok());
}

// The first worker ends by an exception that nobody catches.
int Throw(const Arguments&) {
  if (ps::IsWorker() && ps::MyRank() == 0) throw std::runtime_error("the program's own fault");
  return End(AwaitEverybody());
}

int ResumeAndSay(const Arguments& arguments) {
  const Status outcome = Resume(arguments);
  Say(outcome.ok() ? "ended" : "error: " + outcome.ToString());
  return outcome.ok() ? 0 : 1;
}

const std::map<std::string, int (*)(const Arguments&)>& Scenarios() {
  static const std::map<std::string, int (*)(const Arguments&)> scenarios = {
      {"rounds", Rounds},   {"stream", Stream}, {"flood", Flood}, {"uneven", Uneven},
      {"answers", Answers}, {"fork", Fork},     {"throw", Throw}, {"resume", ResumeAndSay},
  };
  return scenarios;
}

}  // namespace

int main(int argc, char** argv) {
  const char* kill_at = std::getenv("PS_TEST_KILL");
  if (kill_at != nullptr) ps::KillAt(kill_at);
  const auto scenario = Scenarios().find(argc > 1 ? argv[1] : "");
  if (scenario == Scenarios().end()) return Say("trainer: unknown scenario"), 2;
  const Status started = ps::TryStart(0);
  if (!started.ok()) return Say("error: " + started.ToString()), 1;
  if (ps::Postoffice::Get()->is_recovery()) Say("recovered as rank " + std::to_string(ps::MyRank()));
  Say("started");
  return scenario->second(Arguments(argv + 2, argv + argc));
}
