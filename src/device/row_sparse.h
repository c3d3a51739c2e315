#ifndef PS_DEVICE_ROW_SPARSE_H_
#define PS_DEVICE_ROW_SPARSE_H_

#include <cstdint>
#include <vector>

#include "ps/tensor.h"

namespace ps {

// What may be a row-sparse tensor of `shape`: see Tensor::RowSparse. kInvalidArgument names what does not
// fit, the first wrong id by its place. Reads the ids, so it waits for them; throws Error where their write
// failed.
Status CheckRows(const Shape& shape, const Tensor& ids, const Tensor& values);
// The whole array, with zeros for the rows that are not there, into the processor's memory.
void CopyRowsTo(const Tensor& rows, void* host);

}  // namespace ps

#endif  // PS_DEVICE_ROW_SPARSE_H_
