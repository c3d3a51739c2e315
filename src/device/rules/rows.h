// Elements that move between a matrix and a list of its rows: `placed` is in the matrix, `listed` in the
// list.
#ifndef PS_DEVICE_RULES_ROWS_H_
#define PS_DEVICE_RULES_ROWS_H_

#include "device/rules/sum.h"
#include "ps/half.h"

namespace ps::rules {

struct Gather {
  template <typename T>
  PS_HOST_DEVICE void operator()(const T& placed, T& listed) const {
    listed = placed;
  }
};

struct Scatter {
  template <typename T>
  PS_HOST_DEVICE void operator()(T& placed, const T& listed) const {
    placed = listed;
  }
};

struct AddListed {
  template <typename T>
  PS_HOST_DEVICE void operator()(T& placed, const T& listed) const {
    Sum()(placed, listed);
  }
};

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ROWS_H_
