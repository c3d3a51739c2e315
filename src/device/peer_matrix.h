#ifndef PS_DEVICE_PEER_MATRIX_H_
#define PS_DEVICE_PEER_MATRIX_H_

#include <string>
#include <vector>

namespace ps {

// Which devices can use each other's memory: [i][j] says whether device i reaches that of j. What is at
// [i][i] does not count.
using PeerMatrix = std::vector<std::vector<bool>>;

// MXNet's warning when not all ordered pairs can, with a row of `v` and `.` for each device; empty when all
// can.
std::string PeerWarning(const PeerMatrix& reaches);

}  // namespace ps

#endif  // PS_DEVICE_PEER_MATRIX_H_
