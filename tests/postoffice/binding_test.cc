#include "postoffice/binding.h"

#include <gtest/gtest.h>

#include "base/thread.h"
#include "ps/base.h"

namespace ps {
namespace {

Config ConfigOf(int verbose) {
  Config config;
  config.verbose = verbose;
  return config;
}

TEST(BindingTest, NestsAndGivesBackWhatWasBefore) {
  Postoffice outer(ConfigOf(1));
  Postoffice inner(ConfigOf(2));
  EXPECT_EQ(BoundPostoffice(), nullptr);
  {
    const ScopedPostoffice bind_outer(&outer);
    EXPECT_EQ(Postoffice::Get(), &outer);
    EXPECT_EQ(ThreadVerbosity(), 1);
    {
      const ScopedPostoffice bind_inner(&inner);
      EXPECT_EQ(Postoffice::Get(), &inner);
      EXPECT_EQ(ThreadVerbosity(), 2);
    }
    EXPECT_EQ(BoundPostoffice(), &outer);
    EXPECT_EQ(ThreadVerbosity(), 1);
  }
  EXPECT_EQ(BoundPostoffice(), nullptr);
}

TEST(BindingTest, HoldsForTheThreadAlone) {
  Postoffice node{Config()};
  const ScopedPostoffice bound(&node);
  Postoffice* seen = &node;
  {
    Thread other("other", [&] { seen = BoundPostoffice(); });
  }
  EXPECT_EQ(seen, nullptr);
}

TEST(BindingTest, BindThreadStays) {
  Postoffice node(ConfigOf(2));
  Thread thread("thread", [&] {
    BindThread(&node);
    EXPECT_EQ(Postoffice::Get(), &node);
    EXPECT_EQ(ThreadVerbosity(), 2);
    BindThread(nullptr);
    EXPECT_EQ(BoundPostoffice(), nullptr);
    EXPECT_EQ(ThreadVerbosity(), 0);
  });
}

TEST(BindingTest, WhoReceivesWhileItWaitsSaysSoForItsThreadAlone) {
  EXPECT_FALSE(ReceivesForCaller());
  SetReceivesForCaller(true);
  bool elsewhere = true;
  {
    const Thread other("other", [&] { elsewhere = ReceivesForCaller(); });
  }
  EXPECT_TRUE(ReceivesForCaller());
  EXPECT_FALSE(elsewhere);
  SetReceivesForCaller(false);
  EXPECT_FALSE(ReceivesForCaller());
}

}  // namespace
}  // namespace ps
