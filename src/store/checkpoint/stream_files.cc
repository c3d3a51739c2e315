#include "store/checkpoint/stream_files.h"

#include <dmlc/io.h>

#include <exception>
#include <functional>
#include <limits>
#include <utility>

namespace ps {
namespace {

// dmlc's texts begin with a time and a place in its source, and end with a stack.
std::string FirstLine(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  const std::size_t place = line.find(".cc:");
  const std::size_t colon = place == std::string::npos ? place : line.find(": ", place);
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

// Everything of dmlc may throw.
Status Guarded(const std::string& path, const char* what, const std::function<Status()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    return Status::Unavailable(path + " cannot be " + what + ": " + FirstLine(error.what()));
  }
}

dmlc::io::FileSystem* SystemOf(const std::string& path) {
  return dmlc::io::FileSystem::GetInstance(dmlc::io::URI(path.c_str()));
}

std::string LastPart(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  const std::size_t slash = path.find_last_of('/', end);
  return path.substr(slash == std::string::npos ? 0 : slash + 1, end - slash);
}

class StreamWriter : public FileWriter {
 public:
  StreamWriter(std::unique_ptr<dmlc::Stream> stream, std::string path)
      : stream_(std::move(stream)), path_(std::move(path)) {}

  Status Append(const void* data, std::size_t size) override {
    return Guarded(path_, "written", [&] {
      stream_->Write(data, size);
      size_ += size;
      return Status::Ok();
    });
  }

  // Closing says nothing of what went wrong: the size does.
  Status Commit() override {
    return Guarded(path_, "written", [&] {
      stream_.reset();
      const std::size_t found = SystemOf(path_)->GetPathInfo(dmlc::io::URI(path_.c_str())).size;
      if (found == size_) return Status::Ok();
      return Status::Unavailable(path_ + " cannot be written: " + std::to_string(found) + " of " +
                                 std::to_string(size_) + " bytes are there");
    });
  }

 private:
  std::unique_ptr<dmlc::Stream> stream_;
  const std::string path_;
  std::size_t size_ = 0;
};

class StreamReader : public FileReader {
 public:
  StreamReader(std::unique_ptr<dmlc::SeekStream> stream, std::string path)
      : stream_(std::move(stream)), path_(std::move(path)) {}

  Result<std::size_t> Read(void* to, std::size_t size) override {
    std::size_t done = 0;
    const Status status = Guarded(path_, "read", [&] {
      while (done < size) {
        const std::size_t part = stream_->Read(static_cast<char*>(to) + done, size - done);
        if (part == 0) break;
        done += part;
      }
      return Status::Ok();
    });
    if (!status.ok()) return status;
    return done;
  }

  Status Seek(std::uint64_t position) override {
    return Guarded(path_, "read", [&] {
      stream_->Seek(static_cast<std::size_t>(position));
      return Status::Ok();
    });
  }

 private:
  const std::unique_ptr<dmlc::SeekStream> stream_;
  const std::string path_;
};

}  // namespace

Result<std::unique_ptr<CheckpointFiles>> StreamFiles::At(const std::string& uri) {
  const Status known = Guarded(uri, "used", [&] {
    SystemOf(uri);
    return Status::Ok();
  });
  if (!known.ok()) return Status::InvalidArgument(known.message());
  return std::unique_ptr<CheckpointFiles>(new StreamFiles(uri));
}

std::string StreamFiles::PathOf(const std::string& name) const {
  return name.empty() ? uri_ : uri_ + "/" + name;
}

Result<std::unique_ptr<FileWriter>> StreamFiles::Create(const std::string& name) {
  const std::string path = PathOf(name);
  std::unique_ptr<dmlc::Stream> stream;
  PS_RETURN_IF_ERROR(Guarded(path, "written", [&] {
    stream.reset(dmlc::Stream::Create(path.c_str(), "w"));
    return Status::Ok();
  }));
  return std::unique_ptr<FileWriter>(std::make_unique<StreamWriter>(std::move(stream), path));
}

Result<std::unique_ptr<FileReader>> StreamFiles::Open(const std::string& name) {
  const std::string path = PathOf(name);
  std::unique_ptr<dmlc::SeekStream> stream;
  PS_RETURN_IF_ERROR(Guarded(path, "read", [&] {
    stream.reset(dmlc::SeekStream::CreateForRead(path.c_str(), true));
    return Status::Ok();
  }));
  if (stream == nullptr) return Status::NotFound(path + " cannot be read: it is not there");
  return std::unique_ptr<FileReader>(std::make_unique<StreamReader>(std::move(stream), path));
}

// A folder that is not there, and one that cannot be listed, look the same.
Result<std::vector<std::string>> StreamFiles::List(const std::string& folder) {
  const std::string path = PathOf(folder);
  std::vector<std::string> names;
  std::vector<dmlc::io::FileInfo> files;
  const Status status = Guarded(path, "listed", [&] {
    SystemOf(path)->ListDirectory(dmlc::io::URI(path.c_str()), &files);
    return Status::Ok();
  });
  if (!status.ok()) return names;
  for (const dmlc::io::FileInfo& file : files) names.push_back(LastPart(file.path.name));
  return names;
}

Status StreamFiles::Remove(const std::string& name) {
  return Status::FailedPrecondition(PathOf(name) +
                                    " must be removed by other means: this kind of place cannot");
}

}  // namespace ps
