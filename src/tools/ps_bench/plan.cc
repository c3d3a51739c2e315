#include "tools/ps_bench/plan.h"

#include <algorithm>
#include <utility>

#include "tools/ps_bench/collective_plan.h"
#include "tools/ps_bench/model_plan.h"

namespace ps::bench {
namespace {

constexpr double kKeyBytes = 12;  // a key of 64 bits and a float

std::string SizeText(size_t bytes) {
  return bytes >= (1u << 20) ? std::to_string(bytes >> 20) + " MB" : std::to_string(bytes >> 10) + " KB";
}

class Planner {
 public:
  explicit Planner(const Options& options) : options_(options), shm_(options.over_shm) {}

  std::vector<Measurement> Take() { return std::move(planned_); }

  void Latency() {
    const Figures count = {{"count", options_.quick ? 200 : 2000}};
    const double p50_bar = options_.is_inline ? 2 : 4;
    Measurement spinning = Work("latency", "latency", count);
    spinning.floor = shm_ ? FloorPlan{"spin-ping", count} : ZmqPing(count.at("count"), 64);
    spinning.lines = {
        Microseconds("pull 1 x 16: p50", "p50_us", shm_ ? Bar::AtMost(p50_bar) : Bar::RatioAtMost(1.5)),
        Microseconds("pull 1 x 16: mean", "mean_us", {}), Microseconds("pull 1 x 16: p99", "p99_us", {})};
    if (shm_) {
      spinning.lines.push_back({"pull 1 x 16: mean / own p50", "mean_per_p50", "", "", 1, 1, Bar::AtMost(2)});
    }
    Add(spinning);
    AddSleeping("sleeping (PS_SPIN_US=0)", {{"PS_SPIN_US", "0"}}, false, count);
    AddSleeping("beside a busy process", {}, true, count);
  }

  void Rate() {
    const double count = options_.quick ? 2000 : 20000;
    Measurement rate = Work("rate", "rate", {{"count", count}});
    rate.floor = Stream(128, 128 * count);
    const double bound = !shm_ ? 0.6 : options_.is_inline ? 3 : 1.5;
    rate.lines = {{"1-key pushes, window 256", "pushes_per_s", "messages_per_s", "M/s", 1e-6, 1e-6,
                   Bar::AtLeast(bound)}};
    Add(rate);
    rate.busy_neighbour = true;
    rate.lines[0].label += ", busy neighbour";
    rate.lines[0].bar = shm_ ? Bar::AtLeast(1) : Bar();
    Add(rate);
  }

  void Dense() {
    const double total = options_.quick ? 2 << 20 : 64 << 20;
    for (const char* operation : {"push", "pull", "push-pull"}) {
      for (const size_t bytes : {size_t{64} << 10, size_t{1} << 20, size_t{16} << 20}) {
        const double moved = std::max(total, 4.0 * static_cast<double>(bytes));
        Measurement dense =
            Work("dense", operation, {{"bytes", static_cast<double>(bytes)}, {"total_bytes", moved}});
        dense.floor = Stream(static_cast<double>(bytes), moved);
        dense.lines = {{std::string("dense ") + operation + " " + SizeText(bytes), "bytes_per_s",
                        "bytes_per_s", "GB/s", 1e-9, 1e-9, DenseBar(operation, bytes)}};
        if (!options_.quick || bytes < (16u << 20)) Add(dense);
      }
    }
    for (const size_t bytes : {size_t{64} << 10, size_t{1} << 20, size_t{16} << 20}) {
      if (shm_ && (!options_.quick || bytes < (16u << 20))) AddDenseBesideBusy(bytes, total);
    }
  }

  // Registered buffers into a handle that borrows.
  void Lent() {
    const double total = options_.quick ? 4 << 20 : 64 << 20;
    for (const size_t bytes : {size_t{1} << 20, size_t{16} << 20}) {
      if (options_.quick && bytes > (1u << 20)) continue;
      Measurement lent = Work("lent", "lent-push",
                              {{"bytes", static_cast<double>(bytes)}, {"total_bytes", total}, {"borrow", 1}});
      lent.floor = Stream(static_cast<double>(bytes), total);
      lent.lines = {{"lent push " + SizeText(bytes), "bytes_per_s", "bytes_per_s", "GB/s", 1e-9, 1e-9, {}},
                    {"lent push " + SizeText(bytes) + ": copied at the server", "copied_per_byte", "", "B/B",
                     1, 1, shm_ ? Bar::AtMost(0.001) : Bar()}};
      Add(lent);
    }
  }

  void Keys() {
    const double count = options_.quick ? 200000 : 10000000;
    Measurement keys = Work("keys", "keys", {{"count", count}});
    keys.floor = Stream(1 << 20, count * kKeyBytes);
    const std::string label = options_.quick ? "200 k sorted keys: " : "10 M sorted keys: ";
    for (const std::string operation : {"push", "pull"}) {
      keys.lines.push_back({label + operation, operation + "_keys_per_s", "bytes_per_s", "M/s", 1e-6,
                            1e-6 / kKeyBytes, shm_ ? Bar::AtLeast(80) : Bar()});
    }
    Add(keys);
  }

  void Store() {
    StoreRows();
    StoreDense();
    StoreSmall();
  }

  void KVStore() {
    const int count = options_.quick ? 200 : 10000;
    Measurement keys = Work("kvstore", "kv-keys", {{"count", count}});
    keys.job.servers = keys.job.workers = 2;
    const std::string label = "KVStore: " + std::to_string(count) + " x 64 floats, 2x2";
    keys.lines = {{label, "round_us", "", "ms", 1e-3, 1, Bar::AtMost(150)},
                  {label + ": messages sent", "messages_sent", "", "", 1, 1, Bar::AtMost(99)},
                  {label + ": messages received", "messages_received", "", "", 1, 1, Bar::AtMost(99)}};
    Add(keys);
    const double bytes = 4 << 20;
    const double total = (options_.quick ? 2 : 32) * bytes;
    for (const bool whole : {false, true}) {
      Figures settings = {{"bytes", bytes}, {"total_bytes", total}};
      if (whole) settings["slice_bytes"] = 0;
      Measurement sums = Work("kvstore", "kv-push-pull", settings);
      sums.job.workers = 1;
      sums.floor = {"add", {{"bytes", 16 << 20}, {"total_bytes", std::max(total, 32e6)}}};
      sums.lines = {{std::string("KVStore: push-pull 4 MB, ") + (whole ? "whole" : "in slices"),
                     "bytes_per_s", "bytes_per_s", "GB/s", 1e-9, 1e-9,
                     shm_ ? Bar::RatioAtLeast(0.5) : Bar()}};
      Add(sums);
    }
  }

  void Devices() {
    const Figures settings = {{"bytes", 4e6}, {"count", options_.quick ? 20 : 500}};
    Measurement reduce = Work("devices", "device-reduce", settings);
    reduce.floor = {"sum", settings};
    reduce.lines = {
        Microseconds("reduce of 4 simulated devices, 1 M floats", "p50_us", Bar::RatioAtMost(1.3))};
    Add(reduce);
  }

  void Collective() {
    for (const Measurement& measurement : CollectiveMeasurements(options_)) Add(measurement);
  }

  void Urgent() {
    const double bulk = options_.quick ? 4e6 : 64e6;
    Measurement urgent = Work("urgent", "urgent", {{"bulk_bytes", bulk}});
    urgent.floor = shm_ ? FloorPlan{"futex-ping", {}} : ZmqPing(options_.quick ? 50 : 500, 4096);
    urgent.lines = {{"urgent 4 KB pull behind " + std::to_string(static_cast<int>(bulk / 1e6)) + " MB",
                     "pull_us", "p50_us", "ms", 1e-3, 1e-3, Bar::AtMost(5)}};
    Add(urgent);
  }

  void Start() {
    AddStart(1, 1, Bar::AtMost(60));
    if (!options_.quick) AddStart(31, 32, Bar::AtMost(3000));
  }

  // In the process, and over the transport; the bars are what Multiverso takes, or less.
  void Tables() {
    for (const bool local : {true, false}) {
      Figures settings = {{"count", options_.quick ? 3 : 50}};
      if (local) settings["local"] = 1;
      Measurement tables = Work("tables", "tables", settings);
      const bool has_bars = local || shm_;
      const auto most = [&](double in_process, double between) {
        return has_bars ? Bar::AtMost(local ? in_process : between) : Bar();
      };
      const std::string label = local ? "tables in process: " : "tables: ";
      tables.lines = {{label + "Add of 1 M floats", "add_us", "", "ms", 1e-3, 1, most(2.8, 7.2)},
                      {label + "Get of 1 M floats", "get_us", "", "ms", 1e-3, 1, most(1.06, 3)},
                      {label + "Add of 10 floats", "small_add_us", "", "us", 1, 1, most(60, 30)},
                      {label + "Add of 10,000 rows of 50", "row_add_us", "", "ms", 1e-3, 1, most(10, 10)},
                      {label + "Add to keys", "key_adds_per_s", "", "M/s", 1e-6, 1, KeysBar(local)},
                      {label + "Get of keys", "key_gets_per_s", "", "M/s", 1e-6, 1, KeysBar(local)}};
      Add(tables);
    }
  }

  void Model() {
    for (const Measurement& measurement : ModelMeasurements(options_)) Add(measurement);
  }

  void Idle() {
    Measurement idle = Work("idle", "idle", {});
    idle.kind = Measurement::Kind::kIdle;
    idle.seconds = options_.quick ? 0.2 : 2;
    idle.floor = {"tick", {{"seconds", idle.seconds}}};
    idle.lines = {{"idle, busiest node", "cpu_percent", "cpu_percent", "% CPU", 1, 1, Bar::AtMost(0.2)}};
    Add(idle);
  }

  void Memory() {
    Measurement memory = Work("memory", "memory", {{"count", options_.quick ? 1000 : 10000}});
    memory.lines = {{"memory of an open request", "bytes_per_open_request", "", "B", 1, 1, Bar::AtMost(512)},
                    // Less than half a byte is what other threads' allocations differ by.
                    {"growth per finished request", "growth_per_request", "", "B", 1, 1, Bar::AtMost(0.5)}};
    Add(memory);
  }

  void Floors() {
    const double cache_bytes = 256 << 10;
    const double large = options_.quick ? 4 << 20 : 64 << 20;
    AddBytes("memcpy of 64 MB", "memcpy", 64 << 20, 4 * large);
    AddBytes("memcpy of 256 KB", "memcpy", cache_bytes, 4 * large);
    AddBytes("w += a, 16 MB of floats", "add", 16 << 20, 4 * large);
    AddPing("futex ping-pong", "futex-ping");
    AddPing("spinning ping-pong", "spin-ping");
    AddPing("TCP ping-pong", "tcp-ping");
    AddPing("DEALER/ROUTER ping-pong", "zmq-ping");
    for (const auto& [label, name] :
         {std::pair("TCP stream", "tcp-stream"), std::pair("ring", "ring"),
          std::pair("ring, cold source", "ring-cold"), std::pair("DEALER/ROUTER stream", "zmq-stream")}) {
      for (const size_t bytes : {size_t{64} << 10, size_t{1} << 20, size_t{16} << 20}) {
        if (options_.quick && bytes > (1u << 20)) continue;
        AddBytes(std::string(label) + ", " + SizeText(bytes), name, static_cast<double>(bytes), large);
      }
    }
    if (options_.quick) return;  // filling the table takes longer than all of the above
    AddFloor({"hash-update", {{"count", 500}}},
             {"hash table, 5 M rows, random keys", "keys_per_s", "", "M/s", 1e-6, 1, {}});
  }

 private:
  void Add(const Measurement& measurement) { planned_.push_back(measurement); }

  void StoreRows() {
    for (const int width : {1, 16}) {
      const bool is_adagrad = width != 1;
      Figures settings = {{"width", width},
                          {"rows", options_.quick ? 100000 : 5000000},
                          {"count", options_.quick ? 20 : 500}};
      if (is_adagrad) settings["adagrad"] = 1;
      Measurement rows = Work("store", "store-rows", settings);
      if (!options_.quick) rows.floor = {"hash-update", {{"count", 500}}};  // it takes long to fill
      const std::string label = is_adagrad ? "Adagrad, random rows of 16" : "add, random keys";
      rows.lines = {{"store: " + label, "rows_per_s", options_.quick ? "" : "keys_per_s", "M/s", 1e-6, 1e-6,
                     shm_ ? Bar::AtLeast(is_adagrad ? 3 : 12) : Bar()}};
      Add(rows);
    }
  }

  void StoreDense() {
    const double bytes = 4 << 20;
    const double total = (options_.quick ? 2 : 32) * bytes;
    for (const bool shared : {false, true}) {
      Figures settings = {{"bytes", bytes}, {"total_bytes", total}};
      if (shared) settings["shared"] = 1;
      Measurement sums = Work("store", "store-push-pull", settings);
      sums.floor = {"add", {{"bytes", 16 << 20}, {"total_bytes", std::max(total, 32e6)}}};
      sums.lines = {{std::string("store: push-pull 4 MB, BSP") + (shared ? ", from ps::Alloc" : ""),
                     "bytes_per_s", "bytes_per_s", "GB/s", 1e-9, 1e-9,
                     shm_ ? Bar::RatioAtLeast(0.5) : Bar()}};
      Add(sums);
    }
  }

  void StoreSmall() {
    const int count = options_.quick ? 200 : 10000;
    Measurement tables = Work("store", "store-tables", {{"count", count}});
    tables.job.servers = tables.job.workers = 2;
    const std::string label = "store: " + std::to_string(count) + " x 64 floats, 2x2";
    tables.lines = {{label, "round_us", "", "ms", 1e-3, 1, {}},
                    {label + ": messages sent", "messages_sent", "", "", 1, 1, {}},
                    {label + ": messages received", "messages_received", "", "", 1, 1, {}}};
    Add(tables);
    Measurement local = Work("store", "store-local", {{"count", options_.quick ? 3 : 50}});
    local.lines = {{"store in process: Add of 1 M floats", "add_us", "", "ms", 1e-3, 1, {}},
                   {"store in process: Get of 1 M floats", "get_us", "", "ms", 1e-3, 1, {}},
                   {"store in process: Add of 10 floats", "small_add_us", "", "us", 1, 1, {}}};
    Add(local);
  }

  Measurement Work(const std::string& row, const std::string& work, Figures settings) {
    Measurement measurement;
    measurement.row = row;
    if (options_.is_inline) settings["inline"] = 1;
    measurement.job = {options_.servers, options_.workers, options_.transport, work, settings, {}};
    return measurement;
  }

  // Against itself without spinning: what a third process takes must not be lost by spinning for it.
  void AddDenseBesideBusy(size_t bytes, double total) {
    const double moved = std::max(total, 4.0 * static_cast<double>(bytes));
    Measurement dense =
        Work("dense", "push", {{"bytes", static_cast<double>(bytes)}, {"total_bytes", moved}});
    dense.busy_neighbour = true;
    dense.floor_job = dense.job;
    dense.floor_job->variables = {{"PS_SPIN_US", "0"}};
    dense.lines = {{"dense push " + SizeText(bytes) + ", busy neighbour / its own PS_SPIN_US=0",
                    "bytes_per_s", "bytes_per_s", "GB/s", 1e-9, 1e-9, Bar::RatioAtLeast(0.7)}};
    Add(dense);
  }

  static FloorPlan ZmqPing(double count, double bytes) {
    return {"zmq-ping", {{"count", count}, {"bytes", bytes}}};
  }

  FloorPlan Stream(double bytes, double total_bytes) const {
    return {shm_ ? "ring" : "zmq-stream", {{"bytes", bytes}, {"total_bytes", total_bytes}}};
  }

  static LinePlan Microseconds(const std::string& label, const std::string& figure, Bar bar) {
    return {label, figure, "p50_us", "us", 1, 1, bar};
  }

  void AddSleeping(const std::string& how, const Child::Variables& variables, bool busy,
                   const Figures& count) {
    Measurement sleeping = Work("latency", "latency", count);
    sleeping.job.variables = variables;
    sleeping.busy_neighbour = busy;
    sleeping.floor = shm_ ? FloorPlan{"futex-ping", count} : ZmqPing(count.at("count"), 64);
    const Bar tail = shm_ ? Bar::RatioAtMost(6) : Bar();
    sleeping.lines = {Microseconds(how + ": p50", "p50_us", Bar::RatioAtMost(1.5)),
                      Microseconds(how + ": mean", "mean_us", tail),
                      Microseconds(how + ": p99", "p99_us", tail)};
    Add(sleeping);
  }

  static Bar KeysBar(bool local) { return local ? Bar::AtLeast(20) : Bar(); }

  Bar DenseBar(const std::string& operation, size_t bytes) const {
    if (operation == "push-pull") return {};
    if (!shm_) return Bar::RatioAtLeast(0.9);
    return Bar::RatioAtLeast(operation == "pull" && bytes > (1u << 20) ? 0.55 : 0.75);
  }

  void AddStart(int servers, int workers, Bar bar) {
    Measurement start = Work("start", "none", {});
    start.kind = Measurement::Kind::kStart;
    start.job.servers = servers;
    start.job.workers = workers;
    const int processes = 1 + servers + workers;
    start.floor = {"processes", {{"count", processes}}};
    start.lines = {{"start + finalize, " + std::to_string(processes) + " processes", "seconds", "seconds",
                    "ms", 1e3, 1e3, bar}};
    Add(start);
  }

  void AddFloor(const FloorPlan& floor, const LinePlan& line) {
    Measurement measurement;
    measurement.row = "floors";
    measurement.kind = Measurement::Kind::kFloor;
    measurement.floor = floor;
    measurement.lines = {line};
    Add(measurement);
  }

  void AddBytes(const std::string& label, const std::string& name, double bytes, double total_bytes) {
    AddFloor({name, {{"bytes", bytes}, {"total_bytes", std::max(total_bytes, 2 * bytes)}}},
             {label, "bytes_per_s", "", "GB/s", 1e-9, 1, {}});
  }

  void AddPing(const std::string& label, const std::string& name) {
    AddFloor({name, {{"count", options_.quick ? 200 : 2000}}},
             {label + ": p50", "p50_us", "", "us", 1, 1, {}});
  }

  const Options options_;
  const bool shm_;
  std::vector<Measurement> planned_;
};

using P = Planner;
using Row = std::pair<std::string, void (P::*)()>;

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {{"latency", &P::Latency}, {"rate", &P::Rate},
                                        {"dense", &P::Dense},     {"lent", &P::Lent},
                                        {"keys", &P::Keys},       {"store", &P::Store},
                                        {"kvstore", &P::KVStore}, {"tables", &P::Tables},
                                        {"devices", &P::Devices}, {"collective", &P::Collective},
                                        {"urgent", &P::Urgent},   {"start", &P::Start},
                                        {"idle", &P::Idle},       {"memory", &P::Memory},
                                        {"floors", &P::Floors},   {"model", &P::Model}};
  return rows;
}

}  // namespace

const std::vector<std::string>& RowNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& row : Rows()) all.push_back(row.first);
    return all;
  }();
  return names;
}

std::vector<Measurement> MeasurementsOf(const Options& options) {
  Planner planner(options);
  for (const Row& row : Rows()) {
    const bool wanted = std::find(options.rows.begin(), options.rows.end(), row.first) != options.rows.end();
    if (options.rows.empty() || wanted) (planner.*row.second)();
  }
  return planner.Take();
}

}  // namespace ps::bench
