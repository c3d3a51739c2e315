#include "app/kv_request.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "ps/kv_worker.h"
#include "tests/support/log_capture.h"

namespace ps {
namespace {

Status Done(KVRequest* request, const Status& so_far) { return request->OnDone(so_far); }

TEST(KVRequestTest, TheCallbackKnowsTheOutcome) {
  Status seen;
  KVRequest request(std::nullopt, [&seen] { seen = CallbackStatus(); });
  EXPECT_EQ(Done(&request, Status::Unavailable("gone")).message(), "gone");
  EXPECT_EQ(seen.message(), "gone");
  EXPECT_TRUE(request.observed());
  EXPECT_TRUE(CallbackStatus().ok());
}

TEST(KVRequestTest, ACallbackThatDoesNotAskHasNotBeenTold) {
  KVRequest request(std::nullopt, [] {});
  EXPECT_FALSE(Done(&request, Status::Unavailable("gone")).ok());
  EXPECT_FALSE(request.observed());
}

TEST(KVRequestTest, WhatTheCallbackHoldsGoesBeforeTheEnd) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  KVRequest request(std::nullopt, [held = std::move(held)] {});
  EXPECT_TRUE(Done(&request, Status::Ok()).ok());
  EXPECT_TRUE(seen.expired());
}

TEST(KVRequestTest, AnExceptionOfTheCallbackIsLogged) {
  LogCapture log;
  KVRequest request(std::nullopt, [] { throw std::runtime_error("oops"); });
  EXPECT_TRUE(Done(&request, Status::Ok()).ok());
  EXPECT_EQ(log.Count("oops"), 1);
}

TEST(KVRequestTest, ABufferThatDoesNotFitFailsTheRequestBeforeTheCallback) {
  std::vector<float> vals(5);
  Gather::Pull pull;
  pull.num_keys = 1;
  pull.element = ElementType::Of<float>();
  pull.vals = PullBuffer::Of(&vals);
  Status seen;
  KVRequest request(Gather(pull, {}), [&seen] { seen = CallbackStatus(); });
  EXPECT_EQ(Done(&request, Status::Ok()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(seen.code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
