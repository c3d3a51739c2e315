// BuiltInTable: what the worker halves of the tables under Multiverso's names have in common.
#ifndef PS_MULTIVERSO_BUILT_IN_TABLE_H_
#define PS_MULTIVERSO_BUILT_IN_TABLE_H_

#include <functional>
#include <memory>
#include <string>

#include "ps/multiverso/options.h"
#include "ps/store.h"
#include "ps/table_core.h"
#include "ps/table_spec.h"
#include "ps/ticket.h"

namespace multiverso {

// A table of the store, with message ids for what is under way. Values are bytes here; the classes that users
// see are typed shells around it. Thread-safe. All throw ps::Error.
class BuiltInTable {
 public:
  // What a call is about, and how.
  struct Call {
    ps::TableCore::Target target;                // all of it, or rows
    const AddOption* add_option = nullptr;       // null: as they are
    const GetOption* get_option = nullptr;       // null: this worker's own
    std::shared_ptr<const void> keep = nullptr;  // owns the values; let go of when the request is done
    std::function<void()> finish = nullptr;      // runs when a read has succeeded, before Wait returns
  };

  // The next table of this process, which must be a worker: all processes make theirs in one order. Name,
  // consistency and rule are filled in, as the flags say.
  static std::shared_ptr<BuiltInTable> Make(const ps::TableSpec& shape, const ps::TableReading& reading);

  // As it is said.
  BuiltInTable(ps::Store& store, const ps::TableSpec& spec, const ps::TableReading& reading);
  ~BuiltInTable();
  BuiltInTable(const BuiltInTable&) = delete;
  BuiltInTable& operator=(const BuiltInTable&) = delete;

  void Get(const Call& call, const ps::TableCore::Out& to);
  int GetAsync(const Call& call, const ps::TableCore::Out& to);
  void Add(const Call& call, const ps::TableCore::In& values);
  int AddAsync(const Call& call, const ps::TableCore::In& values);
  // See RequestIds.
  void Wait(int id);
  // This worker contributes to no further round: the others go on without it.
  ps::Status Leave();
  std::size_t NumElements(const ps::TableCore::Target& target) const;
  ps::StoreTable& store_table();
  [[noreturn]] void Refuse(const std::string& what) const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_BUILT_IN_TABLE_H_
