// A small training job in which nodes are lost: `trainer <scenario> [arguments]`. With PS_TEST_KILL=point[:n]
// in its environment the process is killed at that point of the protocol (base/test_point.h). Whatever fails
// is one line `error: ...`; then the node leaves in order, with exit code 1.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>

#include "ps/ps.h"
#include "tests/process/trainer_server.h"
#include "tests/support/kill_point.h"

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
  for (float sum : sums) CHECK_EQ(sum, static_cast<float>(kPushes * (round + 1) * ps::NumWorkers()));
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

// `rounds <number> <first surviving worker>`: bulk-synchronous rounds. A server stays until the workers that
// survive have said that they are done.
int Rounds(const Arguments& arguments) {
  const Status started = ps::TryStart(0);
  if (!started.ok()) return Say("error: " + started.ToString()), 1;
  Say("started");
  if (ps::IsWorker()) {
    ps::KVWorker<float> kv(0, 0);
    Status outcome = Train(&kv, std::stoi(arguments.at(0)));
    const Status told = TellServers(&kv, kDone);
    if (outcome.ok()) outcome = told;
    if (outcome.ok()) outcome = ps::Postoffice::Get()->TryBarrier(0, kEverybody);
    return End(outcome);
  }
  if (!ps::IsServer()) return End(ps::Postoffice::Get()->TryBarrier(0, kEverybody));
  RoundServer server;
  const Status outcome = ps::Postoffice::Get()->TryBarrier(0, kEverybody);
  if (!outcome.ok()) {
    server.Stop(outcome);
    server.AwaitDone(std::stoi(arguments.at(1)));
  }
  return End(outcome);
}

const std::map<std::string, int (*)(const Arguments&)>& Scenarios() {
  static const std::map<std::string, int (*)(const Arguments&)> scenarios = {
      {"rounds", Rounds},
  };
  return scenarios;
}

}  // namespace

int main(int argc, char** argv) {
  const char* kill_at = std::getenv("PS_TEST_KILL");
  if (kill_at != nullptr) ps::KillAt(kill_at);
  const auto scenario = Scenarios().find(argc > 1 ? argv[1] : "");
  if (scenario == Scenarios().end()) return Say("trainer: unknown scenario"), 2;
  return scenario->second(Arguments(argv + 2, argv + argc));
}
