// ps_bench: how fast the library is on this machine, beside what the machine itself can do.
//
// Every figure comes from a job of processes of its own, in turns with its floor (ps_floors), so that both
// see the same machine. This process starts them, keeps time and prints; it links the library for the nodes,
// which are this program again (`ps_bench node ...`, not for users).
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "ps/config.h"
#include "tools/ps_bench/measure.h"
#include "tools/ps_bench/node.h"
#include "tools/ps_bench/ping.h"
#include "tools/ps_bench/plan.h"
#include "tools/ps_bench/table.h"
#include "transport/factory.h"

namespace {

using ps::bench::Options;

constexpr int kUsage = 2;

int Refuse(const std::string& what) {
  std::fprintf(stderr, "ps_bench: %s\n", what.c_str());
  return kUsage;
}

bool Offers(const std::string& transport, std::string* why) {
  ps::Config config;
  config.van_type = transport;
  const auto factory = ps::MakeTransportFactory(config);
  *why = factory.status().message();
  return factory.ok();
}

// Others on the machine move every figure.
std::string LoadText() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return "";
  char text[80];
  std::snprintf(text, sizeof(text), "; load %.1f on %ld cores", load, sysconf(_SC_NPROCESSORS_ONLN));
  return text;
}

// Measures until all is done; a measurement that fails is told and the next one begins.
int MeasureAll(const Options& options) {
  const ps::bench::Interrupts interrupts;
  std::vector<ps::bench::Line> lines;
  bool failed = false;
  std::printf("transport %s, %d server(s), %d worker(s), %d pair(s)%s: median (min to max)\n%s\n",
              options.transport.c_str(), options.servers, options.workers, options.pairs, LoadText().c_str(),
              ps::bench::TableHead().c_str());
  for (const ps::bench::Measurement& measurement : ps::bench::MeasurementsOf(options)) {
    try {
      for (const ps::bench::Line& line : ps::bench::Measure(measurement, options.pairs, &interrupts)) {
        std::printf("%s\n", ps::bench::TableLine(line).c_str());
        lines.push_back(line);
      }
    } catch (const ps::bench::Interrupted& interrupted) {
      std::fprintf(stderr, "ps_bench: ended by signal %d\n", interrupted.signal());
      return 128 + interrupted.signal();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ps_bench: %s: %s\n", measurement.lines.front().label.c_str(), error.what());
      failed = true;
    }
    std::fflush(stdout);
  }
  if (!options.csv.empty()) ps::bench::WriteCsv(options.csv, lines, options);
  return failed ? 1 : 0;
}

int Bench(Options options) {
  std::string why;
  if (!Offers(options.transport, &why)) return Refuse("--transport " + options.transport + ": " + why);
  options.over_shm = options.transport == "shm" || (options.transport == "auto" && Offers("shm", &why));
  const std::string floors = ps::bench::ProgramBeside("ps_floors");
  if (access(floors.c_str(), X_OK) != 0)
    return Refuse("there is no " + floors + ", which measures the floors");
  signal(SIGPIPE, SIG_IGN);  // a node that has ended is told by what is read from it
  try {
    return MeasureAll(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ps_bench: %s\n", error.what());
    return 1;
  }
}

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--rows", options->rows, "what to measure, with commas between; all unless given")
      ->delimiter(',')
      ->check(CLI::IsMember(ps::bench::RowNames()));
  app->add_option("--transport", options->transport, "DMLC_PS_VAN_TYPE of the nodes")
      ->check(CLI::IsMember({"auto", "zmq", "shm"}))
      ->capture_default_str();
  app->add_option("--servers", options->servers, "servers of a job")->check(CLI::Range(1, 1000));
  app->add_option("--workers", options->workers, "workers of a job, which all measure at the same time")
      ->check(CLI::Range(1, 1000));
  app->add_option("--pairs", options->pairs, "turns of figure and floor that count")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_flag("--inline", options->is_inline, "request handles run on the receiving thread (kInline)");
  app->add_flag("--quick", options->quick,
                "one pair unless --pairs says more, small counts: a test of the tool");
  app->add_option("--csv", options->csv, "also writes the table to this file");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Measures this library on this machine, each figure in turns with what the machine itself can do, and "
      "prints both, their ratio, and the bar it has to meet.");
  app.require_subcommand(0, 1);
  Options options;
  AddOptions(&app, &options);
  ps::bench::PingOptions ping;
  CLI::App* const pinging =
      app.add_subcommand("ping", "round trips to the scheduler of a running job, which they do not join");
  pinging->add_option("--scheduler", ping.scheduler,
                      "HOST:PORT; DMLC_PS_ROOT_URI and DMLC_PS_ROOT_PORT unless given");
  pinging->add_option("--count", ping.count, "round trips")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  pinging->add_option("--timeout", ping.timeout_s, "seconds to wait for an answer")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  std::string work, settings;
  CLI::App* const node = app.add_subcommand("node", "")->group("");
  node->add_option("WORK", work)->required();
  node->add_option("SETTINGS", settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (node->parsed()) return ps::bench::RunNode(work, settings);
  if (pinging->parsed()) return ps::bench::Ping(ping);
  if (options.quick && app.count("--pairs") == 0) options.pairs = 1;
  return Bench(options);
}
