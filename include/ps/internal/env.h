// Forwarder for programs that include the original's internal headers: the settings of a program.
#ifndef PS_INTERNAL_ENV_H_
#define PS_INTERNAL_ENV_H_

#include "ps/environment.h"

#endif  // PS_INTERNAL_ENV_H_
