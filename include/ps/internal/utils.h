// Forwarder for programs that include the original's internal headers: GetEnv and the macros.
#ifndef PS_INTERNAL_UTILS_H_
#define PS_INTERNAL_UTILS_H_

#include "ps/base.h"
#include "ps/environment.h"

#endif  // PS_INTERNAL_UTILS_H_
