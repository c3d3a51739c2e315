// Room for open files, asked for before it is needed.
#ifndef PS_BASE_DESCRIPTORS_H_
#define PS_BASE_DESCRIPTORS_H_

#include "ps/status.h"

namespace ps {

// Whether this process can open `count` more descriptors now; kResourceExhausted says what to do if not. For
// libraries that end the process when they get none. Opens them and closes them again, a few microseconds.
Status CheckDescriptors(int count);

}  // namespace ps

#endif  // PS_BASE_DESCRIPTORS_H_
