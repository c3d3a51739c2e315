#include "store/checkpoint/files.h"

#include "store/checkpoint/local_files.h"
#include "store/checkpoint/stream_files.h"

namespace ps {
namespace {

constexpr char kLocal[] = "file://";

}  // namespace

Result<std::unique_ptr<CheckpointFiles>> OpenCheckpointFiles(const std::string& uri) {
  const bool is_file_uri = uri.compare(0, sizeof(kLocal) - 1, kLocal) == 0;
  const std::string path = is_file_uri ? uri.substr(sizeof(kLocal) - 1) : uri;
  if (path.empty()) return Status::InvalidArgument("`" + uri + "` names no place for checkpoints");
  if (is_file_uri || uri.find("://") == std::string::npos) {
    return std::unique_ptr<CheckpointFiles>(std::make_unique<LocalFiles>(path));
  }
  return StreamFiles::At(uri);
}

}  // namespace ps
