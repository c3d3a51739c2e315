#include "transport/zmq/zap.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/watchdog.h"
#include "transport/zmq/curve.h"

namespace ps {
namespace {

const std::string kKey(32, 'k');

ZapFrames RequestWith(const std::string& key) { return {"1.0", "7", "job", "10.0.0.5", "", "CURVE", key}; }

TEST(ZapTest, TheHolderOfTheKeyIsAdmitted) {
  EXPECT_EQ(AnswerZap(RequestWith(kKey), kKey), (ZapFrames{"1.0", "7", "200", "", "job", ""}));
}

TEST(ZapTest, AnyOtherKeyIsNot) {
  for (const std::string& key :
       {std::string(), std::string(31, 'k'), std::string(33, 'k'), std::string(32, 'x')}) {
    EXPECT_EQ(AnswerZap(RequestWith(key), kKey)[2], "400") << key;
  }
}

TEST(ZapTest, OtherMechanismsAreNot) {
  ZapFrames request = RequestWith(kKey);
  for (const char* mechanism : {"NULL", "PLAIN", "GSSAPI", "curve", ""}) {
    request[5] = mechanism;
    EXPECT_EQ(AnswerZap(request, kKey)[2], "400") << mechanism;
  }
  request[5] = "NULL";
  request.pop_back();  // there it has no credentials
  EXPECT_EQ(AnswerZap(request, kKey)[2], "400");
}

TEST(ZapTest, WhatIsNoRequestIsAnsweredToo) {
  EXPECT_EQ(AnswerZap({}, kKey), (ZapFrames{"1.0", "", "500", "no request", "", ""}));
  EXPECT_EQ(AnswerZap({"1.0", "9"}, kKey)[1], "9");
  ZapFrames request = RequestWith(kKey);
  request[0] = "2.0";
  EXPECT_EQ(AnswerZap(request, kKey)[2], "500");
  request = RequestWith(kKey);
  request.push_back(kKey);
  EXPECT_EQ(AnswerZap(request, kKey)[2], "400");
}

TEST(ZapTest, AHandlerEndsWithItsContext) {
  Watchdog watchdog;
  const Result<KeyPair> keys = MakeKeyPair();
  ASSERT_TRUE(keys.ok()) << keys.status();
  Result<std::shared_ptr<ZmqContext>> context = ZmqContext::Make(1);
  ASSERT_TRUE(context.ok());
  Result<std::unique_ptr<ZapHandler>> handler = ZapHandler::Start(*context.value(), keys.value().public_key);
  ASSERT_TRUE(handler.ok()) << handler.status();
  EXPECT_FALSE(ZapHandler::Start(*context.value(), keys.value().public_key).ok()) << "one per context";
  EXPECT_FALSE(ZapHandler::Start(*context.value(), "no key").ok());
  context.value()->Terminate();
}

}  // namespace
}  // namespace ps
