// Rules and tables that do not fit together.
#ifndef PS_STORE_UPDATER_TARGET_H_
#define PS_STORE_UPDATER_TARGET_H_

#include <string>

#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// kInvalidArgument: why `updater` is not for tables of `dtype`, and what is.
Status RefuseTarget(const std::string& updater, DType dtype);

}  // namespace ps

#endif  // PS_STORE_UPDATER_TARGET_H_
