#ifndef TESTS_SUPPORT_PRECOMPILED_H_
#define TESTS_SUPPORT_PRECOMPILED_H_

// What nearly every test includes, compiled once (make/test.mk). No test may depend on that: each includes
// what it uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#endif  // TESTS_SUPPORT_PRECOMPILED_H_
