#ifndef PS_INTERNAL_VAN_H_
#define PS_INTERNAL_VAN_H_
#include "ps/van.h"
#endif
