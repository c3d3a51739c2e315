#ifndef PS_STORE_CHECKPOINT_MANIFEST_H_
#define PS_STORE_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ps/range.h"
#include "ps/status.h"
#include "store/checkpoint/files.h"

namespace ps {

// A server's part of a table in its shard file.
struct SavedPart {
  std::string name;
  std::uint64_t spec_digest = 0;
  bool is_hash = false;
  std::uint64_t num_units = 0;  // rows of the whole table, or all slots
  Range range;                  // of those
  std::uint64_t num_rows = 0;
  bool has_rounds = false;  // BSP
  std::uint64_t rounds_closed = 0;
  std::uint64_t position = 0;  // of its first block
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;  // of the heads of its blocks
};

// What a server answers when it has written its file; whoever asked for the checkpoint makes the manifest of
// these.
struct ShardFile {
  int server = 0;
  std::uint64_t bytes = 0;
  std::vector<SavedPart> parts;
};
std::string EncodeShardFile(const ShardFile& file);
// Any bytes may come: kInvalidArgument.
Result<ShardFile> DecodeShardFile(std::string_view bytes);

// The list of what belongs to a checkpoint. It is written last: with it the checkpoint is there, without it
// there is none. A plain value.
struct Manifest {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;
  std::int64_t saved_at_ms = 0;   // since 1970
  std::vector<ShardFile> shards;  // by server: of all, from 0 on

  // kInvalidArgument names what is missing, or doubled, or of another round than the rest.
  Status Validate() const;
};
std::string EncodeManifest(const Manifest& manifest);
// Any bytes may come: kInvalidArgument. What comes out is valid.
Result<Manifest> DecodeManifest(std::string_view bytes);

std::string ManifestName(std::uint64_t step);
std::string ShardName(std::uint64_t step, int server);

// The commit. kAlreadyExists: there is a checkpoint of this step.
Status WriteManifest(CheckpointFiles* files, const Manifest& manifest);
// kNotFound: this step has none. kFailedPrecondition: it was not written to its end. kInvalidArgument names
// what is wrong with it.
Result<Manifest> ReadManifest(CheckpointFiles* files, std::uint64_t step);

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_MANIFEST_H_
