// A worker's store for programs that are data, whatever it is reached through.
#ifndef PS_TESTS_SUPPORT_ANY_STORE_H_
#define PS_TESTS_SUPPORT_ANY_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ps/store.h"
#include "tests/support/any_table.h"

namespace ps {

// One worker's table as bytes, for VectorProgram. What fails throws Error.
class StepTable {
 public:
  // Rows or keys; nothing: all.
  using Ids = std::optional<std::vector<std::int64_t>>;
  struct Pending {
    std::function<void()> wait;
    std::function<bool()> done;
  };

  virtual ~StepTable() = default;
  virtual void Add(const Ids& ids, const std::vector<char>& values) = 0;
  virtual void AddAsync(const Ids& ids, const std::vector<char>& values) = 0;  // nobody waits for it
  virtual void Set(const Ids& ids, const std::vector<char>& values) = 0;
  // Into all of `to`.
  virtual void Get(const Ids& ids, std::vector<char>* to) = 0;
  virtual Pending GetAsync(const Ids& ids, std::vector<char>* to) = 0;
  virtual void Erase(const Ids& ids) = 0;
  virtual void CloseRound() = 0;
  virtual void Leave() = 0;
  virtual void SetOptions(const std::string& options, std::uint64_t from_round) = 0;
};

class AnyStore {
 public:
  virtual ~AnyStore() = default;
  virtual std::unique_ptr<StepTable> Create(const TableSpec& spec) = 0;
  // See AnyTable::Make.
  virtual std::unique_ptr<AnyTable> Make(const nlohmann::json& table) = 0;
  virtual void Flush() = 0;
  virtual void Barrier() = 0;

  // Through C++; borrows `store`.
  static std::shared_ptr<AnyStore> Of(Store& store);
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_ANY_STORE_H_
