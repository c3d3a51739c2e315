// MatrixCalls: Get and Add of all of a matrix, a row, or rows, as Multiverso spells them.
#ifndef PS_MULTIVERSO_MATRIX_CALLS_H_
#define PS_MULTIVERSO_MATRIX_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/dtype.h"
#include "ps/id_list.h"
#include "ps/multiverso/built_in_table.h"
#include "ps/table_core.h"
#include "ps/table_spec.h"

namespace multiverso {

using integer_t = std::int32_t;

// What the matrix tables differ in.
struct MatrixShape {
  MatrixShape(ps::DType type, integer_t rows, integer_t cols) : dtype(type), num_row(rows), num_col(cols) {}

  ps::DType dtype;
  integer_t num_row;
  integer_t num_col;
  ps::Init init;
  ps::CodecSpec codec;  // both ways

  ps::TableSpec Spec() const {
    ps::TableSpec spec;
    spec.dtype = dtype;
    spec.rows = num_row;
    spec.width = num_col;
    spec.init = init;
    spec.push_codec = spec.pull_codec = codec;
    return spec;
  }
};

// Rows come in any order and may repeat. `size` counts elements: of the whole matrix, of the rows together,
// or, where rows are given as pointers, of one. What Async calls add has been copied when they return; what
// they read is there after Wait(id), any number may be under way. All throw ps::Error: wrong sizes and rows
// that there are not, before anything is sent; how the request ended. Thread-safe.
template <typename T>
class MatrixCalls {
 public:
  using RowIds = std::vector<integer_t>;

  // --- all of it ---
  void Get(T* data, std::size_t size, const GetOption* option = nullptr) {
    table_->Get(Reading({}, option), {data, size});
  }
  int GetAsync(T* data, std::size_t size, const GetOption* option = nullptr) {
    return table_->GetAsync(Reading({}, option), {data, size});
  }
  void Add(const T* data, std::size_t size, const AddOption* option = nullptr) {
    table_->Add(Adding({}, option), {data, size});
  }
  int AddAsync(const T* data, std::size_t size, const AddOption* option = nullptr) {
    return table_->AddAsync(Adding({}, option), {data, size});
  }

  // --- a row ---
  void Get(integer_t row, T* data, std::size_t size, const GetOption* option = nullptr) {
    const ps::IdList rows(row);
    table_->Get(Reading({&rows}, option), {data, size});
  }
  int GetAsync(integer_t row, T* data, std::size_t size, const GetOption* option = nullptr) {
    const ps::IdList rows(row);
    return table_->GetAsync(Reading({&rows}, option), {data, size});
  }
  void Add(integer_t row, const T* data, std::size_t size, const AddOption* option = nullptr) {
    const ps::IdList rows(row);
    table_->Add(Adding({&rows}, option), {data, size});
  }
  int AddAsync(integer_t row, const T* data, std::size_t size, const AddOption* option = nullptr) {
    const ps::IdList rows(row);
    return table_->AddAsync(Adding({&rows}, option), {data, size});
  }

  // --- rows, one behind the other ---
  void Get(T* data, std::size_t size, const integer_t* row_ids, integer_t num_rows,
           const GetOption* option = nullptr) {
    const ps::IdList rows(row_ids, Count(row_ids, num_rows));
    table_->Get(Reading({&rows}, option), {data, size});
  }
  int GetAsync(T* data, std::size_t size, const integer_t* row_ids, integer_t num_rows,
               const GetOption* option = nullptr) {
    const ps::IdList rows(row_ids, Count(row_ids, num_rows));
    return table_->GetAsync(Reading({&rows}, option), {data, size});
  }
  void Add(const T* data, std::size_t size, const integer_t* row_ids, integer_t num_rows,
           const AddOption* option = nullptr) {
    const ps::IdList rows(row_ids, Count(row_ids, num_rows));
    table_->Add(Adding({&rows}, option), {data, size});
  }
  int AddAsync(const T* data, std::size_t size, const integer_t* row_ids, integer_t num_rows,
               const AddOption* option = nullptr) {
    const ps::IdList rows(row_ids, Count(row_ids, num_rows));
    return table_->AddAsync(Adding({&rows}, option), {data, size});
  }

  // --- rows, each at its own place; `size` is that of one ---
  void Get(const RowIds& row_ids, const std::vector<T*>& rows, std::size_t size,
           const GetOption* option = nullptr) {
    const ps::IdList ids(row_ids);
    const auto values = Gather(ids, rows, size);
    table_->Get(Scattering(ids, option, values, rows), {values->data(), values->size()});
  }
  // The values are put there by Wait, or by a later call.
  int GetAsync(const RowIds& row_ids, const std::vector<T*>& rows, std::size_t size,
               const GetOption* option = nullptr) {
    const ps::IdList ids(row_ids);
    const auto values = Gather(ids, rows, size);
    return table_->GetAsync(Scattering(ids, option, values, rows), {values->data(), values->size()});
  }
  void Add(const RowIds& row_ids, const std::vector<T*>& rows, std::size_t size,
           const AddOption* option = nullptr) {
    const ps::IdList ids(row_ids);
    const auto values = Gather(ids, rows, size);
    table_->Add(Adding({&ids}, option), {values->data(), values->size()});
  }
  int AddAsync(const RowIds& row_ids, const std::vector<T*>& rows, std::size_t size,
               const AddOption* option = nullptr) {
    const ps::IdList ids(row_ids);
    const auto values = Gather(ids, rows, size);
    BuiltInTable::Call call = Adding({&ids}, option);
    call.keep = values;
    return table_->AddAsync(call, {values->data(), values->size()});
  }

  // Returns when the request is done; at once where it has been waited for.
  void Wait(int id) { table_->Wait(id); }

  integer_t num_row() const { return shape_.num_row; }
  integer_t num_col() const { return shape_.num_col; }
  // For what every table of the store can.
  ps::StoreTable& store_table() { return table_->store_table(); }

 protected:
  MatrixCalls(const MatrixShape& shape, const ps::TableReading& reading)
      : shape_(shape), table_(BuiltInTable::Make(shape.Spec(), reading)) {}
  ~MatrixCalls() = default;

 private:
  using Values = std::vector<T>;

  static BuiltInTable::Call Reading(const ps::TableCore::Target& target, const GetOption* option) {
    BuiltInTable::Call call;
    call.target = target;
    call.get_option = option;
    return call;
  }
  static BuiltInTable::Call Adding(const ps::TableCore::Target& target, const AddOption* option) {
    BuiltInTable::Call call;
    call.target = target;
    call.add_option = option;
    return call;
  }
  // Reads `values`, which then go where the rows are.
  static BuiltInTable::Call Scattering(const ps::IdList& ids, const GetOption* option,
                                       const std::shared_ptr<Values>& values, const std::vector<T*>& rows) {
    BuiltInTable::Call call = Reading({&ids}, option);
    call.keep = values;
    call.finish = [values, rows] {
      const std::size_t size = rows.empty() ? 0 : values->size() / rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(values->data() + i * size, size, rows[i]);
    };
    return call;
  }
  // What the rows hold, one behind the other; of a read, too: rows that do not come stay as they are.
  std::shared_ptr<Values> Gather(const ps::IdList& ids, const std::vector<T*>& rows, std::size_t size) const {
    if (ids.size() != rows.size())
      table_->Refuse(std::to_string(ids.size()) + " rows are named, and " + std::to_string(rows.size()) +
                     " given");
    if (size != static_cast<std::size_t>(shape_.num_col))
      table_->Refuse("a row of " + std::to_string(size) + " elements; its rows have " +
                     std::to_string(shape_.num_col));
    const auto null = std::find(rows.begin(), rows.end(), nullptr);
    if (null != rows.end()) table_->Refuse("row " + std::to_string(null - rows.begin()) + " given is null");
    const auto values = std::make_shared<Values>(rows.size() * size);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i], size, values->data() + i * size);
    return values;
  }
  std::size_t Count(const integer_t* row_ids, integer_t num_rows) const {
    if (num_rows < 0) table_->Refuse("there are no " + std::to_string(num_rows) + " rows");
    if (num_rows > 0 && row_ids == nullptr) table_->Refuse("no rows are named");
    return static_cast<std::size_t>(num_rows);
  }

  const MatrixShape shape_;
  const std::shared_ptr<BuiltInTable> table_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_MATRIX_CALLS_H_
