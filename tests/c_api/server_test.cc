#include "c_api/server.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/c/base.h"
#include "ps/status.h"

namespace ps::c_api {
namespace {

int Refuse(int head, const char* body, void* context) {
  *static_cast<std::string*>(context) = std::to_string(head) + body;
  return head == 0 ? PS_OK : PSSetLastError(PS_NOT_FOUND, "no such command");
}

TEST(CApiServerTest, AControllersResultIsTheOutcomeOfTheCommand) {
  std::string heard;
  const KVController controller = ControllerOf(Refuse, &heard);
  controller(0, "a");
  EXPECT_EQ(heard, "0a");
  try {
    controller(7, "b");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NotFound("no such command"));
  }
  EXPECT_EQ(ControllerOf(nullptr, nullptr), nullptr);
}

TEST(CApiServerTest, AWorkerDoesNotServe) {
  EXPECT_EQ(PSSetEnv(0, nullptr, nullptr), PS_OK);
  PSLocalCluster cluster = nullptr;
  ASSERT_EQ(PSLocalClusterCreate(nullptr, &cluster), PS_OK) << PSGetLastError();
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  EXPECT_EQ(PSRunServer(node, nullptr, nullptr, 0, nullptr), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
}

TEST(CApiServerTest, AWrongCommandLineIsRefused) {
  const char* const words[] = {"x", nullptr};
  EXPECT_EQ(PSRunServer(nullptr, nullptr, nullptr, -1, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRunServer(nullptr, nullptr, nullptr, 1, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSRunServer(nullptr, nullptr, nullptr, 2, words), PS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace ps::c_api
