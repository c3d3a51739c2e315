#include "ps/c/kvstore.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

constexpr std::int64_t kKey = 3;
constexpr char kName[] = "w";
constexpr const char* kNames[] = {kName};

// A tensor for calls with one key.
class One {
 public:
  explicit One(const Floats& values) : tensor_(MakeCTensor(values)), handle_(tensor_.get()) {}
  explicit One(CTensor tensor) : tensor_(std::move(tensor)), handle_(tensor_.get()) {}

  operator const PSTensor*() const { return &handle_; }
  Floats values() const { return ElementsOf<float>(handle_); }
  PSTensor get() const { return handle_; }

 private:
  CTensor tensor_;
  PSTensor handle_;
};

class CKVStoreTest : public testing::TestWithParam<std::string> {
 protected:
  HandleBalance balance_;
  CKVWorld world_{GetParam(), 2, 1};
  const PSKVStore store_ = world_[0];
};
INSTANTIATE_TEST_SUITE_P(Types, CKVStoreTest, testing::Values("local", "device", "dist_sync"));

TEST_P(CKVStoreTest, SaysWhatItIs) {
  const char* type = nullptr;
  int number = -1;
  Ok(PSKVStoreGetType(store_, &type));
  EXPECT_EQ(type, GetParam());
  Ok(PSKVStoreGetRank(store_, &number));
  EXPECT_EQ(number, 0);
  Ok(PSKVStoreGetNumWorkers(store_, &number));
  EXPECT_EQ(number, 1);
  Ok(PSKVStoreIsCapable(store_, "optimizer", &number));
  EXPECT_EQ(number, 1);
  Fails(PSKVStoreIsCapable(store_, "flying", &number), PS_INVALID_ARGUMENT, "Unknown capability: flying");
}

TEST_P(CKVStoreTest, NumbersAreKeys) {
  Ok(PSKVStoreInit(store_, 1, &kKey, One({1, 2})));
  Ok(PSKVStorePush(store_, 1, &kKey, One({3, 4}), 0, nullptr));
  const One out({0, 0});
  Ok(PSKVStorePull(store_, 1, &kKey, out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{3, 4}));
  Ok(PSKVStorePushPull(store_, 1, &kKey, 1, &kKey, One({5, 6}), out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{5, 6}));
  Ok(PSKVStoreSet(store_, 1, &kKey, One({7, 8}), nullptr));
  Ok(PSKVStorePullEx(store_, 1, &kKey, out, 0, 1, nullptr));
  EXPECT_EQ(out.values(), (Floats{7, 8}));
  const std::int64_t other = 4;
  Ok(PSKVStoreBroadcast(store_, 1, &other, 1, &other, One({9, 9}), out, 0));
  EXPECT_EQ(out.values(), (Floats{9, 9}));
  Ok(PSKVStoreErase(store_, 1, &other));
  Fails(PSKVStorePull(store_, 1, &other, out, 0, nullptr), PS_NOT_FOUND, "key 4 has not been inited");
}

TEST_P(CKVStoreTest, TextsAreKeys) {
  Ok(PSKVStoreInitStr(store_, 1, kNames, One({1, 2})));
  Ok(PSKVStorePushStr(store_, 1, kNames, One({3, 4}), 0, nullptr));
  const One out({0, 0});
  Ok(PSKVStorePullStr(store_, 1, kNames, out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{3, 4}));
  Ok(PSKVStorePushPullStr(store_, 1, kNames, 1, kNames, One({5, 6}), out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{5, 6}));
  Ok(PSKVStoreSetStr(store_, 1, kNames, One({7, 8}), nullptr));
  Ok(PSKVStorePullExStr(store_, 1, kNames, out, 0, 1, nullptr));
  EXPECT_EQ(out.values(), (Floats{7, 8}));
  const char* const other[] = {"other"};
  Ok(PSKVStoreBroadcastStr(store_, 1, other, 1, other, One({9, 9}), out, 0));
  EXPECT_EQ(out.values(), (Floats{9, 9}));
  Ok(PSKVStoreEraseStr(store_, 1, other));
  Fails(PSKVStorePullStr(store_, 1, other, out, 0, nullptr), PS_NOT_FOUND, "key other");
  Fails(PSKVStoreInit(store_, 1, &kKey, out), PS_INVALID_ARGUMENT, "");  // one kind per store
}

TEST_P(CKVStoreTest, AKeyThatIsNamedTwiceHasTheValuesOfTwoDevices) {
  const std::array<std::int64_t, 2> twice = {kKey, kKey};
  Ok(PSKVStoreInit(store_, 1, &kKey, One({0, 0})));
  const One first({1, 2});
  const One second({10, 20});
  const std::array<PSTensor, 2> values = {first.get(), second.get()};
  const One out({0, 0});
  Ok(PSKVStorePushPull(store_, 2, twice.data(), 1, &kKey, values.data(), out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{11, 22}));
}

TEST_P(CKVStoreTest, ARequestIsDoneWhenTheValuesAreThere) {
  Ok(PSKVStoreInit(store_, 1, &kKey, One({1, 2})));
  const One out({0, 0});
  std::array<PSRequest, 2> requests = {};
  Ok(PSKVStorePush(store_, 1, &kKey, One({3, 4}), 0, requests.data()));
  Ok(PSKVStorePull(store_, 1, &kKey, out, 0, &requests[1]));
  PSRequest both = nullptr;
  Ok(PSRequestAll(2, requests.data(), &both));
  Ok(PSRequestWait(both, -1));
  Ok(PSRequestError(requests[1]));
  EXPECT_EQ(out.values(), (Floats{3, 4}));
  for (PSRequest request : requests) Ok(PSRequestFree(request));
  Ok(PSRequestFree(both));
}

TEST_P(CKVStoreTest, TensorsMayBeFreedWhileTheyAreUsed) {
  Ok(PSKVStoreInit(store_, 1, &kKey, One(Floats(100000))));
  PSRequest request = nullptr;
  {
    const One out(Floats(100000, 7));
    Ok(PSKVStorePushPull(store_, 1, &kKey, 1, &kKey, One(Floats(100000, 1)), out, 0, &request));
  }
  Ok(PSRequestWait(request, -1));
  Ok(PSRequestFree(request));
}

TEST_P(CKVStoreTest, MemoryOfTheCallerIsFilledWhenTheRequestIsDone) {
  Floats memory(2);
  const std::int64_t length = 2;
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  info.ndim = 1;
  info.shape = &length;
  CTensor lent;
  Ok(PSTensorFromPtr(memory.data(), &info, nullptr, nullptr, lent.out()));
  const One out(std::move(lent));
  Ok(PSKVStoreInit(store_, 1, &kKey, One({1, 2})));
  Ok(PSKVStorePull(store_, 1, &kKey, out, 0, nullptr));
  EXPECT_EQ(memory, (Floats{1, 2}));
  Ok(PSKVStorePushPull(store_, 1, &kKey, 1, &kKey, out, out, 0, nullptr));  // in place
  EXPECT_EQ(memory, (Floats{1, 2}));
}

CTensor RowsOf(const std::vector<std::int64_t>& ids, const Floats& values) {
  const std::array<std::int64_t, 2> whole = {4, 1};
  const CTensor id = MakeCTensor(ids);
  const CTensor value = MakeCTensor({static_cast<std::int64_t>(ids.size()), 1}, values);
  CTensor rows;
  Ok(PSTensorCreateRowSparse(id.get(), value.get(), 2, whole.data(), rows.out()));
  return rows;
}

// Without rows, to be pulled into.
CTensor NoRows() {
  const std::array<std::int64_t, 2> whole = {4, 1};
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  info.ndim = 2;
  info.shape = whole.data();
  info.row_sparse = 1;
  CTensor rows;
  Ok(PSTensorCreate(&info, rows.out()));
  return rows;
}

TEST_P(CKVStoreTest, RowsThatArePulledAreInTheHandleThatThereWas) {
  Ok(PSKVStoreInit(store_, 1, &kKey, One(RowsOf({0, 1, 2, 3}, {1, 2, 3, 4}))));
  const One out(NoRows());
  const One ids(MakeCTensor<std::int64_t>({3, 1, 3}));
  Ok(PSKVStorePullRows(store_, 1, &kKey, out, ids, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{0, 2, 0, 4}));
  CTensor rows;
  Ok(PSTensorGetIds(out.get(), rows.out()));
  EXPECT_EQ(ElementsOf<std::int64_t>(rows.get()), (std::vector<std::int64_t>{1, 3}));
  // Again, at once, into the same one.
  const One first(MakeCTensor<std::int64_t>({0}));
  PSRequest request = nullptr;
  Ok(PSKVStorePullRows(store_, 1, &kKey, out, first, 0, &request));
  EXPECT_EQ(out.values(), (Floats{1, 0, 0, 0}));
  Ok(PSRequestFree(request));
  Fails(PSKVStorePullRows(store_, 1, &kKey, One({1}), first, 0, nullptr), PS_INVALID_ARGUMENT, "row_sparse");
  Fails(PSKVStorePullRows(store_, 1, &kKey, out, One(MakeCTensor<std::int64_t>({4})), 0, nullptr),
        PS_INVALID_ARGUMENT, "4");
  EXPECT_EQ(out.values(), (Floats{1, 0, 0, 0}));
  // The whole has no place in it: it is left alone, or refused.
  Ok(PSKVStorePull(store_, 1, &kKey, out, 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{1, 0, 0, 0}));
  Fails(PSKVStorePullEx(store_, 1, &kKey, out, 0, 0, nullptr), PS_INVALID_ARGUMENT, "key 3");
}

TEST_P(CKVStoreTest, RowsOfTextKeys) {
  Ok(PSKVStoreInitStr(store_, 1, kNames, One(RowsOf({0, 1, 2, 3}, {1, 2, 3, 4}))));
  const One out(NoRows());
  Ok(PSKVStorePullRowsStr(store_, 1, kNames, out, One(MakeCTensor<std::int64_t>({2})), 0, nullptr));
  EXPECT_EQ(out.values(), (Floats{0, 0, 3, 0}));
}

TEST_P(CKVStoreTest, WhatIsNotGivenIsNamed) {
  const One value({1});
  const PSTensor none = nullptr;
  const char* const nothing[] = {nullptr};
  Fails(PSKVStoreInit(nullptr, 1, &kKey, value), PS_INVALID_ARGUMENT, "the PSKVStore is null");
  Fails(PSKVStoreInit(store_, 1, nullptr, value), PS_INVALID_ARGUMENT, "keys is null");
  Fails(PSKVStoreInit(store_, 1, &kKey, nullptr), PS_INVALID_ARGUMENT, "values is null");
  Fails(PSKVStoreInit(store_, 1, &kKey, &none), PS_INVALID_ARGUMENT, "the PSTensor is null");
  Fails(PSKVStoreInitStr(store_, 1, nothing, value), PS_INVALID_ARGUMENT, "a key is null");
  Fails(PSKVStorePull(store_, 1, &kKey, nullptr, 0, nullptr), PS_INVALID_ARGUMENT, "outs is null");
  Fails(PSKVStorePullRows(store_, 1, &kKey, value, nullptr, 0, nullptr), PS_INVALID_ARGUMENT, "row_ids");
  Fails(PSKVStorePushPull(store_, 1, &kKey, 1, nullptr, value, value, 0, nullptr), PS_INVALID_ARGUMENT,
        "out_keys is null");
  Fails(PSKVStoreGetType(store_, nullptr), PS_INVALID_ARGUMENT, "type is null");
  Fails(PSKVStoreGetRank(store_, nullptr), PS_INVALID_ARGUMENT, "rank is null");
  Ok(PSKVStorePush(store_, 0, nullptr, nullptr, 0, nullptr));  // of nothing
  Fails(PSKVStorePush(reinterpret_cast<PSKVStore>(value.get()), 0, nullptr, nullptr, 0, nullptr),
        PS_INVALID_ARGUMENT, "a PSTensor where a PSKVStore is needed");
}

TEST(CKVStoreCreateTest, OptionsThatAreNoneAreNamed) {
  const HandleBalance balance;
  PSKVStore store = nullptr;
  PSKVStoreOptions options{};
  options.struct_size = sizeof options;
  Fails(PSKVStoreCreate(nullptr, &options, &store), PS_INVALID_ARGUMENT, "type is null");
  Fails(PSKVStoreCreate("local", &options, nullptr), PS_INVALID_ARGUMENT, "store is null");
  Fails(PSKVStoreCreate("dist_sink", &options, &store), PS_INVALID_ARGUMENT, "dist_sink");
  options.timeout_ms = -2;
  Fails(PSKVStoreCreate("local", &options, &store), PS_INVALID_ARGUMENT, "timeout_ms is -2");
  options = {sizeof options, "", nullptr, 0, 0, 0, 0};
  Fails(PSKVStoreCreate("local", &options, &store), PS_INVALID_ARGUMENT, "");
  options = {sizeof options, nullptr, nullptr, 0, -1, 0, 0};
  Fails(PSKVStoreCreate("local", &options, &store), PS_INVALID_ARGUMENT, "bigarray_bound is -1");
  options = {sizeof options, nullptr, nullptr, 0, 0, -2, 0};
  Fails(PSKVStoreCreate("local", &options, &store), PS_INVALID_ARGUMENT, "slice_bytes is -2");
  options = {1, nullptr, nullptr, 0, 0, 0, 0};
  Fails(PSKVStoreCreate("local", &options, &store), PS_INVALID_ARGUMENT, "sizeof(PSKVStoreOptions)");
  EXPECT_EQ(store, nullptr);
  Ok(PSKVStoreCreate("Local", nullptr, &store));
  Ok(PSKVStoreFree(store));
  Fails(PSKVStoreFree(store), PS_INVALID_ARGUMENT, "a PSKVStore that is not there");
  Ok(PSKVStoreFree(nullptr));
  int distributed = -1;
  Ok(PSKVStoreIsDistributed("dist_ssp:3", &distributed));
  EXPECT_EQ(distributed, 1);
  Ok(PSKVStoreIsDistributed("device", &distributed));
  EXPECT_EQ(distributed, 0);
  Fails(PSKVStoreIsDistributed("nobody's", &distributed), PS_INVALID_ARGUMENT, "local");
}

TEST(CKVStoreClusterTest, WorkersAddUp) {
  const HandleBalance balance;
  PSKVStoreOptions options{};
  options.mean = 1;
  const CKVWorld world("dist_sync", 2, 3, options);
  world.Run([](int worker, PSKVStore store) {
    int rank = -1;
    Ok(PSKVStoreGetRank(store, &rank));
    EXPECT_EQ(rank, worker);
    Ok(PSKVStoreInit(store, 1, &kKey, One({1, 2})));
    const One out({0, 0});
    const auto value = static_cast<float>(worker);
    Ok(PSKVStorePushPull(store, 1, &kKey, 1, &kKey, One({value, 3 * value}), out, 0, nullptr));
    EXPECT_EQ(out.values(), (Floats{1, 3}));
  });
}

TEST(CKVStoreClusterTest, AWaitThatTakesTooLongSaysWhoIsMissing) {
  const HandleBalance balance;
  PSKVStoreOptions options{};
  options.timeout_ms = 50;
  const CKVWorld world("dist_sync", 1, 2, options);
  world.Run([](int, PSKVStore store) { Ok(PSKVStoreInit(store, 1, &kKey, One({1, 2}))); });
  const One out({0, 0});
  Fails(PSKVStorePushPull(world[0], 1, &kKey, 1, &kKey, One({1, 1}), out, 0, nullptr), PS_DEADLINE_EXCEEDED,
        "push and pull of key 3: not done in 50 ms (PSKVStoreOptions, timeout_ms)");
  EXPECT_NE(std::string(PSGetLastError()).find("worker 1"), std::string::npos) << PSGetLastError();
  // It has gone on.
  PSRequest request = nullptr;
  Ok(PSKVStorePush(world[1], 1, &kKey, One({2, 2}), 0, &request));
  EXPECT_EQ(out.values(), (Floats{3, 3}));
  Ok(PSRequestFree(request));
}

TEST(CKVStoreClusterTest, AStoreMayOutliveItsCluster) {
  const HandleBalance balance;
  PSKVStore store = nullptr;
  {
    const CCluster cluster(1, 1);
    PSKVStoreOptions options{};
    options.struct_size = sizeof options;
    options.node = cluster.worker(0);
    Ok(PSKVStoreCreate("dist_sync", &options, &store));
    Ok(PSKVStoreInit(store, 1, &kKey, One({1, 2})));
  }
  EXPECT_NE(PSKVStorePush(store, 1, &kKey, One({1, 1}), 0, nullptr), PS_OK);
  Ok(PSKVStoreFree(store));
}

}  // namespace
}  // namespace ps
