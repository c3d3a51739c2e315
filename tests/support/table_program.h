// Acceptance vectors of tables: programs of a few calls, as JSON (tests/vectors/tables.json).
#ifndef PS_TESTS_SUPPORT_TABLE_PROGRAM_H_
#define PS_TESTS_SUPPORT_TABLE_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/any_store.h"
#include "tests/support/any_table.h"

namespace ps {

// One vector:
//
//   {"id": "tbl-vec-34", "workers": 1, "servers": 2,
//    "tables": [{"name": "m", "kind": "matrix", "rows": 6, "cols": 2, "delta": true}],   (see AnyTable)
//    "steps": [{"add": "m", "rows": [4], "values": [5, 6]},
//              {"get": "m", "preset": -1, "expect": [...], "changed": [4]}]}
//
// A step is done by all workers at once, or by worker `w`. `add`, `add_async` (nobody waits for it), `get`,
// `leave` name a table, `flush` and `barrier` none; `begin_get` (with `as`) and `end_get` are a read whose
// ticket is waited for later, twice. `rows`: rows or keys, else all. Values: a number for all elements, a
// list, or
// {"from": a, "step": b}: element number k of the table (not of the call) is a + b k. All are times `scale`,
// times the number of the repetition (from 1) with `grows`, and twice that in the rows of `double_rows`.
// `preset`: what is in the buffer before a read. `changed`: the places that a read brought, sorted. `error`:
// the call fails, and its text has this part; then `size` is the number of elements that are handed in.
// `tol`: relative, else values are exact. {"repeat": n, "steps": [...]}. `long_repeat`: with PS_TEST_LONG=1.
class TableProgram {
 public:
  // The stores of the workers that are in this process, by rank; null where another process has it.
  using Stores = std::vector<std::shared_ptr<AnyStore>>;

  // All vectors of a file below tests/vectors. Throws on a file that is none.
  static std::vector<nlohmann::json> Read(const std::string& file);

  // `after_step` brings the processes of the workers together.
  TableProgram(const nlohmann::json& vector, const Stores& stores, std::function<void()> after_step);
  // What was not as it must be; empty: nothing.
  std::vector<std::string> Run();

 private:
  using Json = nlohmann::json;
  // A step as one worker does it.
  struct Turn {
    const Json& step;
    std::size_t worker = 0;
    std::size_t repetition = 0;  // from 0
  };

  void Steps(const Json& steps, std::size_t repetition);
  void Step(const Json& step, std::size_t repetition);
  void Do(const Turn& turn);
  void Call(const Turn& turn);
  void Read(const Turn& turn, AnyTable& table, const Json& spec);
  void EndRead(const Turn& turn);
  const Json& SpecOf(const std::string& name) const;
  std::vector<double> ValuesOf(const Turn& turn, const Json& spec, const Json& values) const;
  void Compare(const Turn& turn, const Json& spec, const std::vector<double>& values);
  void Fail(const Turn& turn, const std::string& what);

  const Json vector_;
  const Stores stores_;
  const std::function<void()> after_step_;
  std::map<std::pair<std::size_t, std::string>, std::unique_ptr<AnyTable>> tables_;
  // By worker and name: the read, and the table it is of. Made before the threads of a step are.
  struct Begun {
    AnyTable::Pending pending;
    std::string table;
    Json rows;
  };
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::string>, Begun> begun_;  // under mutex_
  std::vector<std::string> failures_;                           // under mutex_
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_TABLE_PROGRAM_H_
