#include "device/peer_matrix.h"

namespace ps {

std::string PeerWarning(const PeerMatrix& reaches) {
  const std::size_t num_pairs = reaches.size() * (reaches.size() - (reaches.empty() ? 0 : 1));
  std::size_t num_enabled = 0;
  std::string rows;
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    rows += '\n';
    for (std::size_t j = 0; j < reaches.size(); ++j) {
      const bool is_enabled = i != j && reaches[i][j];
      num_enabled += is_enabled ? 1 : 0;
      rows += is_enabled ? 'v' : '.';
    }
  }
  if (num_enabled == num_pairs) return "";
  return "only " + std::to_string(num_enabled) + " out of " + std::to_string(num_pairs) +
         " GPU pairs are enabled direct access. It may affect the performance. You can set "
         "MXNET_ENABLE_GPU_P2P=0 to turn it off" +
         rows;
}

}  // namespace ps
