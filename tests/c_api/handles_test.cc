#include "c_api/handles.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ps::c_api {
namespace {

constexpr char kNumber[] = "Number";
constexpr char kText[] = "Text";

TEST(HandlesTest, AHandleIsFoundUntilItIsRemoved) {
  Handles handles;
  void* const handle = handles.Add(std::make_shared<int>(7), kNumber);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(*std::static_pointer_cast<int>(handles.Find(handle, kNumber).value()), 7);
  EXPECT_TRUE(handles.Remove(handle, kNumber).ok());
  EXPECT_EQ(handles.size(), 0U);
  const auto again = handles.Find(handle, kNumber);
  EXPECT_EQ(again.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(again.status().message().find("Number"), std::string::npos);
  EXPECT_FALSE(handles.Remove(handle, kNumber).ok());
}

TEST(HandlesTest, NullAndOtherKindsAreErrors) {
  Handles handles;
  void* const handle = handles.Add(std::make_shared<int>(7), kNumber);
  EXPECT_FALSE(handles.Find(nullptr, kNumber).ok());
  const auto other = handles.Find(handle, kText);
  EXPECT_EQ(other.status().message(), "a Number where a Text is needed");
  EXPECT_FALSE(handles.Remove(handle, kText).ok());
  EXPECT_TRUE(handles.Remove(nullptr, kText).ok());
  EXPECT_EQ(handles.size(), 1U);
}

TEST(HandlesTest, WhoUsesAnObjectKeepsItWhenItsHandleIsFreed) {
  Handles handles;
  const auto object = std::make_shared<int>(7);
  void* const handle = handles.Add(object, kNumber);
  const std::shared_ptr<void> used = handles.Find(handle, kNumber).value();
  ASSERT_TRUE(handles.Remove(handle, kNumber).ok());
  EXPECT_EQ(object.use_count(), 2);
}

TEST(HandlesTest, NumbersAreNotUsedAgain) {
  Handles handles;
  void* const first = handles.Add(std::make_shared<int>(1), kNumber);
  ASSERT_TRUE(handles.Remove(first, kNumber).ok());
  EXPECT_NE(handles.Add(std::make_shared<int>(2), kNumber), first);
}

}  // namespace
}  // namespace ps::c_api
