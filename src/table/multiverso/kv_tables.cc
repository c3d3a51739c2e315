#include "ps/multiverso/kv_tables.h"

#include "store/mix64.h"

namespace multiverso {

int ServerOfHash(std::uint64_t hash, int num_servers) {
  return static_cast<int>(ps::Mix64(hash) % static_cast<std::uint64_t>(num_servers));
}

void CheckPairs(const std::vector<Blob>& blobs, std::size_t key_bytes, std::size_t value_bytes) {
  const bool are_two = blobs.size() >= 2;
  if (are_two && blobs[0].size() % key_bytes == 0 && blobs[1].size() % value_bytes == 0 &&
      blobs[0].size() / key_bytes == blobs[1].size() / value_bytes)
    return;
  throw ps::Error(ps::Status::InvalidArgument(
      "a map takes a value of " + std::to_string(value_bytes) + " bytes for each key of " +
      std::to_string(key_bytes) + ", not " +
      (are_two ? std::to_string(blobs[1].size()) + " bytes for keys of " + std::to_string(blobs[0].size())
               : std::to_string(blobs.size()) + " blobs")));
}

}  // namespace multiverso
