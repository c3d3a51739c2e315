#include "ps/c/kvstore_settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
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

void Init(PSKVStore store, const Floats& values) {
  const CTensor tensor = MakeCTensor(values);
  const PSTensor handle = tensor.get();
  Ok(PSKVStoreInit(store, 1, &kKey, &handle));
}

void InitStr(PSKVStore store, const Floats& values) {
  const CTensor tensor = MakeCTensor(values);
  const PSTensor handle = tensor.get();
  Ok(PSKVStoreInitStr(store, 1, kNames, &handle));
}

int Push(PSKVStore store, const Floats& values) {
  const CTensor tensor = MakeCTensor(values);
  const PSTensor handle = tensor.get();
  return PSKVStorePush(store, 1, &kKey, &handle, 0, nullptr);
}

int PushStr(PSKVStore store, const Floats& values) {
  const CTensor tensor = MakeCTensor(values);
  const PSTensor handle = tensor.get();
  return PSKVStorePushStr(store, 1, kNames, &handle, 0, nullptr);
}

Floats Pull(PSKVStore store, std::size_t size) {
  const CTensor tensor = MakeCTensor(Floats(size));
  const PSTensor handle = tensor.get();
  Ok(PSKVStorePull(store, 1, &kKey, &handle, 0, nullptr));
  return ElementsOf<float>(handle);
}

// Gone at the end of the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("ps_c_kvstore." + std::to_string(getpid()))) {}
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }

 private:
  const std::filesystem::path path_;
};

class CKVSettings : public testing::TestWithParam<std::string> {
 protected:
  HandleBalance balance_;
  CKVWorld world_{GetParam(), 2, 1};
  const PSKVStore store_ = world_[0];
};
INSTANTIATE_TEST_SUITE_P(Types, CKVSettings, testing::Values("local", "dist_sync"));

TEST_P(CKVSettings, KeysAreKnown) {
  int has = -1;
  Ok(PSKVStoreHas(store_, kKey, &has));
  EXPECT_EQ(has, 0);
  Init(store_, {1, 2});
  Ok(PSKVStoreHas(store_, kKey, &has));
  EXPECT_EQ(has, 1);
  PSKVKeyInfo info{};
  info.struct_size = sizeof info;
  Ok(PSKVStoreKeyInfo(store_, kKey, &info));
  ASSERT_EQ(info.ndim, 1);
  EXPECT_EQ(info.shape[0], 2);
  EXPECT_EQ(info.dtype, PS_F32);
  EXPECT_EQ(info.row_sparse, 0);
  EXPECT_STREQ(info.mode, "bsp");
  ASSERT_EQ(info.num_servers, 1);
  EXPECT_LT(info.servers[0], 2);
  Fails(PSKVStoreKeyInfo(store_, 77, &info), PS_NOT_FOUND, "key 77");
  EXPECT_EQ(info.ndim, 1);
  info.struct_size = 3;
  Fails(PSKVStoreKeyInfo(store_, kKey, &info), PS_INVALID_ARGUMENT, "sizeof(PSKVKeyInfo)");
  Fails(PSKVStoreKeyInfo(store_, kKey, nullptr), PS_INVALID_ARGUMENT, "info is null");
}

TEST_P(CKVSettings, TextKeysAreKnown) {
  int has = -1;
  Ok(PSKVStoreHasStr(store_, kName, &has));
  EXPECT_EQ(has, 0);
  InitStr(store_, {1, 2, 3});
  Ok(PSKVStoreHasStr(store_, kName, &has));
  EXPECT_EQ(has, 1);
  PSKVKeyInfo info{};
  info.struct_size = sizeof info;
  Ok(PSKVStoreKeyInfoStr(store_, kName, &info));
  EXPECT_EQ(info.shape[0], 3);
  Fails(PSKVStoreHasStr(store_, nullptr, &has), PS_INVALID_ARGUMENT, "key is null");
  Fails(PSKVStoreHasStr(store_, kName, nullptr), PS_INVALID_ARGUMENT, "has is null");
}

TEST_P(CKVSettings, AnOptimizerHasOptionsThatChange) {
  Init(store_, {1, 1});
  Ok(PSKVStoreSetOptimizer(store_, "sgd lr=.5"));
  Ok(Push(store_, {1, 2}));
  EXPECT_EQ(Pull(store_, 2), (Floats{.5, 0}));
  const char* const name = "lr";
  const char* const of_all = "1";
  Ok(PSKVStoreSetHyper(store_, 1, &name, &of_all, 0, 0, nullptr));
  Ok(Push(store_, {1, 2}));
  EXPECT_EQ(Pull(store_, 2), (Floats{-.5, -2}));
  const char* const of_one = "2";
  Ok(PSKVStoreSetHyper(store_, 1, &name, &of_one, 0, 1, &kKey));
  Ok(Push(store_, {1, 1}));
  EXPECT_EQ(Pull(store_, 2), (Floats{-2.5, -4}));
  const std::int64_t nobodys = 77;
  Fails(PSKVStoreSetHyper(store_, 1, &name, &of_one, 0, 1, &nobodys), PS_NOT_FOUND, "key 77");
  Fails(PSKVStoreSetHyper(store_, 1, &name, nullptr, 0, 0, nullptr), PS_INVALID_ARGUMENT, "values is null");
  const char* const none = nullptr;
  Fails(PSKVStoreSetHyper(store_, 1, &name, &none, 0, 0, nullptr), PS_INVALID_ARGUMENT, "lr is null");
  Fails(PSKVStoreSetOptimizer(store_, nullptr), PS_INVALID_ARGUMENT, "spec is null");
  Fails(PSKVStoreSetOptimizer(store_, "sgd lr=many"), PS_INVALID_ARGUMENT, "lr");
}

TEST_P(CKVSettings, OptionsOfATextKey) {
  InitStr(store_, {1});
  Ok(PSKVStoreSetOptimizer(store_, "sgd lr=.5"));
  const char* const name = "lr";
  const char* const value = "2";
  Ok(PSKVStoreSetHyperStr(store_, 1, &name, &value, 0, 1, kNames));
  Ok(PushStr(store_, {1}));
  const CTensor out = MakeCTensor<float>({0});
  const PSTensor handle = out.get();
  Ok(PSKVStorePullStr(store_, 1, kNames, &handle, 0, nullptr));
  EXPECT_EQ(ElementsOf<float>(handle), Floats{-1});
}

TEST_P(CKVSettings, StatesAndValuesAreSavedAndLoaded) {
  const Folder folder;
  const std::string states = folder.Path("states");
  const std::string all = folder.Path("all");
  Init(store_, {1, 1});
  Ok(PSKVStoreSetOptimizer(store_, "adagrad lr=1"));
  Ok(Push(store_, {1, 2}));
  const Floats before = Pull(store_, 2);
  Ok(PSKVStoreSaveOptimizerStates(store_, states.c_str()));
  Ok(PSKVStoreCheckpoint(store_, all.c_str()));
  Ok(Push(store_, {1, 2}));
  const Floats after = Pull(store_, 2);
  Ok(PSKVStoreRestore(store_, all.c_str()));
  EXPECT_EQ(Pull(store_, 2), before);
  Ok(Push(store_, {1, 2}));
  EXPECT_EQ(Pull(store_, 2), after);
  Ok(PSKVStoreLoadOptimizerStates(store_, states.c_str(), 1));
  EXPECT_EQ(Pull(store_, 2), after);
  Fails(PSKVStoreRestore(store_, (all + "/none").c_str()), PS_NOT_FOUND, "");
  Fails(PSKVStoreCheckpoint(store_, nullptr), PS_INVALID_ARGUMENT, "uri is null");
}

TEST_P(CKVSettings, TheOthersAreMetAndTold) {
  Ok(PSKVStoreBarrier(store_, -1, 0));
  Ok(PSKVStoreBarrier(store_, 10000, 0));
  Fails(PSKVStoreBarrier(store_, -1, 1), PS_INVALID_ARGUMENT, "flags");
  Fails(PSKVStoreBarrier(store_, -2, 0), PS_INVALID_ARGUMENT, "timeout_ms is -2");
  Ok(PSKVStoreSetBarrierBeforeExit(store_, 0));
  int number = -1;
  Ok(PSKVStoreGetNumDeadNode(store_, 7, 60, &number));
  EXPECT_EQ(number, 0);
  Fails(PSKVStoreSendCommand(store_, 77, nullptr), PS_INVALID_ARGUMENT, "body is null");
  const int sent = PSKVStoreSendCommand(store_, 77, "x");
  EXPECT_EQ(sent, GetParam() == "local" ? PS_OK : PS_NOT_FOUND) << PSGetLastError();
  Ok(PSKVStoreLeave(store_));
}

// Adds what came twice; fails for what begins with a negative number, with a text of its own if that is -1.
int AddTwice(PSTensor received, PSTensor stored, void* context) {
  ++*static_cast<int*>(context);
  const Floats from = ElementsOf<float>(received);
  Floats to = ElementsOf<float>(stored);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += 2 * from[i];
  Ok(PSTensorCopyFrom(stored, to.data(), to.size() * sizeof(float)));
  Ok(PSTensorFree(received));
  Ok(PSTensorFree(stored));
  if (from[0] == -1) return PSSetLastError(PS_NOT_FOUND, "no rule for it");
  return from[0] < 0 ? PS_INTERNAL : PS_OK;
}

int NumberUpdater(std::int64_t key, PSTensor received, PSTensor stored, void* context) {
  EXPECT_EQ(key, kKey);
  return AddTwice(received, stored, context);
}

int TextUpdater(const char* key, PSTensor received, PSTensor stored, void* context) {
  EXPECT_STREQ(key, kName);
  return AddTwice(received, stored, context);
}

TEST(CKVUpdaterTest, TheProgramMakesTheValue) {
  const HandleBalance balance;
  const CKVWorld world("local", 1, 1);
  int calls = 0;
  Init(world[0], {1, 2});
  Ok(PSKVStoreSetUpdater(world[0], NumberUpdater, &calls));
  Ok(Push(world[0], {10, 20}));
  EXPECT_EQ(Pull(world[0], 2), (Floats{21, 42}));
  EXPECT_EQ(calls, 1);
  Fails(PSKVStoreSetUpdater(world[0], nullptr, nullptr), PS_INVALID_ARGUMENT, "invalid updater");
}

TEST(CKVUpdaterTest, WhatItFailsWithIsThePushsError) {
  const HandleBalance balance;
  const CKVWorld world("local", 1, 1);
  int calls = 0;
  Init(world[0], {1});
  Ok(PSKVStoreSetUpdater(world[0], NumberUpdater, &calls));
  Fails(Push(world[0], {-1}), PS_NOT_FOUND, "no rule for it");
  Fails(Push(world[0], {-2}), PS_INTERNAL, "a callback returned 9");
  EXPECT_EQ(Pull(world[0], 1), Floats{1});
}

TEST(CKVUpdaterTest, OneForEitherKindOfKey) {
  const HandleBalance balance;
  int calls = 0;
  const CKVWorld numbers("local", 1, 1);
  Init(numbers[0], {1});
  Ok(PSKVStoreSetUpdaterEx(numbers[0], NumberUpdater, TextUpdater, &calls));
  Ok(Push(numbers[0], {1}));
  const CKVWorld texts("local", 1, 1);
  InitStr(texts[0], {1});
  Ok(PSKVStoreSetUpdaterEx(texts[0], nullptr, TextUpdater, &calls));
  Ok(PushStr(texts[0], {1}));
  EXPECT_EQ(calls, 2);
  Ok(PSKVStoreSetUpdater(texts[0], NumberUpdater, &calls));
  Fails(PushStr(texts[0], {1}), PS_FAILED_PRECONDITION, "PSKVStoreSetUpdaterEx");
  EXPECT_EQ(calls, 2);
}

TEST(CKVUpdaterTest, ServersHaveRulesOfTheirOwn) {
  const CKVWorld world("dist_sync", 1, 1);
  Fails(PSKVStoreSetUpdater(world[0], NumberUpdater, nullptr), PS_FAILED_PRECONDITION, "dist_sync");
}

TEST(CKVCompressionTest, GradientsAreCoded) {
  const CKVWorld world("dist_sync", 1, 1);
  const std::array<const char*, 2> names = {"type", "threshold"};
  const std::array<const char*, 2> values = {"2bit", "0.5"};
  Ok(PSKVStoreSetCompression(world[0], 2, names.data(), values.data()));
  Init(world[0], {0, 0, 0});
  Ok(Push(world[0], {.7F, -.7F, .2F}));
  EXPECT_EQ(Pull(world[0], 3), (Floats{.5, -.5, 0}));
  Fails(PSKVStoreSetCompression(world[0], 2, nullptr, values.data()), PS_INVALID_ARGUMENT, "names is null");
}

}  // namespace
}  // namespace ps
