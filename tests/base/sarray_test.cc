#include "ps/sarray.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ps {
namespace {

template <typename V>
std::vector<V> Values(const SArray<V>& array) {
  return std::vector<V>(array.begin(), array.end());
}

static_assert(std::is_convertible_v<std::initializer_list<int>, SArray<int>>);
static_assert(!std::is_convertible_v<SArray<char>, SArray<int>>, "views of another type are explicit");
static_assert(!std::is_convertible_v<std::vector<int>, SArray<int>>);
static_assert(!std::is_convertible_v<std::size_t, SArray<int>>);

TEST(SArrayTest, StartsEmptyOrFilled) {
  EXPECT_TRUE(SArray<int>().empty());
  EXPECT_EQ(Values(SArray<int>(3)), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(Values(SArray<float>(2, 1.5f)), (std::vector<float>{1.5f, 1.5f}));
  EXPECT_EQ(Values(SArray<int>(1, 7)), (std::vector<int>{7}));
}

TEST(SArrayTest, OwnMemoryIsAlignedTo64Bytes) {
  for (std::size_t n = 1; n < 100000; n = n * 3 + 1) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(SArray<char>(n).data()) % 64, 0u) << n;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(SArray<Key>::Uninitialized(n).data()) % 64, 0u) << n;
  }
}

TEST(SArrayTest, CopiesShareTheMemory) {
  SArray<int> a = {1, 2, 3};
  const SArray<int> b = a;
  SArray<int> c;
  c = a;
  a[1] = 20;
  EXPECT_EQ(b[1], 20);
  EXPECT_EQ(c.data(), a.data());
  EXPECT_EQ(a.ptr().use_count(), 3);
}

TEST(SArrayTest, AConstArrayHasWritableElements) {
  const SArray<int> a(2);
  a.data()[0] = 5;
  EXPECT_EQ(a.front(), 5);
}

TEST(SArrayTest, BorrowsOrOwnsAPointer) {
  int borrowed[3] = {1, 2, 3};
  {
    SArray<int> a(borrowed, 3);
    a[0] = 9;
  }
  EXPECT_EQ(borrowed[0], 9);
  // A leak or a wrong delete is a sanitizer's finding.
  const SArray<int> owned(new int[2]{4, 5}, 2, true);
  EXPECT_EQ(owned.back(), 5);
}

TEST(SArrayTest, OfAVectorCopiesAndOfASharedVectorShares) {
  std::vector<int> vector = {1, 2};
  const SArray<int> copy(vector);
  vector[0] = 10;
  EXPECT_EQ(copy[0], 1);
  const auto shared = std::make_shared<std::vector<int>>(vector);
  const SArray<int> view(shared);
  (*shared)[1] = 20;
  EXPECT_EQ(view[1], 20);
  EXPECT_EQ(view.data(), shared->data());
}

TEST(SArrayTest, IsMadeOfListsOfAnyType) {
  const SArray<float> a = {1, 2};
  EXPECT_EQ(Values(a), (std::vector<float>{1, 2}));
  SArray<int> lens;
  const int n = 4;
  lens = {n};
  EXPECT_EQ(Values(lens), (std::vector<int>{4}));
  lens = {};
  EXPECT_TRUE(lens.empty());
}

TEST(SArrayTest, AssigningAListLeavesTheOldMemoryToOthers) {
  SArray<int> a = {1, 2};
  const SArray<int> b = a;
  a = {7, 8};
  EXPECT_EQ(b[0], 1);
}

TEST(SArrayTest, ViewsOfAnotherTypeShareTheBytes) {
  SArray<char> bytes(16);
  const SArray<std::uint64_t> keys(bytes);
  EXPECT_EQ(keys.size(), 2u);
  keys.data()[1] = 1;
  EXPECT_EQ(bytes[8], 1);
  SArray<float> values;
  values = bytes;
  EXPECT_EQ(values.size(), 4u);
  EXPECT_EQ(values.capacity(), 4u);
  EXPECT_EQ(static_cast<void*>(values.data()), static_cast<void*>(bytes.data()));
}

TEST(SArrayTest, AMovedArrayIsEmptyAndTheMemoryHasOneOwner) {
  SArray<float> values = {1, 2, 3, 4};
  float* const memory = values.data();
  SArray<float> same(std::move(values));
  EXPECT_TRUE(values.empty());  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_EQ(values.capacity(), 0u);
  EXPECT_EQ(values.data(), nullptr);
  SArray<char> bytes(std::move(same));
  EXPECT_TRUE(same.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(same.ptr(), nullptr);
  EXPECT_EQ(bytes.size(), 16u);
  EXPECT_EQ(bytes.capacity(), 16u);
  EXPECT_EQ(bytes.ptr().use_count(), 1);
  SArray<std::uint64_t> words = {9};
  words = std::move(bytes);
  EXPECT_EQ(words.size(), 2u);
  EXPECT_EQ(words.ptr().use_count(), 1);
  EXPECT_EQ(static_cast<void*>(words.data()), static_cast<void*>(memory));
  EXPECT_EQ(Values(SArray<float>(std::move(words))), (std::vector<float>{1, 2, 3, 4}));
}

TEST(SArrayTest, AMovedViewFreesTheMemoryWithTheRightDeleter) {
  int freed = 0;
  double number = 3;
  {
    SArray<double> array;
    array.reset(&number, 1, [&freed](double* data) { freed += *data == 3 ? 1 : 100; });
    SArray<char> bytes(std::move(array));
    const SArray<char> shared = bytes;
    const SArray<std::uint64_t> view(std::move(bytes));
    EXPECT_EQ(view.ptr().use_count(), 2);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

TEST(SArrayTest, AMovedViewWhoseSizeDoesNotDivideIsRefusedAndLeftAsItWas) {
  SArray<char> bytes(10);
  EXPECT_THROW(SArray<double>(std::move(bytes)), dmlc::Error);
  EXPECT_EQ(bytes.size(), 10u);  // NOLINT(bugprone-use-after-move)
}

TEST(SArrayTest, AViewWhoseSizeDoesNotDivideIsRefused) {
  const SArray<char> bytes(10);
  try {
    const SArray<double> view(bytes);
    FAIL() << "no error for " << view.size() << " elements";
  } catch (const dmlc::Error& e) {
    EXPECT_NE(std::string(e.what()).find("cannot be divided"), std::string::npos) << e.what();
  }
}

TEST(SArrayTest, CopyFromWithinTheCapacityWritesThrough) {
  SArray<int> a = {0, 1, 2, 3, 4, 5};
  const int source[] = {7, 8};
  a.segment(2, 4).CopyFrom(source, 2);
  EXPECT_EQ(Values(a), (std::vector<int>{0, 1, 7, 8, 4, 5}));
  int* const before = a.data();
  a.CopyFrom(source, 1);
  EXPECT_EQ(a.data(), before);
  EXPECT_EQ(a.size(), 1u);
}

TEST(SArrayTest, CopyFromBeyondTheCapacityMovesAway) {
  SArray<int> a = {0, 1, 2};
  SArray<int> part = a.segment(0, 1);
  part.CopyFrom(SArray<int>{5, 6});
  EXPECT_EQ(Values(a), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Values(part), (std::vector<int>{5, 6}));
}

TEST(SArrayTest, CopyFromItsOwnMemoryIsRight) {
  SArray<int> a = {0, 1, 2, 3, 4};
  a.segment(1, 5).CopyFrom(a.data(), 4);
  EXPECT_EQ(Values(a), (std::vector<int>{0, 0, 1, 2, 3}));
  a.segment(0, 4).CopyFrom(a.data() + 1, 4);
  EXPECT_EQ(Values(a), (std::vector<int>{0, 1, 2, 3, 3}));
  a.CopyFrom(a);
  EXPECT_EQ(a.size(), 5u);
}

TEST(SArrayTest, CopyFromAPairOfIteratorsTakesNewMemory) {
  SArray<int> a = {1, 2, 3};
  const SArray<int> b = a;
  const std::vector<short> source = {9, 8};
  a.CopyFrom(source.begin(), source.end());
  EXPECT_EQ(Values(a), (std::vector<int>{9, 8}));
  EXPECT_EQ(b[0], 1);
}

TEST(SArrayTest, ResizeKeepsTheMemoryWithinTheCapacity) {
  SArray<int> a = {1, 2, 3};
  int* const before = a.data();
  a.resize(1);
  a.resize(3, 9);
  EXPECT_EQ(a.data(), before);
  EXPECT_EQ(Values(a), (std::vector<int>{1, 9, 9}));
  a.resize(5, 4);
  EXPECT_EQ(Values(a), (std::vector<int>{1, 9, 9, 4, 4}));
}

TEST(SArrayTest, ReserveKeepsElementsAndClearLetsGo) {
  SArray<int> a = {1, 2};
  a.reserve(100);
  EXPECT_EQ(a.capacity(), 100u);
  EXPECT_EQ(Values(a), (std::vector<int>{1, 2}));
  const SArray<int> b = a;
  a.clear();
  EXPECT_EQ(a.capacity(), 0u);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(b[1], 2);
}

TEST(SArrayTest, GrowsAndShrinksAtItsEnd) {
  SArray<int> a;
  for (int i = 0; i < 100; ++i) a.push_back(i);
  EXPECT_EQ(a.size(), 100u);
  EXPECT_EQ(a.back(), 99);
  a.pop_back();
  EXPECT_EQ(a.back(), 98);
  EXPECT_EQ(a.front(), 0);
  EXPECT_THROW(SArray<int>().back(), dmlc::Error);
  EXPECT_THROW(SArray<int>().pop_back(), dmlc::Error);
}

TEST(SArrayTest, PushBackOfItsOwnElementSurvivesTheMove) {
  SArray<int> a = {42};
  a.push_back(a[0]);
  EXPECT_EQ(Values(a), (std::vector<int>{42, 42}));
}

TEST(SArrayTest, AppendsOthersAndItself) {
  SArray<int> a = {1, 2};
  a.append(SArray<int>{3});
  a.append(a);
  a.append(SArray<int>());
  EXPECT_EQ(Values(a), (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

TEST(SArrayTest, SegmentsShareKeepTheMemoryAndHaveTheirSizeAsCapacity) {
  SArray<int> part;
  {
    SArray<int> a = {1, 2, 3, 4};
    a.reserve(50);
    part = a.segment(1, 3);
  }
  EXPECT_EQ(Values(part), (std::vector<int>{2, 3}));
  EXPECT_EQ(part.capacity(), 2u);
  EXPECT_TRUE(part.segment(2, 2).empty());
  EXPECT_THROW(part.segment(2, 1), dmlc::Error);
  EXPECT_THROW(part.segment(0, 3), dmlc::Error);
}

TEST(SArrayTest, ResetRunsTheDeleterWithTheLastOwner) {
  int storage[2] = {1, 2};
  int deleted = 0;
  SArray<int> a;
  a.reset(storage, 2, [&deleted](int*) { ++deleted; });
  SArray<int> part = a.segment(1, 2);
  const SArray<char> view(part);
  a.clear();
  part.clear();
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(view.size(), sizeof(int));
  part = SArray<int>(view);
  EXPECT_EQ(part[0], 2);
}

TEST(SArrayTest, TakesIndicesOfAnyIntegerType) {
  const SArray<int> a = {5, 6};
  const int i = 1;
  const std::size_t j = 1;
  const std::uint32_t k = 1;
  EXPECT_EQ(a[i] + a[j] + a[k], 18);
}

TEST(SArrayTest, AnImpossibleSizeIsRefusedBeforeAllocation) {
  EXPECT_THROW(SArray<double>::Uninitialized(static_cast<std::size_t>(-1) / 2), std::bad_alloc);
}

TEST(SArrayTest, HoldsElementsThatHaveConstructors) {
  SArray<std::string> a = {std::string("x"), std::string("y")};
  a.resize(3, "z");
  EXPECT_EQ(a[2], "z");
}

TEST(SArrayTest, PrintsShortArraysWholeAndLongOnesCut) {
  std::ostringstream out;
  out << SArray<int>{1, 2, 3};
  EXPECT_EQ(out.str(), "[3]: 1 2 3 ");
  const SArray<int> nine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(DebugStr(nine.data(), nine.size()), "[9]: 1 2 3 4 5 6 7 8 9 ");
  const SArray<int> twelve = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(DebugStr(twelve.data(), twelve.size()), "[12]: 1 2 3 4 5 ... 8 9 10 11 12 ");
  EXPECT_EQ(DebugStr(twelve.data(), 4, 1), "[4]: 1 ... 4 ");
  EXPECT_EQ(DebugStr<int>(nullptr, 0), "[0]: ");
}

TEST(FindRangeTest, GivesTheIndicesOfTheValuesInside) {
  const SArray<Key> keys = {1, 3, 3, 5, 9};
  EXPECT_EQ(FindRange<Key>(keys, 3, 9), Range(1, 4));
  EXPECT_EQ(FindRange<Key>(keys, 0, 100), Range(0, 5));
  EXPECT_EQ(FindRange<Key>(keys, 6, 8), Range(4, 4));
  EXPECT_EQ(FindRange<Key>(keys, 9, 9), Range(0, 0));
  EXPECT_EQ(FindRange<Key>(keys, 9, 1), Range(0, 0));
  EXPECT_EQ(FindRange<Key>(SArray<Key>(), 0, 1), Range(0, 0));
}

}  // namespace
}  // namespace ps
