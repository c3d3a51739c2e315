#include "model/model_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

void ExpectInvalid(const Status& status, const std::vector<std::string>& parts) {
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  for (const std::string& part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos) << "'" << part << "' is not in: " << status;
}

ModelSettings With(const Params& params) {
  ModelSettings settings;
  for (const auto& [name, value] : params) EXPECT_EQ(settings.Set(name, value), Status::Ok()) << name;
  return settings;
}

TEST(ModelSettingsTest, EveryParameterOfTheOriginalIsKnown) {
  const ModelSettings settings = With({{"push_op[3]", "gather"},
                                       {"update_on_server", "1"},
                                       {"test_on_server", "1"},
                                       {"reduce_thread", "4"},
                                       {"bigarray_bound", "1000"},
                                       {"use_pin_memory", "0"},
                                       {"push_thread", "one"},
                                       {"pull_thread", "one"},
                                       {"msg:disable_allreduce", "1"},
                                       {"msg:anything", "goes"}});
  EXPECT_EQ(settings.MergeOf(3), MergeKind::kGather);
  EXPECT_EQ(settings.MergeOf(4), MergeKind::kSum);
  EXPECT_TRUE(settings.update_on_server);
  EXPECT_TRUE(settings.test_on_server);
  EXPECT_EQ(settings.reduce_threads, 4);
  EXPECT_EQ(settings.bigarray_bound, 1000);
  EXPECT_TRUE(settings.one_push_thread);
  EXPECT_TRUE(settings.one_pull_thread);
  EXPECT_TRUE(settings.disable_allreduce);
}

TEST(ModelSettingsTest, TheUpdaterGetsAllButPushOpAndMessages) {  // sm-vec-11
  const ModelSettings settings =
      With({{"lr", ".5"}, {"update_on_server", "1"}, {"msg:x", "1"}, {"push_op[0]", "sum"}, {"lr", ".25"}});
  EXPECT_EQ(settings.for_updater, (Params{{"update_on_server", "1"}, {"lr", ".25"}}));
}

TEST(ModelSettingsTest, WhatIsNotAllowedIsToldWithWhatIs) {  // sm-vec-22
  ModelSettings settings;
  ExpectInvalid(settings.Set("push_op[3]", "max"), {"push_op[3]", "'max'", "sum, mean or gather"});
  ExpectInvalid(settings.Set("push_op", "sum"), {"push_op[<key>]"});
  ExpectInvalid(settings.Set("push_op[x]", "sum"), {"push_op[x]", "push_op[<key>]"});
  ExpectInvalid(settings.Set("push_thread", "two"), {"push_thread", "'two'", "ndev or one"});
  ExpectInvalid(settings.Set("pull_thread", ""), {"pull_thread", "ndev or one"});
  ExpectInvalid(settings.Set("update_on_server", "yes"), {"update_on_server", "0 or 1"});
  ExpectInvalid(settings.Set("reduce_thread", "0"), {"reduce_thread", "from 1 to 1024"});
  ExpectInvalid(settings.Set("bigarray_bound", "-1"), {"bigarray_bound", "from 1"});
  ExpectInvalid(settings.Set("rounds", "0"), {"rounds", "from 1"});
  ExpectInvalid(settings.Set("mode", "ssp"), {"mode", "asp, bsp or ssp:<bound>"});
  ExpectInvalid(settings.Set("scale", "half"), {"scale", "sum or mean"});
  EXPECT_TRUE(settings.for_updater.empty()) << "nothing has changed";
}

TEST(ModelSettingsTest, ModesAreRead) {
  EXPECT_EQ(With({{"mode", "asp"}}).consistency.mode, Consistency::kAsp);
  EXPECT_EQ(With({{"mode", "bsp"}}).consistency.mode, Consistency::kBsp);
  const Consistency ssp = With({{"mode", "ssp:3"}}).consistency;
  EXPECT_EQ(ssp.mode, Consistency::kSsp);
  EXPECT_EQ(ssp.bound, 3);
  EXPECT_TRUE(With({{"scale", "mean"}}).mean);
  EXPECT_FALSE(With({{"scale", "mean"}, {"scale", "sum"}}).mean);
}

TEST(ModelSettingsTest, TypesHaveNames) {
  EXPECT_EQ(ModelTypeNamed("local").value(), ModelType::kLocal);
  EXPECT_EQ(ModelTypeNamed("dist").value(), ModelType::kDist);
  EXPECT_EQ(ModelTypeNamed("allreduce").value(), ModelType::kAllreduce);
  ExpectInvalid(ModelTypeNamed("rabit").status(), {"'rabit'", "local, dist or allreduce"});
}

TEST(ModelSettingsTest, DevicesAreNumbersFromZeroEachOnce) {  // sm-vec-21
  const ModelSettings settings;
  EXPECT_EQ(settings.Check(ModelType::kLocal, {3, 7}), Status::Ok());
  ExpectInvalid(settings.Check(ModelType::kLocal, {}), {"Init got none"});
  ExpectInvalid(settings.Check(ModelType::kLocal, {0, -1}), {"device -1"});
  ExpectInvalid(settings.Check(ModelType::kLocal, {4, 4}), {"device 4 is named twice"});
}

TEST(ModelSettingsTest, WhatDoesNotGoTogetherIsRefused) {
  const std::vector<int> devices = {0, 1};
  ExpectInvalid(With({{"update_on_server", "1"}}).Check(ModelType::kLocal, devices),
                {"update_on_server=1", "SetUpdater"});
  ExpectInvalid(With({{"test_on_server", "1"}}).Check(ModelType::kLocal, devices), {"test_on_server=1"});
  ModelSettings updates = With({{"update_on_server", "1"}, {"push_op[2]", "gather"}});
  updates.updater = UpdaterChoice{"sgd", {}};
  ExpectInvalid(updates.Check(ModelType::kLocal, devices), {"push_op[2]=gather", "updater"});
  ExpectInvalid(With({{"push_op[2]", "gather"}}).Check(ModelType::kDist, devices), {"push_op[2]=gather"});
  EXPECT_EQ(With({{"push_op[2]", "gather"}}).Check(ModelType::kLocal, devices), Status::Ok());
  ModelSettings tests = With({{"test_on_server", "1"}});
  tests.updater = UpdaterChoice{"sgd", {}};
  ExpectInvalid(tests.Check(ModelType::kDist, devices), {"test_on_server=1", "local or allreduce"});
  ExpectInvalid(With({{"scale", "mean"}}).Check(ModelType::kDist, devices), {"scale=mean", "mode=bsp"});
  EXPECT_EQ(With({{"scale", "mean"}, {"mode", "bsp"}}).Check(ModelType::kDist, devices), Status::Ok());
  ExpectInvalid(With({{"msg:disable_allreduce", "1"}}).Check(ModelType::kAllreduce, devices),
                {"msg:disable_allreduce=1"});
}

TEST(ModelSettingsTest, VariablesAreChecked) {
  const auto read = [](const Environment::Map& map) {
    return ModelEnvironment::Read(Environment(map, Environment::Fallback::kMapOnly));
  };
  EXPECT_FALSE(read({}).value().force_stream);
  EXPECT_EQ(read({}).value().barrier_timeout_ms, 600000);
  EXPECT_TRUE(read({{"PS_FORCE_STREAM", "1"}}).value().force_stream);
  EXPECT_EQ(read({{"PS_BARRIER_TIMEOUT", "1.5"}}).value().barrier_timeout_ms, 1500);
  ExpectInvalid(read({{"PS_FORCE_STREAM", "on"}}).status(), {"PS_FORCE_STREAM", "0 or 1"});
  ExpectInvalid(read({{"PS_BARRIER_TIMEOUT", "soon"}}).status(), {"PS_BARRIER_TIMEOUT"});
}

}  // namespace
}  // namespace ps
