#include "tests/support/table_program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace ps {
namespace {

using nlohmann::json;

bool Lists(const json& step, const char* name, std::size_t row) {
  if (!step.contains(name)) return false;
  const json& rows = step[name];
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

std::size_t ColsOf(const json& spec) { return spec.value("cols", std::size_t{1}); }

// Of a call about these rows, or, with null, all.
std::size_t SizeOfCall(const json& spec, const json& rows) {
  if (!rows.is_null()) return rows.size() * ColsOf(spec);
  if (spec.contains("size")) return spec["size"];
  return spec.value("rows", std::size_t{0}) * ColsOf(spec);
}

bool IsLong() {
  const char* const text = std::getenv("PS_TEST_LONG");
  return text != nullptr && std::string(text) == "1";
}

json RowsOf(const json& step) { return step.value("rows", json()); }

}  // namespace

std::vector<json> TableProgram::Read(const std::string& file) {
  const char* const root = std::getenv("PS_ROOT");
  const std::string path = std::string(root == nullptr ? "." : root) + "/tests/vectors/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no vectors at " + path);
  return json::parse(in).get<std::vector<json>>();
}

TableProgram::TableProgram(const json& vector, const Stores& stores, std::function<void()> after_step)
    : vector_(vector), stores_(stores), after_step_(std::move(after_step)) {}

std::vector<std::string> TableProgram::Run() {
  for (const json& spec : vector_.at("tables")) {
    for (std::size_t worker = 0; worker < stores_.size(); ++worker) {
      if (stores_[worker] != nullptr) tables_[{worker, spec.at("name")}] = stores_[worker]->Make(spec);
    }
  }
  after_step_();
  Steps(vector_.at("steps"), 0);
  tables_.clear();
  return failures_;
}

void TableProgram::Steps(const json& steps, std::size_t repetition) {
  for (const json& step : steps) {
    if (!step.contains("repeat")) {
      Step(step, repetition);
      continue;
    }
    const char* const times = IsLong() && step.contains("long_repeat") ? "long_repeat" : "repeat";
    for (std::size_t i = 0; i < step[times].get<std::size_t>(); ++i) Steps(step.at("steps"), i);
  }
}

void TableProgram::Step(const json& step, std::size_t repetition) {
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < stores_.size(); ++worker) {
    const bool is_its = stores_[worker] != nullptr && step.value("w", worker) == worker;
    if (is_its) threads.emplace_back([this, &step, worker, repetition] { Do({step, worker, repetition}); });
  }
  for (std::thread& thread : threads) thread.join();
  after_step_();
}

void TableProgram::Do(const Turn& turn) {
  const std::string part = turn.step.value("error", std::string());
  try {
    Call(turn);
  } catch (const std::exception& error) {
    if (part.empty() || std::string(error.what()).find(part) == std::string::npos) Fail(turn, error.what());
    return;
  }
  if (!part.empty()) Fail(turn, "did not fail");
}

void TableProgram::Call(const Turn& turn) {
  const json& step = turn.step;
  if (step.contains("flush")) return stores_[turn.worker]->Flush();
  if (step.contains("barrier")) return stores_[turn.worker]->Barrier();
  if (step.contains("end_get")) return EndRead(turn);
  for (const char* what : {"add", "add_async", "get", "begin_get", "leave"}) {
    if (!step.contains(what)) continue;
    AnyTable& table = *tables_.at({turn.worker, step[what]});
    const json& spec = SpecOf(step[what]);
    AnyTable::Call call;
    if (step.contains("rows")) call.ids = step["rows"].get<std::vector<std::int64_t>>();
    if (step.contains("lr")) call.add.learning_rate = step["lr"].get<double>();
    if (step.contains("momentum")) call.add.momentum = step["momentum"].get<double>();
    if (step.contains("add")) return table.Add(call, ValuesOf(turn, spec, step.at("values")));
    if (step.contains("add_async")) {
      table.AddAsync(call, ValuesOf(turn, spec, step.at("values")));
      return;
    }
    if (step.contains("leave")) return table.Leave();
    return Read(turn, table, spec);
  }
  throw std::runtime_error("a step that is none: " + step.dump());
}

void TableProgram::Read(const Turn& turn, AnyTable& table, const json& spec) {
  const json& step = turn.step;
  AnyTable::Call call;
  if (step.contains("rows")) call.ids = step["rows"].get<std::vector<std::int64_t>>();
  call.get.buffer = step.value("buffer", 0);
  std::vector<std::uint32_t> changed;
  if (step.contains("changed")) call.get.changed = &changed;
  std::vector<double> values(step.value("size", SizeOfCall(spec, RowsOf(step))), step.value("preset", 77.0));
  if (step.contains("begin_get")) {
    Begun begun{table.GetAsync(call, values), step["begin_get"], RowsOf(step)};
    const std::lock_guard<std::mutex> lock(mutex_);
    begun_[{turn.worker, step.at("as")}] = std::move(begun);
    return;
  }
  table.Get(call, &values);
  std::sort(changed.begin(), changed.end());
  if (step.contains("changed") && json(changed) != step["changed"])
    Fail(turn, "brought the rows " + json(changed).dump());
  Compare(turn, spec, values);
}

void TableProgram::EndRead(const Turn& turn) {
  Begun begun;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    begun = begun_.at({turn.worker, turn.step["end_get"]});
  }
  begun.pending.wait();
  begun.pending.wait();
  json step = turn.step;
  if (!begun.rows.is_null()) step["rows"] = begun.rows;
  Compare({step, turn.worker, turn.repetition}, SpecOf(begun.table), begun.pending.values());
}

const json& TableProgram::SpecOf(const std::string& name) const {
  for (const json& spec : vector_.at("tables")) {
    if (spec.at("name") == name) return spec;
  }
  throw std::runtime_error("no table " + name);
}

std::vector<double> TableProgram::ValuesOf(const Turn& turn, const json& spec, const json& values) const {
  const json& step = turn.step;
  const json rows = RowsOf(step);
  const std::size_t cols = ColsOf(spec);
  double scale = step.value("scale", 1.0);
  if (step.value("grows", false)) scale *= static_cast<double>(turn.repetition + 1);
  std::vector<double> all(step.value("size", SizeOfCall(spec, rows)));
  if (values.is_array()) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = values.at(i).get<double>() * scale;
    return all;
  }
  const double from = values.is_object() ? values.at("from").get<double>() : values.get<double>();
  const double by = values.is_object() ? values.at("step").get<double>() : 0;
  for (std::size_t i = 0; i < all.size(); i += cols) {
    const std::size_t place = i / cols;
    const std::size_t row = place < rows.size() ? rows[place].get<std::size_t>() : place;
    const double times = scale * (Lists(step, "double_rows", row) ? 2 : 1);
    for (std::size_t j = i; j < std::min(i + cols, all.size()); ++j)
      all[j] = (from + by * static_cast<double>(row * cols + j - i)) * times;
  }
  return all;
}

void TableProgram::Compare(const Turn& turn, const json& spec, const std::vector<double>& values) {
  if (!turn.step.contains("expect")) return;
  const std::vector<double> expected = ValuesOf(turn, spec, turn.step["expect"]);
  const double tolerance = turn.step.value("tol", 0.0);
  const bool is_f32 = spec.value("dtype", std::string("f32")) == "f32";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double want = is_f32 ? static_cast<double>(static_cast<float>(expected[i])) : expected[i];
    if (!(std::abs(values[i] - want) <= tolerance * std::abs(want)))
      return Fail(turn, "element " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
                            std::to_string(want));
  }
}

void TableProgram::Fail(const Turn& turn, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failures_.size() < 20)
    failures_.push_back(vector_.at("id").get<std::string>() + " worker " + std::to_string(turn.worker) +
                        ": " + turn.step.dump().substr(0, 200) + ": " + what);
}

}  // namespace ps
