// Each way in which the kernels of a group are given threads.
#ifndef PS_TESTS_GROUP_RESOURCES_FIXTURE_H_
#define PS_TESTS_GROUP_RESOURCES_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "group/resources.h"
#include "tests/support/watchdog.h"

namespace ps {

class ResourcesFixture : public testing::Test {
 protected:
  // `big`: elements from which on work is shared out.
  explicit ResourcesFixture(std::size_t big)
      : one_thread_(1, big, false), threads_(3, big, false), apart_(4, big, true) {}

  std::vector<Resources*> All() { return {&one_thread_, &threads_, &apart_}; }

  Watchdog watchdog_;
  Resources one_thread_;
  Resources threads_;
  Resources apart_;
};

}  // namespace ps

#endif  // PS_TESTS_GROUP_RESOURCES_FIXTURE_H_
