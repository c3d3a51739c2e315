#ifndef PS_INTERNAL_MESSAGE_H_
#define PS_INTERNAL_MESSAGE_H_
// Where old programs look for it.
#include "ps/message.h"
#endif  // PS_INTERNAL_MESSAGE_H_
