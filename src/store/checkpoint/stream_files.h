#ifndef PS_STORE_CHECKPOINT_STREAM_FILES_H_
#define PS_STORE_CHECKPOINT_STREAM_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "store/checkpoint/files.h"

namespace ps {

// Files of dmlc's library, by URI. It has no rename, sync or removal: a file is there when its stream is
// closed and its size is right, and old checkpoints must be removed by other means. What it throws becomes a
// Status.
class StreamFiles : public CheckpointFiles {
 public:
  // kInvalidArgument: the library was not built for this kind of URI.
  static Result<std::unique_ptr<CheckpointFiles>> At(const std::string& uri);

  Result<std::unique_ptr<FileWriter>> Create(const std::string& name) override;
  Result<std::unique_ptr<FileReader>> Open(const std::string& name) override;
  Result<std::vector<std::string>> List(const std::string& folder) override;
  Status Remove(const std::string& name) override;
  std::string PathOf(const std::string& name) const override;

 private:
  explicit StreamFiles(const std::string& uri) : uri_(uri) {}

  const std::string uri_;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_STREAM_FILES_H_
