// ArrayWorker: Multiverso's array table, over the store.
#ifndef PS_MULTIVERSO_ARRAY_TABLE_H_
#define PS_MULTIVERSO_ARRAY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ps/dtype_of.h"
#include "ps/multiverso/built_in_table.h"
#include "ps/table_spec.h"

namespace multiverso {

template <typename T>
class ArrayWorker;

// The servers' halves are the store's: this is a name.
template <typename T>
class ArrayServer {
 public:
  ArrayServer() = delete;
};

// An array of `size` numbers, from 1 on.
template <typename T>
struct ArrayTableOption {
  using WorkerTableType = ArrayWorker<T>;
  using ServerTableType = ArrayServer<T>;
  static constexpr bool kIsBuiltIn = true;

  explicit ArrayTableOption(std::size_t s) : size(s) {}
  std::size_t size;
};

// Always as a whole. What Async calls add has been copied when they return; what they read is there after
// Wait. All throw ps::Error: wrong sizes, before anything is sent; how the request ended. Thread-safe.
template <typename T>
class ArrayWorker {
 public:
  // Best by MV_CreateTable, which also meets the others. Tables are made in the same order by all processes.
  explicit ArrayWorker(const ArrayTableOption<T>& option)
      : table_(BuiltInTable::Make(SpecOf(option.size), {})) {}
  explicit ArrayWorker(std::size_t size) : ArrayWorker(ArrayTableOption<T>(size)) {}

  void Get(T* data, std::size_t size) { table_->Get({}, {data, size}); }
  // The id is for Wait; `data` stays alone until then.
  int GetAsync(T* data, std::size_t size) { return table_->GetAsync({}, {data, size}); }
  void Add(const T* data, std::size_t size, const AddOption* option = nullptr) {
    table_->Add(With(option), {data, size});
  }
  int AddAsync(const T* data, std::size_t size, const AddOption* option = nullptr) {
    return table_->AddAsync(With(option), {data, size});
  }
  // Returns when the request is done; at once where it has been waited for.
  void Wait(int id) { table_->Wait(id); }

  std::size_t size() const { return table_->NumElements({}); }
  // For what every table of the store can.
  ps::StoreTable& store_table() { return table_->store_table(); }

 private:
  static BuiltInTable::Call With(const AddOption* option) {
    BuiltInTable::Call call;
    call.add_option = option;
    return call;
  }
  static ps::TableSpec SpecOf(std::size_t size) {
    ps::TableSpec spec;
    spec.dtype = ps::DTypeOf<T>::value;
    spec.rows = static_cast<std::int64_t>(size);
    return spec;
  }

  const std::shared_ptr<BuiltInTable> table_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_ARRAY_TABLE_H_
