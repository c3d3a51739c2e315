// Settings: names and values as C programs hand them in.
#ifndef PS_C_API_SETTINGS_H_
#define PS_C_API_SETTINGS_H_

#include <cstdint>

#include "ps/environment.h"

namespace ps::c_api {

// The last value of a name counts. Throws Error where an array or one of its texts is null.
Environment::Map SettingsOf(std::uint32_t num, const char* const* names, const char* const* values);

}  // namespace ps::c_api

#endif  // PS_C_API_SETTINGS_H_
