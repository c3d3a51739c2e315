#include "collective/signature.h"

namespace ps {

const char* NameOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum: return "sum";
    case ReduceOp::kProd: return "prod";
    case ReduceOp::kMin: return "min";
    case ReduceOp::kMax: return "max";
  }
  return "unknown";
}

bool operator==(const Signature& a, const Signature& b) {
  return a.kind == b.kind && a.op == b.op && a.dtype == b.dtype && a.root == b.root && a.count == b.count;
}

std::string Signature::ToString() const {
  const std::string array = " of " + std::to_string(count) + " " + ps::NameOf(dtype);
  const std::string reduced = array + " (" + ps::NameOf(op) + ")";
  switch (kind) {
    case CollectiveKind::kBarrier: return "barrier";
    case CollectiveKind::kBroadcast: return "broadcast" + array + " from rank " + std::to_string(root);
    case CollectiveKind::kAllreduce: return "allreduce" + reduced;
    case CollectiveKind::kReduceScatter: return "reduce-scatter" + reduced;
    case CollectiveKind::kAllgather: return "allgather" + array;
  }
  return "unknown operation";
}

}  // namespace ps
