#include "tests/support/any_table.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ps {
namespace {

using nlohmann::json;

template <typename To, typename From>
std::vector<To> Converted(const std::vector<From>& values) {
  std::vector<To> converted;
  converted.reserve(values.size());
  for (const From value : values) converted.push_back(static_cast<To>(value));
  return converted;
}

// The same calls of an array, which has no ids.
template <typename T>
struct WholeArray {
  ArrayTable<T> table;

  void Add(const AnyTable::Call& call, const std::vector<T>& values) { table.Add(values, call.add); }
  Ticket AddAsync(const AnyTable::Call& call, const std::vector<T>& values) {
    return table.AddAsync(values, call.add);
  }
  void Get(const AnyTable::Call& call, const ValuesOut<T>& to) { table.Get(to, call.get); }
  Ticket GetAsync(const AnyTable::Call& call, const ValuesOut<T>& to) { return table.GetAsync(to, call.get); }
};

template <typename T>
struct WholeOrRows {
  MatrixTable<T> table;

  void Add(const AnyTable::Call& call, const std::vector<T>& values) {
    call.ids ? table.Add(*call.ids, values, call.add) : table.Add(values, call.add);
  }
  Ticket AddAsync(const AnyTable::Call& call, const std::vector<T>& values) {
    return call.ids ? table.AddAsync(*call.ids, values, call.add) : table.AddAsync(values, call.add);
  }
  void Get(const AnyTable::Call& call, const ValuesOut<T>& to) {
    call.ids ? table.Get(*call.ids, to, call.get) : table.Get(to, call.get);
  }
  Ticket GetAsync(const AnyTable::Call& call, const ValuesOut<T>& to) {
    return call.ids ? table.GetAsync(*call.ids, to, call.get) : table.GetAsync(to, call.get);
  }
};

template <typename T>
struct ByKey {
  KVTable<T> table;

  void Add(const AnyTable::Call& call, const std::vector<T>& values) {
    table.Add(call.ids.value(), values, call.add);
  }
  Ticket AddAsync(const AnyTable::Call& call, const std::vector<T>& values) {
    return table.AddAsync(call.ids.value(), values, call.add);
  }
  // The same through raw().
  void Get(const AnyTable::Call& call, const ValuesOut<T>& to) {
    const std::vector<std::int64_t>& keys = call.ids.value();
    table.Get(keys, to, call.get);
    table.Get(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (table.raw().at(keys[i]) != to.data[i]) throw std::runtime_error("raw() has another value");
    }
  }
  Ticket GetAsync(const AnyTable::Call& call, const ValuesOut<T>& to) {
    return table.GetAsync(call.ids.value(), to, call.get);
  }
};

template <typename T, typename Shape>
class Typed : public AnyTable {
 public:
  template <typename Options>
  Typed(Store& store, const Options& options) : shape_{{store, options}} {}

  void Add(const Call& call, const std::vector<double>& values) override {
    shape_.Add(call, Converted<T>(values));
  }
  void AddAsync(const Call& call, const std::vector<double>& values) override {
    shape_.AddAsync(call, Converted<T>(values));
  }
  void Get(const Call& call, std::vector<double>* to) override {
    std::vector<T> typed = Converted<T>(*to);
    shape_.Get(call, {typed.data(), typed.size()});
    *to = Converted<double>(typed);
  }
  Pending GetAsync(const Call& call, const std::vector<double>& to) override {
    const auto typed = std::make_shared<std::vector<T>>(Converted<T>(to));
    Call keeping = call;
    keeping.get.keep = typed;
    const Ticket ticket = shape_.GetAsync(keeping, {typed->data(), typed->size()});
    return {[ticket] { ticket.Wait(); }, [typed] { return Converted<double>(*typed); }};
  }
  void Leave() override { shape_.table.store_table().Leave().Wait(); }

 private:
  Shape shape_;
};

template <typename Options>
Options Described(Options options, const json& table) {
  options.Name(table.at("name")).Updater(table.value("updater", std::string("add")));
  if (table.value("mode", std::string("asp")) == "bsp") options.Mode(Consistency::Bsp());
  if (table.contains("init")) options.Init(Init::Constant(table["init"]));
  if (table.contains("codec")) options.Codecs({table["codec"]}, {table["codec"]});
  options.spec().min_split = table.value("min_split", 0);
  return options;
}

template <typename T>
std::unique_ptr<AnyTable> MakeTyped(Store& store, const json& table) {
  const std::string kind = table.at("kind");
  if (kind == "array")
    return std::make_unique<Typed<T, WholeArray<T>>>(store,
                                                     Described(ArrayOptions(), table).Size(table["size"]));
  if (kind == "kv") return std::make_unique<Typed<T, ByKey<T>>>(store, Described(KVOptions(), table));
  if (kind != "matrix") throw std::runtime_error("no kind of table: " + kind);
  MatrixOptions options = Described(MatrixOptions(), table);
  options.Rows(table.at("rows")).Cols(table.at("cols"));
  options.Delta(table.value("delta", false)).Buffers(table.value("buffers", 1));
  return std::make_unique<Typed<T, WholeOrRows<T>>>(store, options);
}

}  // namespace

std::unique_ptr<AnyTable> AnyTable::Make(Store& store, const json& table) {
  switch (DTypeNamed(table.value("dtype", std::string("f32"))).value()) {
    case DType::kF64: return MakeTyped<double>(store, table);
    case DType::kI32: return MakeTyped<std::int32_t>(store, table);
    case DType::kI64: return MakeTyped<long long>(store, table);
    case DType::kU8: return MakeTyped<std::uint8_t>(store, table);
    default: return MakeTyped<float>(store, table);
  }
}

}  // namespace ps
