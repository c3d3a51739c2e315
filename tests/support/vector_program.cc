#include "tests/support/vector_program.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "ps/updater.h"
#include "tests/support/typed_values.h"

namespace ps {
namespace {

using nlohmann::json;

std::size_t NumRows(const TableSpec& spec, const json& step) {
  return step.contains("rows") ? step["rows"].size() : static_cast<std::size_t>(spec.rows);
}

// The values of a step, a single one repeated.
std::vector<char> BytesOf(const TableSpec& spec, const json& step, const char* name) {
  const std::size_t count = NumRows(spec, step) * static_cast<std::size_t>(spec.width);
  json values = step.at(name);
  if (values.is_string()) values = std::strtod(values.get<std::string>().c_str(), nullptr);  // "nan"
  std::vector<char> bytes;
  for (std::size_t i = 0; i < count; ++i)
    AppendAs(spec.dtype, values.is_array() ? values.at(i).get<double>() : values.get<double>(), &bytes);
  return bytes;
}

Consistency ConsistencyOf(const json& table) {
  const std::string mode = table.value("mode", "asp");
  if (mode == "bsp") return Consistency::Bsp(table.value("backup", 0));
  if (mode == "ssp") return Consistency::Ssp(table.value("bound", 0));
  return Consistency::Asp();
}

// A vector of a rule alone (updaters.json) as a program: each contribution is followed by a read of its
// worker.
json ProgramOf(const json& vector) {
  const UpdaterChoice choice = ParseUpdater(vector.at("updater").get<std::string>()).value();
  json table = {{"name", "t"},
                {"dtype", vector.value("dtype", "f32")},
                {"rows", vector.at("start").size()},
                {"updater", choice.name},
                {"options", choice.options}};
  json program = {
      {"id", vector.at("id")},           {"workers", vector.value("workers", 1)}, {"servers", 2},
      {"tol", vector.value("tol", 0.0)}, {"tables", json::array({table})},        {"steps", json::array()}};
  json& steps = program["steps"];
  steps.push_back({{"w", 0}, {"set", "t"}, {"values", vector.at("start")}});
  for (const json& step : vector.at("steps")) {
    const int worker = step.value("w", 0);
    steps.push_back({{"w", worker}, {"add", "t"}, {"values", step.at("add")}});
    steps.push_back({{"w", worker}, {"get", "t"}, {"expect", step.at("expect")}});
  }
  return program;
}

}  // namespace

std::vector<json> VectorProgram::Read(const std::string& file) {
  const char* const root = std::getenv("PS_ROOT");
  const std::string path = std::string(root == nullptr ? "." : root) + "/tests/vectors/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no vectors at " + path);
  std::vector<json> all = json::parse(in).get<std::vector<json>>();
  for (json& vector : all) {
    if (vector.contains("updater")) vector = ProgramOf(vector);
  }
  return all;
}

TableSpec VectorProgram::SpecOf(const json& table) {
  TableSpec spec;
  spec.name = table.at("name");
  spec.dtype = DTypeNamed(table.value("dtype", std::string("f32"))).value();
  spec.kind = table.value("hash", false) ? TableSpec::kHash : TableSpec::kDense;
  spec.rows = table.value("rows", 0);
  spec.width = table.value("width", 1);
  spec.updater = table.value("updater", std::string("add"));
  const json options = table.value("options", json::object());
  for (const auto& [name, value] : options.items()) spec.updater_options[name] = value.get<std::string>();
  spec.consistency = ConsistencyOf(table);
  spec.apply = table.value("merged", false) ? TableSpec::kMerged : TableSpec::kEach;
  spec.mean = table.value("mean", false);
  spec.multi_precision = table.value("multi_precision", false);
  spec.auto_close = table.value("auto_close", true);
  spec.push_codec.name = table.value("codec", std::string("none"));
  spec.push_codec.parameter = table.value("parameter", 0.0);
  spec.pull_codec.name = table.value("pull_codec", std::string("none"));
  spec.min_split = table.value("min_split", 0);
  if (table.contains("init")) spec.init = Init::Constant(table["init"]);
  return spec;
}

VectorProgram::VectorProgram(const json& vector, const Stores& stores, std::function<void()> after_step)
    : vector_(vector), stores_(stores), after_step_(std::move(after_step)) {}

std::vector<std::string> VectorProgram::Run() {
  for (const json& table : vector_.at("tables")) {
    const TableSpec spec = SpecOf(table);
    for (std::size_t worker = 0; worker < stores_.size(); ++worker) {
      if (stores_[worker] != nullptr)
        tables_[{static_cast<int>(worker), spec.name}] = {spec, stores_[worker]->Create(spec)};
    }
  }
  after_step_();
  for (const json& step : vector_.at("steps")) {
    Step(step);
    after_step_();
  }
  tables_.clear();
  return failures_;
}

void VectorProgram::Step(const json& step) {
  if (step.contains("pending") || step.contains("end_get")) return Wait(step);
  const auto worker = step.at("w").get<std::size_t>();
  if (stores_[worker] != nullptr) Call(step, static_cast<int>(worker));
}

void VectorProgram::Call(const json& step, int worker) {
  try {
    Do(step, worker);
  } catch (const Error& error) {
    const std::string part = step.value("error", std::string());
    if (part.empty() || std::string(error.what()).find(part) == std::string::npos) Fail(step, error.what());
    return;
  }
  if (step.contains("error")) Fail(step, "did not fail");
}

void VectorProgram::Do(const json& step, int worker) {
  if (step.contains("flush")) return stores_[static_cast<std::size_t>(worker)]->Flush();
  StepTable::Ids ids;
  if (step.contains("rows")) ids = step["rows"].get<std::vector<std::int64_t>>();
  const Opened* opened = nullptr;
  const auto is = [&](const char* what) {
    if (!step.contains(what)) return false;
    opened = &tables_.at({worker, step[what]});
    return true;
  };
  const auto values = [&] { return BytesOf(opened->spec, step, "values"); };
  const auto buffer = [&] {
    const TableSpec& spec = opened->spec;
    return std::vector<char>(NumRows(spec, step) * static_cast<std::size_t>(spec.width) * SizeOf(spec.dtype));
  };
  if (is("add")) return opened->table->Add(ids, values());
  if (is("add_async")) return opened->table->AddAsync(ids, values());
  if (is("set")) return opened->table->Set(ids, values());
  if (is("erase")) return opened->table->Erase(ids);
  if (is("close")) return opened->table->CloseRound();
  if (is("leave")) return opened->table->Leave();
  if (is("options")) return opened->table->SetOptions(step.at("text"), step.value("from", std::uint64_t{0}));
  if (is("get")) {
    std::vector<char> bytes = buffer();
    opened->table->Get(ids, &bytes);
    return Compare(step, opened->spec, bytes);
  }
  if (!is("begin_get")) throw std::runtime_error("a step that is none: " + step.dump());
  Pending& pending = pending_[step.at("as")];
  pending.table = opened->spec.name;
  pending.bytes = buffer();
  pending.read = opened->table->GetAsync(ids, &pending.bytes);
}

void VectorProgram::Wait(const json& step) {
  const bool ends = step.contains("end_get");
  const auto found = pending_.find(step.at(ends ? "end_get" : "pending"));
  if (found == pending_.end()) return;  // another process has it
  if (!ends) {
    if (found->second.read.done()) Fail(step, "is done already");
    return;
  }
  found->second.read.wait();
  for (const json& spec : vector_.at("tables")) {
    if (spec.at("name") == found->second.table) Compare(step, SpecOf(spec), found->second.bytes);
  }
  pending_.erase(found);
}

void VectorProgram::Compare(const json& step, const TableSpec& spec, const std::vector<char>& bytes) {
  if (!step.contains("expect")) return;
  const json& expected = step["expect"];
  const std::size_t size = SizeOf(spec.dtype);
  const double tolerance = step.value("tol", vector_.value("tol", 0.0));
  for (std::size_t i = 0; i * size < bytes.size(); ++i) {
    const double want = expected.is_array() ? expected.at(i).get<double>() : expected.get<double>();
    const double have = ValueAt(spec.dtype, bytes.data() + i * size);
    const bool is_right =
        tolerance == 0 ? have == want : std::abs(have - want) <= tolerance * std::abs(want) + 1e-12;
    if (!is_right) return Fail(step, "element " + std::to_string(i) + " is " + std::to_string(have));
  }
}

void VectorProgram::Fail(const json& step, const std::string& what) {
  failures_.push_back(vector_.at("id").get<std::string>() + ": " + step.dump() + ": " + what);
}

}  // namespace ps
