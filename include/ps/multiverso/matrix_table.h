// MatrixWorkerTable, MatrixWorker, SparseMatrixWorkerTable: Multiverso's matrix tables, over the store.
#ifndef PS_MULTIVERSO_MATRIX_TABLE_H_
#define PS_MULTIVERSO_MATRIX_TABLE_H_

#include "ps/dtype_of.h"
#include "ps/multiverso/matrix_calls.h"

namespace multiverso {

template <typename T>
class MatrixWorkerTable;
template <typename T>
class MatrixWorker;
template <typename T>
class SparseMatrixWorkerTable;

// The servers' halves are the store's: these are names.
template <typename T>
class MatrixServerTable {
 public:
  MatrixServerTable() = delete;
};
template <typename T>
class MatrixServer {
 public:
  MatrixServer() = delete;
};
template <typename T>
class SparseMatrixServerTable {
 public:
  SparseMatrixServerTable() = delete;
};

// A matrix of zeros, or of values drawn evenly from [min_value, max_value), the same in every run.
template <typename T>
struct MatrixTableOption {
  using WorkerTableType = MatrixWorkerTable<T>;
  using ServerTableType = MatrixServerTable<T>;
  static constexpr bool kIsBuiltIn = true;

  MatrixTableOption(integer_t rows, integer_t cols) : num_row(rows), num_col(cols) {}
  MatrixTableOption(integer_t rows, integer_t cols, double min, double max)
      : num_row(rows), num_col(cols), is_random(true), min_value(min), max_value(max) {}
  integer_t num_row;
  integer_t num_col;
  bool is_random = false;
  double min_value = 0;
  double max_value = 0;
};

template <typename T>
class MatrixWorkerTable : public MatrixCalls<T> {
 public:
  // Best by MV_CreateTable, which also meets the others. Tables are made in the same order by all processes.
  explicit MatrixWorkerTable(const MatrixTableOption<T>& option) : MatrixCalls<T>(ShapeOf(option), {}) {}
  MatrixWorkerTable(integer_t rows, integer_t cols) : MatrixWorkerTable(MatrixTableOption<T>(rows, cols)) {}

 private:
  static MatrixShape ShapeOf(const MatrixTableOption<T>& option) {
    MatrixShape shape(ps::DTypeOf<T>::value, option.num_row, option.num_col);
    if (option.is_random) shape.init = ps::Init::Uniform(option.min_value, option.max_value, 1);
    return shape;
  }
};

// is_sparse: a Get brings only rows that have changed since this worker's last one, and leaves the others in
// the buffer as they are. is_pipeline: the worker has two such buffers; GetOption says which one is read.
template <typename T>
struct MatrixOption {
  using WorkerTableType = MatrixWorker<T>;
  using ServerTableType = MatrixServer<T>;
  static constexpr bool kIsBuiltIn = true;

  MatrixOption() = default;
  MatrixOption(integer_t rows, integer_t cols, bool sparse = false, bool pipeline = false)
      : num_row(rows), num_col(cols), is_sparse(sparse), is_pipeline(pipeline) {}
  integer_t num_row = 0;
  integer_t num_col = 0;
  bool is_sparse = false;
  bool is_pipeline = false;
};

template <typename T>
class MatrixWorker : public MatrixCalls<T> {
 public:
  explicit MatrixWorker(const MatrixOption<T>& option)
      : MatrixCalls<T>({ps::DTypeOf<T>::value, option.num_row, option.num_col},
                       {option.is_sparse, option.is_pipeline ? 2 : 1}) {}
};

// The older form of it: what is added and read also travels without its zeros (exact for every type).
template <typename T>
struct SparseMatrixTableOption {
  using WorkerTableType = SparseMatrixWorkerTable<T>;
  using ServerTableType = SparseMatrixServerTable<T>;
  static constexpr bool kIsBuiltIn = true;

  SparseMatrixTableOption(integer_t rows, integer_t cols, bool pipeline = false)
      : num_row(rows), num_col(cols), using_pipeline(pipeline) {}
  integer_t num_row;
  integer_t num_col;
  bool using_pipeline;
};

template <typename T>
class SparseMatrixWorkerTable : public MatrixCalls<T> {
 public:
  explicit SparseMatrixWorkerTable(const SparseMatrixTableOption<T>& option)
      : MatrixCalls<T>(ShapeOf(option), {true, option.using_pipeline ? 2 : 1}) {}

 private:
  static MatrixShape ShapeOf(const SparseMatrixTableOption<T>& option) {
    MatrixShape shape(ps::DTypeOf<T>::value, option.num_row, option.num_col);
    shape.codec = {"sparse", 0};
    return shape;
  }
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_MATRIX_TABLE_H_
