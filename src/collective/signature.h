#ifndef PS_COLLECTIVE_SIGNATURE_H_
#define PS_COLLECTIVE_SIGNATURE_H_

#include <cstdint>
#include <string>

#include "ps/collective.h"
#include "ps/dtype.h"

namespace ps {

// What ranks do together. The values travel.
enum class CollectiveKind : std::uint8_t {
  kBarrier = 0,
  kBroadcast = 1,
  kAllreduce = 2,
  kReduceScatter = 3,
  kAllgather = 4,
};
constexpr int kNumCollectiveKinds = 5;

// What all ranks have to agree on before values are combined. A plain value. What a kind has no use for is 0.
struct Signature {
  CollectiveKind kind = CollectiveKind::kBarrier;
  ReduceOp op = ReduceOp::kSum;
  DType dtype = DType::kF32;
  std::uint32_t root = 0;
  std::uint64_t count = 0;  // elements of the whole array

  std::uint64_t bytes() const { return count * SizeOf(dtype); }
  // `allreduce of 10 f32 (sum)`, `broadcast of 3 i32 from rank 1`, `barrier`.
  std::string ToString() const;
};
bool operator==(const Signature& a, const Signature& b);
inline bool operator!=(const Signature& a, const Signature& b) { return !(a == b); }

// `sum`, `prod`, `min`, `max`.
const char* NameOf(ReduceOp op);

}  // namespace ps

#endif  // PS_COLLECTIVE_SIGNATURE_H_
