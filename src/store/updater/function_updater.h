// The updater that a C function is wrapped in.
#ifndef PS_STORE_UPDATER_FUNCTION_UPDATER_H_
#define PS_STORE_UPDATER_FUNCTION_UPDATER_H_

#include <string>

#include "ps/updater.h"

namespace ps {

// kInvalidArgument without a function, or with a number of states that no table can have. Such rules have no
// options and take tables of any dtype: what they do with one is theirs to know.
Result<UpdaterFactory> FunctionUpdaterFactory(const std::string& name, UpdaterFunction function,
                                              int num_states, void* argument);

}  // namespace ps

#endif  // PS_STORE_UPDATER_FUNCTION_UPDATER_H_
