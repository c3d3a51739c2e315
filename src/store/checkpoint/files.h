#ifndef PS_STORE_CHECKPOINT_FILES_H_
#define PS_STORE_CHECKPOINT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"

namespace ps {

// A file that is being written, from its beginning to its end. One thread.
class FileWriter {
 public:
  // Unless it was committed, nothing of it is left.
  virtual ~FileWriter() = default;

  // kResourceExhausted: no room. kUnavailable: the device failed. Both name the file and the system's reason.
  // After an error only the destructor may be called.
  virtual Status Append(const void* data, std::size_t size) = 0;
  // The file is there, whole, under its name, and survives a loss of power. Nothing may be appended after it.
  virtual Status Commit() = 0;
};

// A file that is being read. One thread.
class FileReader {
 public:
  virtual ~FileReader() = default;

  // Reads `size` bytes, fewer only at the end of the file; how many they were.
  virtual Result<std::size_t> Read(void* to, std::size_t size) = 0;
  // The next Read begins there, be it beyond the end.
  virtual Status Seek(std::uint64_t position) = 0;
};

// Where checkpoints lie: a folder of folders of files. Names are relative to it, with `/` between their
// parts: `7/shard-0`. Any thread, each file by one.
class CheckpointFiles {
 public:
  virtual ~CheckpointFiles() = default;

  // Replaces a file of this name when it is committed; makes the folders.
  virtual Result<std::unique_ptr<FileWriter>> Create(const std::string& name) = 0;
  // kNotFound
  virtual Result<std::unique_ptr<FileReader>> Open(const std::string& name) = 0;
  // The names in a folder ("": the whole), in no order; none if it is not there.
  virtual Result<std::vector<std::string>> List(const std::string& folder) = 0;
  // Removes a file, or a folder with all that is in it; ok if it is not there.
  // kFailedPrecondition: this kind of place cannot.
  virtual Status Remove(const std::string& name) = 0;
  // For messages: where that is.
  virtual std::string PathOf(const std::string& name) const = 0;
};

// The place that a URI names: a path or `file://` is local, all others are dmlc's (what its library was built
// for: hdfs, s3). kInvalidArgument: no such kind.
Result<std::unique_ptr<CheckpointFiles>> OpenCheckpointFiles(const std::string& uri);

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_FILES_H_
