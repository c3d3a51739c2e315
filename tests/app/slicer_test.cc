#include "app/slicer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "ps/base.h"

namespace ps {
namespace {

std::vector<Range> RangesOf(int num_servers) {
  std::vector<Range> ranges;
  const Key width = kMaxKey / static_cast<Key>(num_servers);
  for (int i = 0; i < num_servers; ++i) {
    const Key begin = width * static_cast<Key>(i);
    ranges.emplace_back(begin, i + 1 == num_servers ? kMaxKey : begin + width);
  }
  return ranges;
}

KVBytes Request(std::vector<Key> keys, std::vector<int> vals, std::vector<int> lens = {}) {
  return KVBytes::Of(KVPairs<int>{SArray<Key>(keys), SArray<int>(vals), SArray<int>(lens), 3});
}

std::vector<Key> KeysOf(const Slice& slice) { return {slice.data.keys.begin(), slice.data.keys.end()}; }

std::vector<int> ValsOf(const Slice& slice) {
  const SArray<int> vals(slice.data.vals);
  return {vals.begin(), vals.end()};
}

TEST(SlicerTest, TheServerOfAKeyIsThatOfItsSlice) {
  const std::vector<Range> ranges = {Range(0, 100), Range(100, 200), Range(200, kMaxKey)};
  for (Key key : {Key{0}, Key{99}, Key{100}, Key{199}, Key{200}, kMaxKey - 1, kMaxKey}) {
    const KVBytes request{SArray<Key>({key}), {}, {}, 0};
    const std::vector<Slice> slices = SliceByRange(request, 1, ranges);
    EXPECT_EQ(slices[RangeServer(key, ranges)].places.count, 1u) << key;
  }
  EXPECT_EQ(RangeServer(7, {Range(0, kMaxKey)}), 0u);
}

TEST(SlicerTest, EveryEdgeKeyHasExactlyOneServer) {
  const std::vector<Key> keys = {0, 1, (1ULL << 63) - 1, 1ULL << 63, kMaxKey - 2, kMaxKey - 1, kMaxKey};
  for (int servers : {1, 2, 3, 5, 7}) {
    const std::vector<Range> ranges = RangesOf(servers);
    const auto slices = SliceByRange(Request(keys, {0, 1, 2, 3, 4, 5, 6}), sizeof(int), ranges);
    std::vector<Key> seen;
    for (int i = 0; i < servers; ++i) {
      for (Key key : KeysOf(slices[static_cast<std::size_t>(i)])) {
        seen.push_back(key);
        const Range& range = ranges[static_cast<std::size_t>(i)];
        EXPECT_GE(key, range.begin());
        EXPECT_TRUE(key < range.end() || i + 1 == servers) << key << " on server " << i << " of " << servers;
      }
    }
    EXPECT_EQ(seen, keys) << servers << " servers";
  }
}

TEST(SlicerTest, RangeSlicesShareTheMemoryOfTheRequest) {
  const KVBytes request = Request({1, kMaxKey}, {1, 2, 3}, {2, 1});
  const auto slices = SliceByRange(request, sizeof(int), RangesOf(2));
  EXPECT_EQ(slices[1].data.keys.data(), request.keys.data() + 1);
  EXPECT_EQ(slices[1].data.vals.data(), request.vals.data() + 2 * sizeof(int));
  EXPECT_EQ(slices[1].data.lens.data(), request.lens.data() + 1);
  EXPECT_EQ(slices[0].data.priority, 3);
  EXPECT_TRUE(slices[1].places.contiguous());
  EXPECT_EQ(slices[1].places[0], 1u);
}

TEST(SlicerTest, APullHasKeysOnly) {
  for (const auto& slices : {SliceByRange(Request({1, 2, kMaxKey}, {}), sizeof(int), RangesOf(2)),
                             SliceByHash(Request({1, 2, kMaxKey}, {}), sizeof(int), 2)}) {
    EXPECT_EQ(slices[0].data.keys.size() + slices[1].data.keys.size(), 3u);
    EXPECT_TRUE(slices[0].data.vals.empty());
    EXPECT_TRUE(slices[1].data.vals.empty());
  }
}

TEST(SlicerTest, TheHashNeverChanges) {
  // Servers have saved keys by it.
  EXPECT_EQ(HashServer(0, 7), 0u);
  EXPECT_EQ(HashServer(1, 1000000), 578789u);
  EXPECT_EQ(HashServer(kMaxKey, 1000000), 403067u);
}

TEST(SlicerTest, TheHashSpreadsSmallIntegersEvenly) {
  std::vector<Key> keys(10000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  for (const Slice& slice : SliceByHash(Request(keys, {}), sizeof(int), 4)) {
    EXPECT_GT(slice.data.keys.size(), 2300u);
    EXPECT_LT(slice.data.keys.size(), 2700u);
  }
}

TEST(SlicerTest, KnowsALopsidedRequest) {
  std::vector<Key> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  const KVBytes small_integers = Request(keys, {});
  EXPECT_TRUE(IsLopsided(SliceByRange(small_integers, sizeof(int), RangesOf(2))));
  EXPECT_FALSE(IsLopsided(SliceByRange(small_integers, sizeof(int), RangesOf(1))));
  EXPECT_FALSE(IsLopsided(SliceByHash(small_integers, sizeof(int), 2)));
  EXPECT_FALSE(IsLopsided(SliceByRange(Request({1, 2, 3}, {}), sizeof(int), RangesOf(2))));
}

TEST(SlicerTest, FindsThePlacesOfForeignSlices) {
  std::vector<Slice> slices(3);
  slices[0].data.keys = SArray<Key>(std::vector<Key>{7, 3});
  slices[2].data.keys = SArray<Key>(std::vector<Key>{3, 5});
  const SArray<Key> keys(std::vector<Key>{3, 3, 5, 7});
  ASSERT_TRUE(FindPlaces(keys, &slices).ok());
  EXPECT_EQ(slices[0].places.each, (std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(slices[2].places.each, (std::vector<std::size_t>{1, 2}));
}

TEST(SlicerTest, RefusesSlicesThatAreNotTheKeysOfThePull) {
  const SArray<Key> keys(std::vector<Key>{3, 5});
  for (const std::vector<Key>& sent : {std::vector<Key>{3}, {3, 5, 5}, {3, 6}, {}}) {
    std::vector<Slice> slices(1);
    slices[0].data.keys = SArray<Key>(sent);
    EXPECT_EQ(FindPlaces(keys, &slices).code(), StatusCode::kInvalidArgument);
  }
}

struct RandomRequest {
  explicit RandomRequest(unsigned seed)
      : random(seed), servers(1 + static_cast<int>(random() % 7)), keys(random() % 200) {
    for (Key& key : keys) key = random() % 4 == 0 ? random() % 10 : random();
    std::sort(keys.begin(), keys.end());
    const bool with_lens = seed % 2 == 0;
    const std::size_t even = random() % 4;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t n = with_lens ? random() % 4 : even;
      if (with_lens) lens.push_back(static_cast<int>(n));
      for (std::size_t j = 0; j < n; ++j) vals.push_back(static_cast<int>(vals.size()));
      ends.push_back(vals.size());
    }
  }

  std::vector<int> ValsOfKey(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return {vals.begin() + static_cast<long>(begin), vals.begin() + static_cast<long>(ends[i])};
  }

  std::mt19937_64 random;
  int servers;
  std::vector<Key> keys;
  std::vector<int> lens;
  std::vector<int> vals;
  std::vector<std::size_t> ends;  // of the values of each key
};

// Every key, with its values and its length, is in exactly one slice, and in order there.
void ExpectComplete(const RandomRequest& request, const std::vector<Slice>& slices) {
  std::vector<std::size_t> all_places;
  for (const Slice& slice : slices) {
    std::vector<int> expected_vals;
    ASSERT_EQ(slice.places.count, slice.data.keys.size());
    for (std::size_t i = 0; i < slice.places.count; ++i) {
      const std::size_t place = slice.places[i];
      ASSERT_TRUE(i == 0 || place > slice.places[i - 1]);
      ASSERT_EQ(slice.data.keys[i], request.keys[place]);
      ASSERT_TRUE(request.lens.empty() || slice.data.lens[i] == request.lens[place]);
      const std::vector<int> vals = request.ValsOfKey(place);
      expected_vals.insert(expected_vals.end(), vals.begin(), vals.end());
      all_places.push_back(place);
    }
    ASSERT_EQ(ValsOf(slice), expected_vals);
  }
  std::sort(all_places.begin(), all_places.end());
  std::vector<std::size_t> every(request.keys.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  ASSERT_EQ(all_places, every);
}

TEST(SlicerTest, LosesNothingOfRandomRequests) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomRequest random(seed);
    const KVBytes request = Request(random.keys, random.vals, random.lens);
    ExpectComplete(random, SliceByRange(request, sizeof(int), RangesOf(random.servers)));
    const auto hashed = SliceByHash(request, sizeof(int), static_cast<std::size_t>(random.servers));
    ExpectComplete(random, hashed);
    for (std::size_t server = 0; server < hashed.size(); ++server) {
      for (Key key : hashed[server].data.keys) ASSERT_EQ(HashServer(key, hashed.size()), server);
    }
  }
}

}  // namespace
}  // namespace ps
