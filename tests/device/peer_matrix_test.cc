#include "device/peer_matrix.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(PeerMatrixTest, SaysNothingWhenAllReachEachOther) {
  EXPECT_EQ(PeerWarning({}), "");
  EXPECT_EQ(PeerWarning({{false}}), "");
  EXPECT_EQ(PeerWarning({{false, true}, {true, false}}), "");
}

TEST(PeerMatrixTest, CountsPairsAndDrawsThem) {
  EXPECT_EQ(PeerWarning({{true, true, false}, {true, true, false}, {true, false, true}}),
            "only 3 out of 6 GPU pairs are enabled direct access. It may affect the performance. You can set "
            "MXNET_ENABLE_GPU_P2P=0 to turn it off\n.v.\nv..\nv..");
}

}  // namespace
}  // namespace ps
