// Acceptance vectors: programs of a few calls with the values that they must give, as JSON (tests/vectors).
#ifndef PS_TESTS_SUPPORT_VECTOR_PROGRAM_H_
#define PS_TESTS_SUPPORT_VECTOR_PROGRAM_H_

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/any_store.h"

namespace ps {

// One vector:
//
//   {"id": "tbl-vec-57", "workers": 3, "servers": 1,
//    "tables": [{"name": "w", "rows": 4, "mode": "bsp", ...}],
//    "steps": [{"w": 0, "add": "w", "values": [1, 1, 1, 1]}, {"w": 0, "get": "w", "expect": [...]}, ...]}
//
// Steps happen one after the other, whichever worker they are of. `rows` names rows, without it all are
// meant; a single value stands for all. A vector of updaters.json is read as such a program. Steps: add,
// add_async, get, set, erase (rows), close, leave, options, barrier; begin_get (with `as`), pending and
// end_get, for reads that have to wait. `error`: the call fails, and its text has this part. `tol`: relative,
// else values are exact.
class VectorProgram {
 public:
  // The stores of the workers that are in this process, by rank; null where another process has it.
  using Stores = std::vector<std::shared_ptr<AnyStore>>;

  // All vectors of a file below tests/vectors. Throws on a file that is none.
  static std::vector<nlohmann::json> Read(const std::string& file);
  static TableSpec SpecOf(const nlohmann::json& table);

  // `after_step` brings the processes of the workers together.
  VectorProgram(const nlohmann::json& vector, const Stores& stores, std::function<void()> after_step);
  // What was not as it must be; empty: nothing.
  std::vector<std::string> Run();

 private:
  struct Pending {
    std::vector<double> values;
    std::vector<char> bytes;
    StepTable::Pending read;
    std::string table;
  };

  // Of one worker: a table and what it was made with.
  struct Opened {
    TableSpec spec;
    std::unique_ptr<StepTable> table;
  };

  void Step(const nlohmann::json& step);
  void Call(const nlohmann::json& step, int worker);
  void Do(const nlohmann::json& step, int worker);
  void Wait(const nlohmann::json& step);
  void Compare(const nlohmann::json& step, const TableSpec& spec, const std::vector<char>& bytes);
  void Fail(const nlohmann::json& step, const std::string& what);

  std::vector<std::string> failures_;
  const nlohmann::json vector_;
  const Stores stores_;
  const std::function<void()> after_step_;
  std::map<std::pair<int, std::string>, Opened> tables_;
  std::map<std::string, Pending> pending_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_VECTOR_PROGRAM_H_
