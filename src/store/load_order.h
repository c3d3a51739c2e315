#ifndef PS_STORE_LOAD_ORDER_H_
#define PS_STORE_LOAD_ORDER_H_

#include <cstdint>
#include <string>

#include "ps/status.h"
#include "ps/store.h"
#include "store/op.h"

namespace ps {

// What a server is to load: travels as an operation.
struct LoadOrder {
  std::string uri;
  std::uint64_t step = 0;
  std::string prefix;  // of the names of tables
  LoadOptions::What what = LoadOptions::kAll;
  bool may_lack_code = false;  // of a server that is starting: what is registered later is loaded then

  // Both places are text without a zero byte.
  Op ToOp() const {
    Op op;
    op.code = OpCode::kLoad;
    op.round = step;
    op.parts = what;
    op.text = uri + '\0' + prefix;
    return op;
  }
  static Result<LoadOrder> Of(const Op& op) {
    const std::size_t end = op.text.find('\0');
    if (end == std::string::npos || op.parts > LoadOptions::kStates)
      return Status::InvalidArgument("an order to load that cannot be");
    return LoadOrder{op.text.substr(0, end), op.round, op.text.substr(end + 1),
                     static_cast<LoadOptions::What>(op.parts), false};
  }
  bool IsFor(const std::string& table) const { return table.compare(0, prefix.size(), prefix) == 0; }
};

}  // namespace ps
#endif  // PS_STORE_LOAD_ORDER_H_
