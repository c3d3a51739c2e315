#include "device/stream_failures.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(StreamFailuresTest, TheFirstIsThatOfTheLeastNumber) {
  StreamFailures failures;
  EXPECT_TRUE(failures.Before(100).ok());
  failures.Add(7, Status::Internal("seventh"));
  failures.Add(3, Status::Ok());
  failures.Add(5, Status::Internal("fifth"));
  failures.Add(6, Status::Internal("sixth"));
  EXPECT_EQ(failures.Before(100), Status::Internal("fifth"));
}

TEST(StreamFailuresTest, WhatComesLaterIsNoFailureOfWhatCameBefore) {
  StreamFailures failures;
  failures.Add(5, Status::Internal("fifth"));
  EXPECT_TRUE(failures.Before(5).ok());
  EXPECT_FALSE(failures.Before(6).ok());
}

}  // namespace
}  // namespace ps
