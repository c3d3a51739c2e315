#include "base/replaceable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ps {
namespace {

// Counts how many of it live; a dead one is recognised.
class Value {
 public:
  explicit Value(std::atomic<int>* living, int number) : living_(living), number_(number) { ++*living_; }
  ~Value() {
    number_ = -1;
    --*living_;
  }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  int number() const { return number_; }

 private:
  std::atomic<int>* const living_;
  std::atomic<int> number_;
};

class ReplaceableTest : public testing::Test {
 protected:
  std::unique_ptr<const Value> Make(int number) { return std::make_unique<Value>(&living_, number); }
  std::atomic<int> living_{0};
};

TEST_F(ReplaceableTest, IsNullUntilThereIsAValue) {
  Replaceable<Value> value;
  EXPECT_FALSE(value.Read());
  value.Replace(Make(1));
  EXPECT_EQ(value.Read()->number(), 1);
  value.Replace(nullptr);
  EXPECT_FALSE(value.Read());
  EXPECT_EQ(living_, 0);
}

TEST_F(ReplaceableTest, AReplacedValueLivesWhileItIsReadAndNoLonger) {
  Replaceable<Value> value;
  value.Replace(Make(1));
  {
    const auto outer = value.Read();
    {
      const auto inner = value.Read();
      value.Replace(Make(2));
      value.Replace(Make(3));
      EXPECT_EQ(inner->number(), 1);
      EXPECT_EQ(value.Read()->number(), 3);
    }
    EXPECT_EQ(outer->number(), 1);
    EXPECT_EQ(living_, 3);
  }
  EXPECT_EQ(living_, 1) << "the last reader has cleared up";
}

TEST_F(ReplaceableTest, ItsValueGoesWithIt) {
  {
    Replaceable<Value> value;
    value.Replace(Make(1));
    EXPECT_EQ(living_, 1);
  }
  EXPECT_EQ(living_, 0);
}

TEST_F(ReplaceableTest, AReaderMayDestroyIt) {
  auto value = std::make_unique<Replaceable<Value>>();
  value->Replace(Make(1));
  {
    const auto outer = value->Read();
    value->Replace(Make(2));
    {
      const auto inner = value->Read();
      value.reset();
      EXPECT_EQ(inner->number(), 2);
    }
    EXPECT_EQ(outer->number(), 1);
    EXPECT_EQ(living_, 2);
  }
  EXPECT_EQ(living_, 0);
}

TEST_F(ReplaceableTest, ADestructorMayReadAndReplace) {
  struct Curious {
    Replaceable<Curious>* value = nullptr;
    ~Curious() {
      if (value->Read()) value->Replace(nullptr);
    }
  };
  Replaceable<Curious> value;
  for (int i = 0; i < 2; ++i) {
    auto curious = std::make_unique<Curious>();
    curious->value = &value;
    value.Replace(std::move(curious));
  }
  EXPECT_FALSE(value.Read());
}

TEST_F(ReplaceableTest, NobodyReadsADeadValue) {
  constexpr int kReplacements = 2000;
  Replaceable<Value> value;
  value.Replace(Make(0));
  std::atomic<bool> ended{false};
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (!ended) {
        const auto reader = value.Read();
        const int number = reader->number();
        if (number < last) ++wrong;
        last = number;
      }
    });
  }
  for (int i = 1; i <= kReplacements; ++i) value.Replace(Make(i));
  ended = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(value.Read()->number(), kReplacements);
  EXPECT_EQ(living_, 1);
}

}  // namespace
}  // namespace ps
