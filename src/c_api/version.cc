#include "base/version.h"

#include "ps/c/base.h"

extern "C" {

int PSAbiVersion(void) { return PS_ABI_VERSION; }

const char* PSVersion(void) { return ps::VersionString(); }

}  // extern "C"
