// What this process holds: memory, threads, descriptors.
#ifndef PS_TESTS_SUPPORT_MEMORY_H_
#define PS_TESTS_SUPPORT_MEMORY_H_

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ps {

// The number behind `name:` in a file of /proc, as it stands there; -1 when it is not there.
inline int64_t ProcNumber(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::atoll(line.c_str() + name.size() + 1);
  }
  return -1;
}

inline int64_t ResidentKb() { return ProcNumber("/proc/self/status", "VmRSS"); }
inline int64_t NumThreads() { return ProcNumber("/proc/self/status", "Threads"); }
inline int64_t AvailableKb() { return ProcNumber("/proc/meminfo", "MemAvailable"); }

// What is allocated and not freed; 0 under AddressSanitizer.
inline int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// The highest ResidentKb since the last ForgetPeak.
inline int64_t PeakKb() { return ProcNumber("/proc/self/status", "VmHWM"); }
inline void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

inline int64_t NumDescriptors() {
  int64_t number = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++number;
  return number;
}

// A sanitizer keeps memory of its own: figures about memory mean nothing then.
inline bool UnderSanitizer() {
  const char* text = std::getenv("PS_SAN");
  return text != nullptr && *text != '\0';
}

// libzmq is not instrumented: over it ThreadSanitizer sees races that are none.
inline bool UnderThreadSanitizer() {
  const char* text = std::getenv("PS_SAN");
  return text != nullptr && std::string(text) == "thread";
}

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_MEMORY_H_
