#include "base/version.h"

namespace ps {
namespace {

constexpr char kVersion[] = "0.1.0";

}  // namespace

const char* VersionString() { return kVersion; }

}  // namespace ps
