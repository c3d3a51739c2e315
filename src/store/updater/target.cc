#include "store/updater/target.h"

namespace ps {

Status RefuseTarget(const std::string& updater, DType dtype) {
  const std::string table = std::string("a table of ") + NameOf(dtype);
  if (dtype == DType::kBool)
    return Status::InvalidArgument("updater '" + updater + "' is not for " + table +
                                   ": it takes assign only");
  if (IsFloat(dtype))
    return Status::InvalidArgument("updaters do not compute in " + std::string(NameOf(dtype)) + " but in " +
                                   NameOf(MasterOf(dtype)));
  return Status::InvalidArgument("updater '" + updater + "' computes with fractions and is not for " + table +
                                 ": integers take assign, add and sgd with a whole lr, which are exact");
}

}  // namespace ps
