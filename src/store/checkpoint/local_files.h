#ifndef PS_STORE_CHECKPOINT_LOCAL_FILES_H_
#define PS_STORE_CHECKPOINT_LOCAL_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "store/checkpoint/files.h"

namespace ps {

// A folder of this machine, or one that is mounted. A file is written under another name (`.part`), synced,
// and renamed; then its folder is synced. So it is there whole or not at all.
class LocalFiles : public CheckpointFiles {
 public:
  explicit LocalFiles(const std::string& folder) : folder_(folder) {}

  Result<std::unique_ptr<FileWriter>> Create(const std::string& name) override;
  Result<std::unique_ptr<FileReader>> Open(const std::string& name) override;
  Result<std::vector<std::string>> List(const std::string& folder) override;
  Status Remove(const std::string& name) override;
  std::string PathOf(const std::string& name) const override;

 private:
  const std::string folder_;
};

// Writes to an open file and renames it at the end. Gathers what is small.
class LocalWriter : public FileWriter {
 public:
  // `unfinished` is the path of `file` until then.
  LocalWriter(Descriptor file, std::string unfinished, std::string path);
  ~LocalWriter() override;

  Status Append(const void* data, std::size_t size) override;
  Status Commit() override;

 private:
  Status WriteOut(const char* data, std::size_t size);
  Status Flush();

  Descriptor file_;
  const std::string unfinished_;
  const std::string path_;
  std::vector<char> gathered_;
  bool is_committed_ = false;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_LOCAL_FILES_H_
