#ifndef PS_STORE_RESIDUALS_H_
#define PS_STORE_RESIDUALS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// What a codec has kept back of each element of a table, at the sender: f32, zero at first. One thread at a
// time.
class Residuals {
 public:
  explicit Residuals(const TableSpec& spec);

  // Those of consecutive rows of a dense table, in place.
  float* OfRange(std::uint64_t first_row, std::size_t count);
  // A copy of those of listed rows, one after the other, and the way back. kInvalidArgument where a row is
  // listed twice: what is kept back of the first would be lost.
  Result<std::vector<float>> Copy(const std::uint64_t* rows, std::size_t count);
  void PutBack(const std::uint64_t* rows, std::size_t count, const std::vector<float>& residuals);

 private:
  float* OfRow(std::uint64_t row);

  const bool is_dense_;
  const std::size_t num_rows_;
  const std::size_t width_;
  std::vector<float> values_;                             // dense: all of them, once one is used
  std::unordered_map<std::uint64_t, std::size_t> begin_;  // hash: where those of a key begin
};

}  // namespace ps
#endif  // PS_STORE_RESIDUALS_H_
