#include "tests/support/c_store.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "ps/status.h"
#include "tests/support/typed_values.h"

namespace ps {
namespace {

using nlohmann::json;

// A failing result as the Error that it was.
void Check(int code) {
  if (code != PS_OK) throw Error(Status(static_cast<StatusCode>(code), PSGetLastError()));
}

std::shared_ptr<void> Kept(PSRequest request) {
  return {request, [](PSRequest freed) { PSRequestFree(freed); }};
}

// A request, until nobody asks for it any more.
struct CRead {
  std::shared_ptr<void> request;

  void Wait() const { Check(PSRequestWait(static_cast<PSRequest>(request.get()), -1)); }
  bool Done() const {
    int done = 0;
    Check(PSRequestDone(static_cast<PSRequest>(request.get()), &done));
    return done != 0;
  }
};

// Owns a handle.
class CTable {
 public:
  CTable(PSStore store, const PSTableOptions& options) { Check(PSTableCreate(store, &options, &table_)); }
  ~CTable() { PSTableFree(table_); }
  CTable(const CTable&) = delete;
  CTable& operator=(const CTable&) = delete;

  PSTable handle() const { return table_; }

 private:
  PSTable table_ = nullptr;
};

PSTableValues ValuesOf(const StepTable::Ids& ids, const void* values, std::size_t num_values) {
  PSTableValues what{};
  what.struct_size = sizeof what;
  what.values = const_cast<void*>(values);
  what.num_values = num_values;
  if (!ids.has_value()) return what;
  static constexpr std::int64_t kNone = 0;
  what.ids = ids->empty() ? &kNone : ids->data();
  what.num_ids = ids->size();
  return what;
}

// Nobody waits for it.
void Drop(PSRequest request) { Check(PSRequestFree(request)); }

std::string CodecText(const CodecSpec& codec) {
  if (codec.parameter == 0) return codec.name;
  std::ostringstream text;
  text << codec.name << ':' << codec.parameter;
  return text.str();
}

std::string ModeText(const Consistency& mode) {
  if (mode.mode == Consistency::kSsp) return "ssp:" + std::to_string(mode.bound);
  return mode.mode == Consistency::kBsp ? "bsp:" + std::to_string(mode.backup) : "asp";
}

class CStepTable final : public StepTable {
 public:
  CStepTable(PSStore store, const PSTableOptions& options)
      : table_(store, options), element_(SizeOf(static_cast<DType>(options.dtype))) {}

  void Add(const Ids& ids, const std::vector<char>& values) override {
    const PSTableValues what = Of(ids, values);
    Check(PSTableAdd(table_.handle(), &what, nullptr));
  }
  void AddAsync(const Ids& ids, const std::vector<char>& values) override {
    const PSTableValues what = Of(ids, values);
    PSRequest request = nullptr;
    Check(PSTableAdd(table_.handle(), &what, &request));
    Drop(request);
  }
  void Set(const Ids& ids, const std::vector<char>& values) override {
    const PSTableValues what = Of(ids, values);
    Check(PSTableSet(table_.handle(), &what, nullptr));
  }
  void Get(const Ids& ids, std::vector<char>* to) override {
    const PSTableValues what = Of(ids, *to);
    Check(PSTableGet(table_.handle(), &what, nullptr));
  }
  Pending GetAsync(const Ids& ids, std::vector<char>* to) override {
    const PSTableValues what = Of(ids, *to);
    PSRequest request = nullptr;
    Check(PSTableGet(table_.handle(), &what, &request));
    const CRead read{Kept(request)};
    return {[read] { read.Wait(); }, [read] { return read.Done(); }};
  }
  void Erase(const Ids& ids) override {
    Check(PSTableErase(table_.handle(), ids.value().data(), ids.value().size(), nullptr));
  }
  void CloseRound() override { Check(PSTableCloseRound(table_.handle(), nullptr)); }
  void Leave() override { Check(PSTableLeave(table_.handle(), nullptr)); }
  void SetOptions(const std::string& options, std::uint64_t from_round) override {
    Check(PSTableSetOptions(table_.handle(), options.c_str(), from_round, nullptr));
  }

 private:
  PSTableValues Of(const Ids& ids, const std::vector<char>& bytes) const {
    return ValuesOf(ids, bytes.data(), bytes.size() / element_);
  }

  const CTable table_;
  const std::size_t element_;
};

class CAnyTable final : public AnyTable {
 public:
  CAnyTable(PSStore store, const PSTableOptions& options)
      : table_(store, options), dtype_(static_cast<DType>(options.dtype)) {}

  void Add(const Call& call, const std::vector<double>& values) override { AddValues(call, values, nullptr); }
  void AddAsync(const Call& call, const std::vector<double>& values) override {
    PSRequest request = nullptr;
    AddValues(call, values, &request);
    Drop(request);
  }
  void Get(const Call& call, std::vector<double>* to) override {
    std::vector<char> bytes = BytesOf(*to);
    std::vector<std::uint32_t> changed(to->size() + 1);
    std::size_t num_changed = 0;
    PSTableValues what = ValuesOf(call.ids, bytes.data(), to->size());
    what.buffer = call.get.buffer;
    if (call.get.changed != nullptr) {
      what.changed = changed.data();
      what.num_changed = &num_changed;
    }
    Check(PSTableGet(table_.handle(), &what, nullptr));
    *to = DoublesOf(bytes);
    if (call.get.changed != nullptr) call.get.changed->assign(changed.begin(), changed.begin() + num_changed);
  }
  Pending GetAsync(const Call& call, const std::vector<double>& to) override {
    const auto bytes = std::make_shared<std::vector<char>>(BytesOf(to));
    PSTableValues what = ValuesOf(call.ids, bytes->data(), to.size());
    what.buffer = call.get.buffer;
    PSRequest request = nullptr;
    Check(PSTableGet(table_.handle(), &what, &request));
    const CRead read{Kept(request)};
    return {[read] { read.Wait(); }, [this, bytes] { return DoublesOf(*bytes); }};
  }
  void Leave() override { Check(PSTableLeave(table_.handle(), nullptr)); }

 private:
  void AddValues(const Call& call, const std::vector<double>& values, PSRequest* request) {
    const std::vector<char> bytes = BytesOf(values);
    const std::string rule = call.add.RuleText();
    PSTableValues what = ValuesOf(call.ids, bytes.data(), values.size());
    if (!rule.empty()) what.rule = rule.c_str();
    Check(PSTableAdd(table_.handle(), &what, request));
  }
  std::vector<char> BytesOf(const std::vector<double>& values) const {
    std::vector<char> bytes;
    for (const double value : values) AppendAs(dtype_, value, &bytes);
    return bytes;
  }
  std::vector<double> DoublesOf(const std::vector<char>& bytes) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < bytes.size(); i += SizeOf(dtype_))
      values.push_back(ValueAt(dtype_, bytes.data() + i));
    return values;
  }

  const CTable table_;
  const DType dtype_;
};

class CStore final : public AnyStore {
 public:
  explicit CStore(PSStore store) : store_(store) {}
  ~CStore() override { PSStoreFree(store_); }
  CStore(const CStore&) = delete;
  CStore& operator=(const CStore&) = delete;

  std::unique_ptr<StepTable> Create(const TableSpec& spec) override;
  std::unique_ptr<AnyTable> Make(const json& table) override;
  void Flush() override { Check(PSStoreFlush(store_)); }
  void Barrier() override { Check(PSStoreBarrier(store_, -1)); }

 private:
  const PSStore store_;
};

std::unique_ptr<StepTable> CStore::Create(const TableSpec& spec) {
  std::string updater = spec.updater;
  for (const auto& [name, value] : spec.updater_options) updater += " " + name + "=" + value;
  const std::string mode = ModeText(spec.consistency);
  const std::string init = std::to_string(spec.init.low);
  const std::string push = CodecText(spec.push_codec);
  const std::string pull = CodecText(spec.pull_codec);
  PSTableOptions options{};
  options.struct_size = sizeof options;
  options.kind = spec.kind == TableSpec::kHash ? PS_MAP : PS_MATRIX;
  options.name = spec.name.c_str();
  options.dtype = static_cast<int>(spec.dtype);
  options.rows = spec.rows;
  options.cols = spec.width;
  options.updater = updater.c_str();
  options.mode = mode.c_str();
  options.init = init.c_str();
  options.push_codec = push.c_str();
  options.pull_codec = pull.c_str();
  options.merged = spec.apply == TableSpec::kMerged ? 1 : 0;
  options.mean = spec.mean ? 1 : 0;
  options.multi_precision = spec.multi_precision ? 1 : 0;
  options.min_split = std::max<std::int64_t>(spec.min_split, 1);
  options.manual_close = spec.auto_close ? 0 : 1;
  return std::make_unique<CStepTable>(store_, options);
}

std::unique_ptr<AnyTable> CStore::Make(const json& table) {
  const std::string kind = table.at("kind");
  const std::string name = table.at("name");
  const std::string updater = table.value("updater", std::string("add"));
  const std::string mode = table.value("mode", std::string("asp"));
  const std::string codec = table.value("codec", std::string("none"));
  const std::string init = table.contains("init") ? table["init"].dump() : "0";
  PSTableOptions options{};
  options.struct_size = sizeof options;
  options.kind = kind == "array" ? PS_ARRAY : kind == "kv" ? PS_MAP : PS_MATRIX;
  options.name = name.c_str();
  options.dtype = static_cast<int>(DTypeNamed(table.value("dtype", std::string("f32"))).value());
  options.rows = table.value(kind == "array" ? "size" : "rows", std::int64_t{0});
  options.cols = table.value("cols", std::int64_t{0});
  options.updater = updater.c_str();
  options.mode = mode.c_str();
  options.init = init.c_str();
  options.push_codec = codec.c_str();
  options.pull_codec = codec.c_str();
  options.min_split = std::max<std::int64_t>(table.value("min_split", std::int64_t{0}), 1);
  options.delta = table.value("delta", false) ? 1 : 0;
  options.buffers = table.value("buffers", 1);
  return std::make_unique<CAnyTable>(store_, options);
}

}  // namespace

std::shared_ptr<AnyStore> MakeCStore(PSStore store) { return std::make_shared<CStore>(store); }

}  // namespace ps
