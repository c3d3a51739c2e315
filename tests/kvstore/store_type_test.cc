#include "kvstore/store_type.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

StoreType Parsed(const std::string& name) { return ParseStoreType(name, "").value(); }

TEST(StoreTypeTest, NamesOfOneProcess) {
  for (const char* name : {"local", "local_update_cpu", "local_allreduce_cpu"}) {
    EXPECT_FALSE(Parsed(name).is_distributed) << name;
    EXPECT_FALSE(Parsed(name).on_device) << name;
  }
  EXPECT_TRUE(Parsed("device").on_device);
  EXPECT_TRUE(Parsed("local_allreduce_device").on_device);
  EXPECT_TRUE(Parsed("nccl").is_nccl);
}

TEST(StoreTypeTest, DistributedNamesSayWhenARoundEnds) {
  for (const char* name : {"dist", "dist_sync", "dist_device_sync", "dist_sync_device", "dist_device"}) {
    EXPECT_TRUE(Parsed(name).is_distributed) << name;
    EXPECT_TRUE(Parsed(name).is_synchronous()) << name;
  }
  for (const char* name : {"dist_async", "dist_async_device", "dist_device_async"})
    EXPECT_EQ(Parsed(name).consistency.mode, Consistency::kAsp) << name;
  EXPECT_TRUE(Parsed("dist_device_sync").on_device);
  EXPECT_FALSE(Parsed("dist_sync").on_device);
}

TEST(StoreTypeTest, SspSaysItsBound) {
  const StoreType type = Parsed("dist_ssp:3");
  EXPECT_EQ(type.consistency.mode, Consistency::kSsp);
  EXPECT_EQ(type.consistency.bound, 3);
  EXPECT_EQ(Parsed("dist_ssp:0").consistency.mode, Consistency::kSsp) << "which is not BSP";
  EXPECT_TRUE(Parsed("dist_device_ssp:1").on_device);
  for (const char* wrong : {"dist_ssp:", "dist_ssp:-1", "dist_ssp:x", "dist_ssp:1.5", "dist_ssp:99999999"}) {
    const Status status = ParseStoreType(wrong, "").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_NE(status.message().find("bound"), std::string::npos) << status;
  }
}

TEST(StoreTypeTest, UnknownNamesAreRefusedWithTheList) {
  for (const char* wrong : {"no-such-store", "", "distasync", "local_", "dist_ssp"}) {
    const Status status = ParseStoreType(wrong, ", teststore").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_NE(status.message().find("dist_async"), std::string::npos) << status;
    EXPECT_NE(status.message().find("teststore"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace ps
