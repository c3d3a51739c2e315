#include "c_api/pushed_arrays.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "store/ticket_source.h"

namespace ps::c_api {
namespace {

// A merge that ends when it is told to.
class Merge final : public TicketSource {
 public:
  Status Wait(const std::chrono::milliseconds*) override { return Status::Ok(); }
  bool done() override { return is_done; }
  void Then(Continuation continuation) override { continuation(Status::Ok()); }

  bool is_done = false;
};

class PushedArraysTest : public testing::Test {
 protected:
  std::shared_ptr<Merge> Push(int key = 0, int device = 0) {
    auto merge = std::make_shared<Merge>();
    arrays_.Add(key, device, Tensor::Full({1}, 1), Ticket(merge));
    return merge;
  }

  PushedArrays arrays_;
};

TEST_F(PushedArraysTest, OneOfSeveralDevicesGoesWhenItsRoundIsMerged) {
  const auto first = Push();
  const auto second = Push();
  EXPECT_EQ(arrays_.size(), 2U);
  first->is_done = true;
  static_cast<void>(Push());
  EXPECT_EQ(arrays_.size(), 2U);
  second->is_done = true;
  arrays_.EndPull(0, 0, arrays_.BeginPull(0, 0), false);  // whatever became of it
  EXPECT_EQ(arrays_.size(), 1U);
}

TEST_F(PushedArraysTest, AResultThatWasPulledIsOfARoundThatIsMerged) {
  static_cast<void>(Push());  // whose ticket is about to be told
  arrays_.EndPull(0, 0, arrays_.BeginPull(0, 0), true);
  EXPECT_EQ(arrays_.size(), 0U);
}

TEST_F(PushedArraysTest, OneOfADeviceAloneGoesWhenItsResultWasPulled) {
  arrays_.SetAlone();
  Push()->is_done = true;
  const std::uint64_t first = arrays_.BeginPull(0, 0);
  Push()->is_done = true;
  const std::uint64_t second = arrays_.BeginPull(0, 0);
  arrays_.EndPull(0, 0, first, true);
  EXPECT_EQ(arrays_.size(), 1U);
  arrays_.EndPull(0, 0, second, false);
  EXPECT_EQ(arrays_.size(), 1U);
  arrays_.EndPull(0, 0, arrays_.BeginPull(0, 0), true);
  EXPECT_EQ(arrays_.size(), 0U);
}

TEST_F(PushedArraysTest, WhereNobodyPullsLaterResultsTakeItsPlace) {
  arrays_.SetAlone();
  arrays_.SetRounds(1);
  for (int i = 0; i < 10; ++i) Push()->is_done = true;
  EXPECT_EQ(arrays_.size(), 2U);  // the last may have no result yet, and then the one before is it
}

TEST_F(PushedArraysTest, APullThatWaitsMayBeOfAnyOfThem) {
  arrays_.SetAlone();
  Push()->is_done = true;
  const std::uint64_t pull = arrays_.BeginPull(0, 0);
  for (int i = 0; i < 10; ++i) Push()->is_done = true;
  EXPECT_EQ(arrays_.size(), 11U);
  arrays_.EndPull(0, 0, pull, false);
  EXPECT_EQ(arrays_.size(), 3U);
}

TEST_F(PushedArraysTest, KeysAndDevicesAreApart) {
  arrays_.SetAlone();
  Push(0, 0)->is_done = true;
  Push(1, 0)->is_done = true;
  Push(0, 1)->is_done = true;
  arrays_.EndPull(0, 0, arrays_.BeginPull(0, 0), true);
  EXPECT_EQ(arrays_.size(), 2U);
  arrays_.Clear();
  EXPECT_EQ(arrays_.size(), 0U);
}

}  // namespace
}  // namespace ps::c_api
