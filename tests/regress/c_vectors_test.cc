// The acceptance vectors of the store and of its tables through the C interface alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ps/c_api.h"
#include "tests/support/c_store.h"
#include "tests/support/table_program.h"
#include "tests/support/vector_program.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

enum class World { kLocal, kCluster };

// The stores of all workers of a vector.
class CWorld {
 public:
  CWorld(World world, int servers, int workers) {
    std::vector<PSStore> handles(static_cast<std::size_t>(workers));
    if (world == World::kLocal)
      Check(PSStoreLocal(servers, workers, 0, handles.data()));
    else
      StartCluster(servers, workers, &handles);
    for (const PSStore handle : handles) stores_.push_back(MakeCStore(handle));
  }
  ~CWorld() {
    stores_.clear();
    EXPECT_EQ(PSLocalClusterFree(cluster_), PS_OK);
  }
  CWorld(const CWorld&) = delete;
  CWorld& operator=(const CWorld&) = delete;

  const std::vector<std::shared_ptr<AnyStore>>& stores() const { return stores_; }

 private:
  static void Check(int code) { ASSERT_EQ(code, PS_OK) << PSGetLastError(); }
  void StartCluster(int servers, int workers, std::vector<PSStore>* handles) {
    PSLocalClusterOptions options{};
    options.struct_size = sizeof options;
    options.servers = servers;
    options.workers = workers;
    Check(PSLocalClusterCreate(&options, &cluster_));
    for (std::size_t rank = 0; rank < handles->size(); ++rank) {
      PSNode node = nullptr;
      Check(PSLocalClusterWorker(cluster_, static_cast<int>(rank), &node));
      Check(PSStoreCreate(node, &(*handles)[rank]));
      Check(PSNodeFree(node));
    }
  }

  Watchdog watchdog_;
  PSLocalCluster cluster_ = nullptr;
  std::vector<std::shared_ptr<AnyStore>> stores_;
};

class CVectors : public testing::TestWithParam<World> {
 protected:
  template <typename Program>
  void RunAll(const std::string& file) {
    std::size_t num_run = 0;
    for (const nlohmann::json& vector : Program::Read(file)) {
      const CWorld world(GetParam(), vector.at("servers"), vector.at("workers"));
      EXPECT_EQ(Program(vector, world.stores(), [] {}).Run(), std::vector<std::string>());
      ++num_run;
    }
    EXPECT_GE(num_run, 5U);
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, CVectors, testing::Values(World::kLocal, World::kCluster),
                         [](const testing::TestParamInfo<World>& info) {
                           return info.param == World::kLocal ? "Local" : "Cluster";
                         });

TEST_P(CVectors, Tables) { RunAll<TableProgram>("tables.json"); }
TEST_P(CVectors, Consistency) { RunAll<VectorProgram>("consistency.json"); }
TEST_P(CVectors, Rounds) { RunAll<VectorProgram>("rounds.json"); }
TEST_P(CVectors, Updaters) { RunAll<VectorProgram>("updaters.json"); }
TEST_P(CVectors, Compression) { RunAll<VectorProgram>("compression.json"); }

}  // namespace
}  // namespace ps
