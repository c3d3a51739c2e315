// ps_floors NAME [FIGURES...]: one floor of the machine, measured each time a line "go" is read; the figures
// come as one line. ps_bench runs it beside its own figures; by hand:
//
//   echo go | ps_floors tcp-stream bytes=65536
//
// FIGURES: bytes= total_bytes= count= seconds= (floor.h). Two names are no floors: `nothing` ends at once,
// and `busy` keeps a core busy until it is ended.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/bench/floors/floor.h"
#include "tools/ps_bench/turns.h"

namespace ps::floors {
namespace {

using Make = std::unique_ptr<Floor> (*)(const Task&);

const std::map<std::string, Make>& AllFloors() {
  static const std::map<std::string, Make> floors = {
      {"memcpy", MakeMemcpy},        {"add", MakeAdd},
      {"sum", MakeSumLoop},          {"futex-ping", MakeFutexPing},
      {"spin-ping", MakeSpinPing},   {"tcp-ping", MakeTcpPing},
      {"tcp-stream", MakeTcpStream}, {"ring", MakeRing},
      {"ring-cold", MakeColdRing},   {"zmq-ping", MakeZmqPing},
      {"zmq-stream", MakeZmqStream}, {"hash-update", MakeHashUpdate},
      {"processes", MakeProcesses},  {"tick", MakeTick},
      {"exchange", MakeExchange}};
  return floors;
}

std::size_t SizeOf(const Figures& figures, const std::string& name, std::size_t otherwise) {
  const auto found = figures.find(name);
  return found == figures.end() ? otherwise : static_cast<std::size_t>(std::max(1.0, found->second));
}

Task TaskOf(const Figures& figures) {
  for (const auto& [name, value] : figures) {
    if (name != "bytes" && name != "total_bytes" && name != "count" && name != "seconds") {
      throw std::invalid_argument("there is no '" + name + "': use bytes, total_bytes, count, seconds");
    }
  }
  Task task;
  task.bytes = SizeOf(figures, "bytes", task.bytes);
  task.total_bytes = SizeOf(figures, "total_bytes", task.total_bytes);
  task.count = static_cast<int>(SizeOf(figures, "count", static_cast<std::size_t>(task.count)));
  if (figures.count("seconds") != 0) task.seconds = figures.at("seconds");
  return task;
}

[[noreturn]] void KeepBusy() {
  for (std::atomic<unsigned> turns{0};;) turns.fetch_add(1, std::memory_order_relaxed);
}

int Measure(const std::string& name, const std::string& figures) {
  if (name == "nothing") return 0;
  if (name == "busy") KeepBusy();
  const auto found = AllFloors().find(name);
  if (found == AllFloors().end()) throw std::invalid_argument("there is no floor '" + name + "'");
  const std::unique_ptr<Floor> floor = found->second(TaskOf(bench::ParseFigures(figures)));
  bench::TakeTurns([&floor] { return floor->Run(); });
  return 0;
}

int Usage() {
  std::fprintf(stderr, "usage: ps_floors NAME [bytes=N] [total_bytes=N] [count=N] [seconds=N]\nNAME:");
  for (const auto& [name, make] : AllFloors()) std::fprintf(stderr, " %s", name.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace
}  // namespace ps::floors

int main(int argc, char** argv) {
  if (argc < 2) return ps::floors::Usage();
  std::string figures;
  for (int i = 2; i < argc; ++i) figures += std::string(argv[i]) + " ";
  try {
    return ps::floors::Measure(argv[1], figures);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "ps_floors: %s\n", error.what());
    return ps::floors::Usage();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ps_floors: %s: %s\n", argv[1], error.what());
    return 1;
  }
}
