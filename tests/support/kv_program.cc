#include "tests/support/kv_program.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/typed_values.h"

namespace ps {
namespace {

using nlohmann::json;

// What stands at a place, or, a single one, for all.
const json& Pick(const json& step, const char* list, const char* one, std::size_t place) {
  return step.contains(list) ? step[list].at(place) : step.at(one);
}

double NumberOf(const json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}

Tensor Filled(const Shape& shape, DType dtype, const DeviceId& device, const json& values) {
  if (!values.is_array()) return Tensor::Full(shape, NumberOf(values), dtype, device);
  Tensor tensor = Tensor::Empty(shape, dtype, device);
  const auto size = static_cast<std::size_t>(tensor.view().size());
  std::vector<char> bytes;
  for (std::size_t i = 0; i < size; ++i) AppendAs(dtype, NumberOf(values.at(i)), &bytes);
  tensor.CopyFrom(bytes.data());
  return tensor;
}

Tensor AllRows(const Tensor& values) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(values.view().shape.at(0)));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  Tensor ids = Tensor::Empty({values.view().shape[0]}, DType::kI64, values.view().device);
  ids.CopyFrom(rows.data());
  return Tensor::RowSparse(values.view().shape, ids, values);
}

KVParams ParamsOf(const json& step) { return step.at("params").get<KVParams>(); }

}  // namespace

std::vector<json> KVProgram::Read(const std::string& file) {
  const char* const root = std::getenv("PS_ROOT");
  const std::string path = std::string(root == nullptr ? "." : root) + "/tests/vectors/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no vectors at " + path);
  return json::parse(in).get<std::vector<json>>();
}

std::vector<std::string> KVProgram::Files() {
  return {"kvstore_local.json", "kvstore_errors.json",      "kvstore_dist.json",
          "kvstore_rows.json",  "kvstore_compression.json", "kvstore_optimizers.json"};
}

bool KVProgram::IsDistributed(const json& vector) {
  return vector.at("type").get<std::string>().compare(0, 4, "dist") == 0;
}

std::vector<json> KVProgram::DistributedOf(int workers, int servers) {
  std::vector<json> found;
  for (const std::string& file : Files()) {
    for (const json& vector : Read(file)) {
      if (IsDistributed(vector) && vector.at("workers") == workers && vector.at("servers") == servers)
        found.push_back(vector);
    }
  }
  return found;
}

bool KVProgram::Has(const json& vector, Kind kind) {
  const std::string said = vector.value("kind", "both");
  return said == "both" || (said == "numbers") == (kind == Kind::kNumbers);
}

KVProgram::KVProgram(const json& vector, Kind kind, const Stores& stores, std::function<void()> after_step)
    : vector_(vector), kind_(kind), stores_(stores), after_step_(std::move(after_step)) {}

std::vector<std::string> KVProgram::Run() {
  Steps(vector_.at("steps"), 0);
  return failures_;
}

void KVProgram::Steps(const json& steps, std::size_t repetition) {
  for (const json& step : steps) {
    if (!step.contains("repeat")) {
      Step(step, repetition);
      continue;
    }
    for (std::size_t i = 0; i < step["repeat"].get<std::size_t>(); ++i) Steps(step.at("steps"), i);
  }
}

void KVProgram::Step(const json& step, std::size_t repetition) {
  Remember(step);
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < stores_.size(); ++worker) {
    bool is_its = stores_[worker] != nullptr;
    if (is_its && step.contains("w"))
      is_its = step["w"].is_array() ? step["w"].dump().find(std::to_string(worker)) != std::string::npos
                                    : step["w"].get<std::size_t>() == worker;
    if (is_its) threads.emplace_back([this, &step, worker, repetition] { Do({step, worker, repetition}); });
  }
  for (std::thread& thread : threads) thread.join();
  after_step_();
}

// What keys are like is said where they are made.
void KVProgram::Remember(const json& step) {
  const std::string what = step.at("do");
  if ((what != "init" && what != "broadcast") || step.contains("error")) return;
  for (const KVKey& key : KeysOf(step, "")) {
    Form& form = forms_[key.ToString()];
    form.shape = step.at("shape").get<Shape>();
    form.dtype = DTypeNamed(step.value("dtype", std::string("f32"))).value();
    form.is_sparse = step.value("sparse", false);
  }
}

// Each key `step[count]` times.
std::vector<KVKey> KVProgram::KeysOf(const json& step, const char* count) const {
  std::vector<KVKey> keys;
  const json listed = step.at("keys").is_array() ? step.at("keys") : json::array({step.at("keys")});
  const auto times = *count == '\0' ? std::size_t{1} : step.value(count, std::size_t{1});
  for (const json& key : listed) {
    for (std::size_t i = 0; i < times; ++i) {
      if (key.is_string()) {
        keys.emplace_back(key.get<std::string>());
      } else if (kind_ == Kind::kTexts) {
        keys.emplace_back("key" + std::to_string(key.get<std::int64_t>()));
      } else {
        keys.emplace_back(key.get<std::int64_t>());
      }
    }
  }
  return keys;
}

KVProgram::Form KVProgram::FormOf(const json& step, const KVKey& key) const {
  Form form;
  const auto known = forms_.find(key.ToString());
  if (known != forms_.end()) form = known->second;
  if (step.contains("shape")) form.shape = step["shape"].get<Shape>();
  if (step.contains("dtype")) form.dtype = DTypeNamed(step["dtype"].get<std::string>()).value();
  if (step.contains("sparse")) form.is_sparse = step["sparse"];
  return form;
}

std::vector<Tensor> KVProgram::ValuesOf(const Turn& turn) const {
  const json& step = turn.step;
  const std::vector<KVKey> keys = KeysOf(step, "devices");
  const auto devices = step.value("devices", std::size_t{1});
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Form form = FormOf(step, keys[i]);
    const json& value = step.contains("by_worker")     ? step["by_worker"].at(turn.worker)
                        : step.contains("each_device") ? step["each_device"].at(i % devices)
                                                       : Pick(step, "each", "values", i / devices);
    if (step.at("do") == "push_rows") {
      values.push_back(Rows(turn, keys[i], value));
      continue;
    }
    const DeviceId device = DeviceId::Cpu(static_cast<int>(i % devices));
    const Tensor dense = Filled(form.shape, form.dtype, device, value);
    const bool is_sparse = form.is_sparse && (step.at("do") == "init" || step.value("sparse", false));
    values.push_back(is_sparse ? AllRows(dense) : dense);
  }
  return values;
}

// Some rows of a key, as its gradient.
Tensor KVProgram::Rows(const Turn& turn, const KVKey& key, const json& values) const {
  const Form form = FormOf(turn.step, key);
  const json& ids =
      turn.step.contains("ids_by_worker") ? turn.step["ids_by_worker"].at(turn.worker) : turn.step.at("ids");
  Shape shape = form.shape;
  shape.at(0) = static_cast<std::int64_t>(ids.size());
  return Tensor::RowSparse(form.shape, Filled({shape[0]}, DType::kI64, {}, ids),
                           Filled(shape, form.dtype, {}, values));
}

std::vector<Tensor> KVProgram::OutsOf(const Turn& turn) const {
  const std::vector<KVKey> keys = KeysOf(turn.step, "outs");
  const auto outs = turn.step.value("outs", std::size_t{1});
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Form form = FormOf(turn.step, keys[i]);
    if (turn.step.contains("out_dtype"))
      form.dtype = DTypeNamed(turn.step["out_dtype"].get<std::string>()).value();
    tensors.push_back(Tensor::Full(form.shape, 77, form.dtype, DeviceId::Cpu(static_cast<int>(i % outs))));
  }
  return tensors;
}

void KVProgram::Do(const Turn& turn) {
  const std::string part = turn.step.value("error", std::string());
  try {
    Call(turn, stores_[turn.worker]);
  } catch (const Error& error) {
    if (part.empty() || std::string(error.what()).find(part) == std::string::npos) Fail(turn, error.what());
    return;
  }
  if (!part.empty()) Fail(turn, "did not fail");
}

void KVProgram::Call(const Turn& turn, KVStore* store) {
  const json& step = turn.step;
  const std::string what = step.at("do");
  if (what == "init") {
    store->Init(KeysOf(step, "devices"), ValuesOf(turn));
  } else if (what == "set") {
    store->Set(KeysOf(step, ""), ValuesOf(turn)).Wait();
  } else if (what == "erase") {
    store->Erase(KeysOf(step, ""));
  } else if (what == "optimizer") {
    store->SetOptimizer(step.at("text"));
  } else if (what == "hyper") {
    store->SetHyper(ParamsOf(step), step.value("from", 0));
  } else if (what == "compression") {
    store->SetGradientCompression(ParamsOf(step));
  } else if (what == "barrier") {
    store->Barrier();
  } else if (what == "leave") {
    store->Leave();
  } else if (what == "command") {
    store->SendCommandToServers(step.at("head"), step.at("text"));
  } else if (what == "pull_rows") {
    PullRows(turn, store);
  } else {
    CallTransfer(turn, store);
  }
}

void KVProgram::CallTransfer(const Turn& turn, KVStore* store) {
  const json& step = turn.step;
  const std::string what = step.at("do");
  KVPushOptions options;
  options.priority = step.value("priority", 0);
  if (what == "push" || what == "push_rows") {
    const Ticket ticket = store->Push(KeysOf(step, "devices"), ValuesOf(turn), options);
    if (step.value("wait", false)) ticket.Wait();
    return;
  }
  std::vector<Tensor> outs = step.value("in_place", false) ? ValuesOf(turn) : OutsOf(turn);
  const KVKeys out_keys = KeysOf(step, step.value("in_place", false) ? "devices" : "outs");
  if (what == "pull") {
    // Waits for nothing but the tensors.
    static_cast<void>(store->Pull(out_keys, outs, options.priority, !step.value("all_storage", false)));
  } else if (what == "pushpull") {
    const std::vector<Tensor> values = step.value("in_place", false) ? outs : ValuesOf(turn);
    static_cast<void>(store->PushPull(KeysOf(step, "devices"), values, out_keys, outs, options));
  } else if (what == "broadcast") {
    store->Broadcast(KeysOf(step, ""), ValuesOf(turn), out_keys, outs, options.priority);
  } else {
    throw std::runtime_error("a step that is none: " + step.dump());
  }
  Compare(turn, outs);
}

void KVProgram::PullRows(const Turn& turn, KVStore* store) {
  const json& step = turn.step;
  const json& ids = step.at("ids");
  const DType dtype = DTypeNamed(step.value("ids_dtype", std::string("i64"))).value();
  const Shape shape = step.contains("ids_shape") ? step["ids_shape"].get<Shape>()
                                                 : Shape{static_cast<std::int64_t>(ids.size())};
  Tensor out = step.value("into_dense", false) ? Tensor::Empty({1}) : Tensor();
  store->RowSparsePull(KeysOf(step, ""), {&out}, {Filled(shape, dtype, {}, ids)});
  CompareOne(turn, step.at("expect"), out.values());
  if (!step.contains("expect_ids")) return;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(out.ids().view().size()));
  out.ids().CopyTo(rows.data());
  if (rows != step["expect_ids"].get<std::vector<std::int64_t>>()) Fail(turn, "holds other rows");
}

void KVProgram::Compare(const Turn& turn, const std::vector<Tensor>& outs) {
  const json& step = turn.step;
  if (step.contains("error")) return;
  const auto per_key = step.value("in_place", false) ? step.value("devices", std::size_t{1})
                                                     : step.value("outs", std::size_t{1});
  for (std::size_t i = 0; i < outs.size(); ++i) {
    CompareOne(turn,
               step.contains("expect_at") ? step["expect_at"].at(turn.repetition)
                                          : Pick(step, "expect_each", "expect", i / per_key),
               outs[i]);
  }
}

void KVProgram::CompareOne(const Turn& turn, const json& expected, const Tensor& out) {
  std::vector<char> bytes(out.view().bytes());
  out.CopyTo(bytes.data());
  const std::size_t size = SizeOf(out.view().dtype);
  const double tolerance = turn.step.value("tol", vector_.value("tol", 0.0));
  if (expected.is_array() && expected.size() * size != bytes.size())
    return Fail(turn, std::to_string(bytes.size() / size) + " elements came");
  const double single = expected.is_array() ? 0 : expected.get<double>();
  std::vector<char> exact;
  if (!expected.is_array()) AppendAs(out.view().dtype, single, &exact);
  for (std::size_t i = 0; i * size < bytes.size(); ++i) {
    if (!exact.empty() && std::memcmp(&bytes[i * size], exact.data(), size) == 0) continue;
    const double want = expected.is_array() ? expected.at(i).get<double>() : single;
    const double have = ValueAt(out.view().dtype, bytes.data() + i * size);
    const bool is_right =
        tolerance == 0 ? have == want : std::abs(have - want) <= tolerance * std::abs(want) + 1e-12;
    if (!is_right)
      return Fail(turn, "element " + std::to_string(i) + " is " + std::to_string(have) + ", not " +
                            std::to_string(want) + " (repetition " + std::to_string(turn.repetition) + ")");
  }
}

void KVProgram::Fail(const Turn& turn, const std::string& what) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_.push_back(vector_.at("id").get<std::string>() + ": worker " + std::to_string(turn.worker) + ": " +
                      turn.step.dump().substr(0, 300) + ": " + what);
}

}  // namespace ps
