// TableCore: what the tables of all shapes and element types have in common.
#ifndef PS_TABLE_CORE_H_
#define PS_TABLE_CORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/id_list.h"
#include "ps/store.h"
#include "ps/table_options.h"
#include "ps/table_spec.h"
#include "ps/ticket.h"

namespace ps {

// How a worker reads: MatrixOptions.
struct TableReading {
  bool delta = false;
  int buffers = 1;
};

// A table of the store with the checks of a face: sizes of arrays, numbers of rows. Values are bytes here;
// the classes that users see are typed shells around it. Thread-safe.
class TableCore {
 public:
  // What values are a whole: all rows, or those listed.
  struct Target {
    const IdList* ids = nullptr;  // null: all
  };
  // An array of a caller.
  struct In {
    const void* data = nullptr;
    std::size_t size = 0;  // elements
  };
  struct Out {
    void* data = nullptr;
    std::size_t size = 0;  // elements
  };
  // Makes the table, or opens it. Throws Error: kAlreadyExists says what differs from the one that is there.
  TableCore(Store& store, const TableSpec& spec, const TableReading& reading = {});
  TableCore(const TableCore&) = delete;
  TableCore& operator=(const TableCore&) = delete;

  StoreTable& table() { return *table_; }
  // Elements that a call about `target` takes.
  std::size_t NumElements(const Target& target) const;
  // All throw Error before anything is sent.
  Ticket AddAsync(const Target& target, const In& values, const TableAddOptions& options);
  Ticket GetAsync(const Target& target, const Out& to, const TableGetOptions& options);
  // The same, waited for; values are used where they are.
  void Add(const Target& target, const In& values, const TableAddOptions& options);
  void Get(const Target& target, const Out& to, const TableGetOptions& options);

 private:
  using Memories = std::vector<ReadMemory>;

  Rows RowsOf(const Target& target) const;
  void CheckSize(const Target& target, std::size_t size, const char* what) const;
  GetOptions ReadingWith(const TableGetOptions& options) const;
  Ticket SetRule(const TableAddOptions& options) const;
  bool SkipsZeroRows() const;
  Ticket AddChangedRows(const In& values, const AddOptions& options);
  [[noreturn]] void Refuse(const std::string& what) const;

  const std::unique_ptr<StoreTable> table_;
  const int num_workers_;
  const TableReading reading_;
  const std::shared_ptr<Memories> memories_;  // of the buffers; a read under way keeps them
};

}  // namespace ps

#endif  // PS_TABLE_CORE_H_
