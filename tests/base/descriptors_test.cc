#include "base/descriptors.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "tests/support/memory.h"

namespace ps {
namespace {

// Lowers the limit of open files for one test.
class Limit {
 public:
  explicit Limit(rlim_t files) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = files;
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~Limit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

// The limit is on the number of a descriptor, and free numbers need not be in a row.
rlim_t LimitThatLeaves(int free) {
  std::vector<int> opened;
  for (int i = 0; i < free; ++i) opened.push_back(eventfd(0, 0));
  for (int descriptor : opened) close(descriptor);
  return static_cast<rlim_t>(opened.back()) + 1;
}

TEST(DescriptorsTest, DescriptorIsClosedOnceByItsLastOwner) {
  const int64_t before = NumDescriptors();
  Descriptor first(eventfd(0, EFD_CLOEXEC));
  Descriptor second(std::move(first));
  EXPECT_TRUE(second.is_open());
  EXPECT_EQ(NumDescriptors(), before + 1);
  second = Descriptor(eventfd(0, EFD_CLOEXEC));
  EXPECT_EQ(NumDescriptors(), before + 1);
  second.Close();
  second.Close();
  EXPECT_FALSE(second.is_open());
  EXPECT_EQ(NumDescriptors(), before);
}

TEST(DescriptorsTest, HasRoomForSomeAndLeavesNoneOpen) {
  const int64_t before = NumDescriptors();
  EXPECT_EQ(CheckDescriptors(16), Status::Ok());
  EXPECT_EQ(CheckDescriptors(0), Status::Ok());
  EXPECT_EQ(NumDescriptors(), before);
}

TEST(DescriptorsTest, SaysHowManyThereAreAndWhatToRaise) {
  const int64_t before = NumDescriptors();
  const Limit limit(LimitThatLeaves(3));
  EXPECT_EQ(CheckDescriptors(3), Status::Ok());
  const Status status = CheckDescriptors(4);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("only 3 more files can be opened, 4 are needed"), std::string::npos)
      << status;
  EXPECT_NE(status.message().find("ulimit -n"), std::string::npos) << status;
  EXPECT_EQ(NumDescriptors(), before);
}

}  // namespace
}  // namespace ps
