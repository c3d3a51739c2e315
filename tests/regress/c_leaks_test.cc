// The C functions keep nothing of what is given back: 10^5 calls leave as many handles and as much memory as
// there was.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "c_api/handles.h"
#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"
#include "tests/support/c_model.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

constexpr int kRounds = 20000;  // of five calls or more
constexpr int kWarmUp = 3000;   // until buffers that are used again have their size
// Less than a byte per call: queues and pools may stand as they like.
constexpr std::int64_t kBytes = 100000;
constexpr std::int64_t kKey = 3;

class CLeaks : public testing::Test {
 protected:
  template <typename Round>
  static void ExpectNothingStays(const Round& round) {
    for (int i = 0; i < kWarmUp; ++i) round();
    const std::size_t handles = c_api::Handles::Get().size();
    const std::int64_t bytes = HeapBytes();
    for (int i = 0; i < (UnderSanitizer() ? kRounds / 10 : kRounds); ++i) round();
    EXPECT_EQ(c_api::Handles::Get().size(), handles);
    if (!UnderSanitizer()) {
      EXPECT_LT(HeapBytes() - bytes, kBytes);
    }
  }

  Watchdog watchdog_{std::chrono::seconds(100)};
};

TEST_F(CLeaks, TensorsOfTheLibraryAndOfTheCaller) {
  std::vector<float> memory(1000);
  const std::int64_t length = 1000;
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  info.ndim = 1;
  info.shape = &length;
  int deleted = 0;
  const auto deleter = [](void*, void* count) { ++*static_cast<int*>(count); };
  ExpectNothingStays([&] {
    PSTensor tensor = nullptr;
    Ok(PSTensorCreate(&info, &tensor));
    Ok(PSTensorCopyFrom(tensor, memory.data(), memory.size() * sizeof(float)));
    void* managed = nullptr;
    Ok(PSTensorToDLPack(tensor, &managed));
    PSTensor back = nullptr;
    Ok(PSTensorFromDLPack(managed, &back));
    Ok(PSTensorFree(tensor));
    Ok(PSTensorFree(back));
    Ok(PSTensorFromPtr(memory.data(), &info, deleter, &deleted, &tensor));
    Ok(PSTensorFree(tensor));
  });
  EXPECT_EQ(deleted, kWarmUp + (UnderSanitizer() ? kRounds / 10 : kRounds));
}

TEST_F(CLeaks, ErrorsAndTexts) {
  const CKVWorld world("local", 1, 1);
  ExpectNothingStays([&world] {
    const std::int64_t other = 77;
    const char* type = nullptr;
    int has = 0;
    PSKVStore none = nullptr;
    Ok(PSKVStoreGetType(world[0], &type));
    Ok(PSKVStoreHas(world[0], other, &has));
    EXPECT_EQ(PSKVStoreCreate("nobody's", nullptr, &none), PS_INVALID_ARGUMENT);
    EXPECT_EQ(PSKVStoreErase(world[0], 1, &other), PS_NOT_FOUND);
    EXPECT_NE(std::string(PSGetLastError()), "");
  });
}

class CKVLeaks : public CLeaks, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Types, CKVLeaks, testing::Values("local", "device", "dist_sync", "dist_async"));

TEST_P(CKVLeaks, PushesAndPulls) {
  const CKVWorld world(GetParam(), 2, 1);
  const PSKVStore store = world[0];
  const CTensor first = MakeCTensor(Floats(100));
  const PSTensor start = first.get();
  Ok(PSKVStoreInit(store, 1, &kKey, &start));
  Ok(PSKVStoreSetOptimizer(store, "sgd lr=.1"));
  ExpectNothingStays([store] {
    const CTensor value = MakeCTensor(Floats(100, 1));
    const CTensor out = MakeCTensor(Floats(100));
    const PSTensor from = value.get();
    const PSTensor to = out.get();
    PSRequest requests[2] = {};
    Ok(PSKVStorePush(store, 1, &kKey, &from, 0, &requests[0]));
    Ok(PSKVStorePull(store, 1, &kKey, &to, 0, &requests[1]));
    PSRequest both = nullptr;
    Ok(PSRequestAll(2, requests, &both));
    Ok(PSRequestWait(both, -1));
    for (PSRequest request : {requests[0], requests[1], both}) Ok(PSRequestFree(request));
    Ok(PSKVStorePushPull(store, 1, &kKey, 1, &kKey, &from, &to, 0, nullptr));
  });
}

TEST_F(CLeaks, RowsThatArePulled) {
  const CKVWorld world("local", 1, 1);
  const PSKVStore store = world[0];
  const std::int64_t whole[] = {4, 2};
  const CTensor ids = MakeCTensor<std::int64_t>({0, 1, 2, 3});
  const CTensor values = MakeCTensor({4, 2}, Floats(8, 1));
  CTensor rows;
  Ok(PSTensorCreateRowSparse(ids.get(), values.get(), 2, whole, rows.out()));
  const PSTensor start = rows.get();
  const PSTensor all = ids.get();
  Ok(PSKVStoreInit(store, 1, &kKey, &start));
  ExpectNothingStays([&] {
    Ok(PSKVStorePullRows(store, 1, &kKey, &start, &all, 0, nullptr));
    CTensor part;
    Ok(PSTensorGetValues(start, part.out()));
    EXPECT_EQ(ElementsOf<float>(part.get()), Floats(8, 1));
  });
}

TEST_F(CLeaks, RoundsOfAModel) {
  const CModel model("local");
  model.Init();
  ExpectNothingStays([&model] { EXPECT_EQ(model.Round(1, 2), (Floats{3, 3})); });
}

TEST_F(CLeaks, RoundsThatNobodyPulls) {
  const CModel model("local");
  const int alone = 0;
  Ok(PSSharedModelInit(model.get(), 1, &alone));
  model.InitKey(0, 0, {100});
  ExpectNothingStays([&model] { Ok(model.Push(Floats(100, 1), 0, 0)); });
}

TEST_F(CLeaks, Collectives) {
  const CCluster cluster(1, 1);
  Floats memory(100, 1);
  const std::int64_t length = 100;
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  info.ndim = 1;
  info.shape = &length;
  std::atomic<int> given{0};
  const auto give_back = [](void*, void* count) { --*static_cast<std::atomic<int>*>(count); };
  ExpectNothingStays([&] {
    ++given;
    PSTensor values = nullptr;
    Ok(PSTensorFromPtr(memory.data(), &info, give_back, &given, &values));
    PSRequest request = nullptr;
    Ok(PSAllreduceNamed(cluster.worker(0), values, PS_MAX, "again", &request));
    Ok(PSRequestWait(request, -1));
    Ok(PSRequestFree(request));
    Ok(PSAllreduce(cluster.worker(0), values, PS_MAX));
    Ok(PSTensorFree(values));
    // A thread of the library lets go of it when it comes to that.
    while (given != 0) std::this_thread::yield();
  });
}

}  // namespace
}  // namespace ps
