// Tables of any shape and element type behind one interface, for programs that are data.
#ifndef PS_TESTS_SUPPORT_ANY_TABLE_H_
#define PS_TESTS_SUPPORT_ANY_TABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ps/table.h"

namespace ps {

// One worker's table. Values are doubles here, and of the table's type on the way.
class AnyTable {
 public:
  // What a call is about.
  struct Call {
    std::optional<std::vector<std::int64_t>> ids;  // rows or keys; nothing: all
    TableAddOptions add;
    TableGetOptions get;
  };
  // A read under way; `values` is there when `wait` has returned, which throws what it failed with.
  struct Pending {
    std::function<void()> wait;
    std::function<std::vector<double>()> values;
  };

  // {"name": "w", "kind": "array" | "matrix" | "kv", "dtype": "f32", "size" | "rows" and "cols": ..., "mode":
  // "asp" | "bsp", "updater": "momentum lr=.1", "init": 7, "delta": true, "buffers": 2, "min_split": 0,
  // "codec": "sparse"}
  static std::unique_ptr<AnyTable> Make(Store& store, const nlohmann::json& table);
  virtual ~AnyTable() = default;

  virtual void Add(const Call& call, const std::vector<double>& values) = 0;
  virtual void AddAsync(const Call& call, const std::vector<double>& values) = 0;  // nobody waits for it
  // Into a buffer of `to`'s values and size.
  virtual void Get(const Call& call, std::vector<double>* to) = 0;
  virtual Pending GetAsync(const Call& call, const std::vector<double>& to) = 0;
  virtual void Leave() = 0;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_ANY_TABLE_H_
