#include "kvstore/mxnet_settings.h"

#include <gtest/gtest.h>

#include "ps/environment.h"
#include "tests/support/log_capture.h"

namespace ps {
namespace {

MxnetSettings Settings(const Environment::Map& entries) {
  return MxnetSettings::Read(Environment(entries, Environment::Fallback::kMapOnly)).value();
}

TEST(MxnetSettingsTest, NothingIsSetByItself) {
  const MxnetSettings settings = Settings({{"MXNET_KVSTORE_BIGARRAY_BOUND", ""}});
  EXPECT_FALSE(settings.bigarray_bound);
  EXPECT_FALSE(settings.slice_elements);
  EXPECT_FALSE(settings.num_threads);
  EXPECT_TRUE(settings.update_on_kvstore);
}

TEST(MxnetSettingsTest, ReadsMxnetsVariables) {
  const MxnetSettings settings = Settings({{"MXNET_KVSTORE_BIGARRAY_BOUND", "5000"},
                                           {"MXNET_KVSTORE_SLICE_THRESHOLD", "40000"},
                                           {"MXNET_KVSTORE_REDUCTION_NTHREADS", "8"},
                                           {"MXNET_UPDATE_ON_KVSTORE", "0"}});
  EXPECT_EQ(settings.bigarray_bound.value(), 5000);
  EXPECT_EQ(settings.slice_elements.value(), 40000);
  EXPECT_EQ(settings.num_threads.value(), 8);
  EXPECT_FALSE(settings.update_on_kvstore);
}

TEST(MxnetSettingsTest, WrongValuesAreRefusedByName) {
  for (const auto& [name, value] : Environment::Map{{"MXNET_KVSTORE_BIGARRAY_BOUND", "many"},
                                                    {"MXNET_KVSTORE_SLICE_THRESHOLD", "0"},
                                                    {"MXNET_KVSTORE_REDUCTION_NTHREADS", "-1"},
                                                    {"MXNET_UPDATE_ON_KVSTORE", "yes"}}) {
    const Environment environment({{name, value}}, Environment::Fallback::kMapOnly);
    const Status status = MxnetSettings::Read(environment).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
    EXPECT_NE(status.message().find(value), std::string::npos) << status;
  }
}

TEST(MxnetSettingsTest, OthersAreToldOfOnce) {
  LogCapture log;
  for (int i = 0; i < 2; ++i) static_cast<void>(Settings({{"MXNET_KVSTORE_USETREE", "1"}}));
  EXPECT_EQ(log.Count("MXNET_KVSTORE_USETREE"), 1);
}

}  // namespace
}  // namespace ps
