// B-24: what a node says to itself passes no link and is never lost.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>

#include "ps/local_cluster.h"
#include "ps/simple_app.h"
#include "tests/support/watchdog.h"
#include "transport/chaos_transport.h"

namespace ps {
namespace {

TEST(RegressB24, ANodeHearsItselfWhereEverythingIsLost) {
  const Watchdog watchdog;
  const auto deaf = std::make_shared<std::atomic<bool>>(false);
  LocalClusterOptions options;
  options.wrap_transport = [deaf](std::unique_ptr<Transport> inner, int) {
    ChaosOptions all;
    all.seed = 1;
    all.drop_percent = 100;
    all.spare = [deaf](const Frame&) { return !*deaf; };
    return MakeChaosTransport(std::move(inner), all);
  };
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  *deaf = true;
  for (Postoffice* node : cluster.nodes()) {
    SimpleApp app(node, 7, 0);
    int heard = 0;
    app.set_request_handle([&heard](const SimpleData& request, SimpleApp* answering) {
      ++heard;
      answering->Response(request);
    });
    for (int i = 0; i < 100; ++i) app.Wait(app.Request(i, "to myself", node->van()->my_node().id));
    EXPECT_EQ(heard, 100);
  }
  *deaf = false;
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps
