#include "store/checkpoint/local_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace ps {
namespace {

constexpr std::size_t kGathered = std::size_t{256} << 10;

Status SystemFault(const std::string& path, const char* what, int error) {
  StatusCode code = StatusCode::kUnavailable;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG || error == EMFILE || error == ENFILE) {
    code = StatusCode::kResourceExhausted;
  } else if (error == ENOENT || error == ENOTDIR) {
    code = StatusCode::kNotFound;
  }
  return Status(code, path + " cannot be " + what + ": " + std::strerror(error) + " (errno " +
                          std::to_string(error) + ")");
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The names in a folder are data too. Where folders cannot be synced they need not be.
Status SyncFolder(const std::string& folder) {
  const Descriptor open_folder(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_folder.is_open()) return SystemFault(folder, "opened", errno);
  if (fsync(open_folder.fd()) != 0 && errno != EINVAL) return SystemFault(folder, "synced", errno);
  return Status::Ok();
}

Status MakeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return SyncFolder(FolderOf(folder));
  if (errno == EEXIST) return Status::Ok();
  if (errno != ENOENT || folder == FolderOf(folder)) return SystemFault(folder, "made", errno);
  PS_RETURN_IF_ERROR(MakeFolder(FolderOf(folder)));
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return SystemFault(folder, "made", errno);
  return SyncFolder(FolderOf(folder));
}

class LocalReader : public FileReader {
 public:
  LocalReader(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::size_t> Read(void* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t part = read(file_.fd(), static_cast<char*>(to) + done, size - done);
      if (part < 0 && errno == EINTR) continue;
      if (part < 0) return SystemFault(path_, "read", errno);
      if (part == 0) break;
      done += static_cast<std::size_t>(part);
    }
    return done;
  }

  Status Seek(std::uint64_t position) override {
    if (position > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) ||
        lseek(file_.fd(), static_cast<off_t>(position), SEEK_SET) < 0) {
      return SystemFault(path_, "read", EINVAL);
    }
    return Status::Ok();
  }

 private:
  Descriptor file_;
  const std::string path_;
};

}  // namespace

LocalWriter::LocalWriter(Descriptor file, std::string unfinished, std::string path)
    : file_(std::move(file)), unfinished_(std::move(unfinished)), path_(std::move(path)) {
  gathered_.reserve(kGathered);
}

LocalWriter::~LocalWriter() {
  if (!is_committed_) unlink(unfinished_.c_str());
}

Status LocalWriter::Append(const void* data, std::size_t size) {
  const char* const bytes = static_cast<const char*>(data);
  if (gathered_.size() + size > kGathered) PS_RETURN_IF_ERROR(Flush());
  if (size >= kGathered) return WriteOut(bytes, size);
  gathered_.insert(gathered_.end(), bytes, bytes + size);
  return Status::Ok();
}

Status LocalWriter::Flush() {
  PS_RETURN_IF_ERROR(WriteOut(gathered_.data(), gathered_.size()));
  gathered_.clear();
  return Status::Ok();
}

Status LocalWriter::WriteOut(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t part = write(file_.fd(), data, size);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return SystemFault(path_, "written", errno);
    data += part;
    size -= static_cast<std::size_t>(part);
  }
  return Status::Ok();
}

Status LocalWriter::Commit() {
  PS_RETURN_IF_ERROR(Flush());
  if (fsync(file_.fd()) != 0) return SystemFault(path_, "synced", errno);
  if (rename(unfinished_.c_str(), path_.c_str()) != 0) return SystemFault(path_, "written", errno);
  is_committed_ = true;
  file_.Close();
  return SyncFolder(FolderOf(path_));
}

std::string LocalFiles::PathOf(const std::string& name) const {
  return name.empty() ? folder_ : folder_ + "/" + name;
}

Result<std::unique_ptr<FileWriter>> LocalFiles::Create(const std::string& name) {
  const std::string path = PathOf(name);
  const std::string unfinished = path + ".part";
  PS_RETURN_IF_ERROR(MakeFolder(FolderOf(path)));
  // What was left of an earlier try is not continued, nor followed if it is a link.
  unlink(unfinished.c_str());
  Descriptor file(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return SystemFault(path, "written", errno);
  return std::unique_ptr<FileWriter>(std::make_unique<LocalWriter>(std::move(file), unfinished, path));
}

Result<std::unique_ptr<FileReader>> LocalFiles::Open(const std::string& name) {
  const std::string path = PathOf(name);
  // Opening a pipe would wait for a writer.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return SystemFault(path, "read", errno);
  struct stat about {};
  if (fstat(file.fd(), &about) != 0) return SystemFault(path, "read", errno);
  if (!S_ISREG(about.st_mode)) return Status::InvalidArgument(path + " is no plain file");
  return std::unique_ptr<FileReader>(std::make_unique<LocalReader>(std::move(file), path));
}

Result<std::vector<std::string>> LocalFiles::List(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(PathOf(folder), error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return SystemFault(PathOf(folder), "listed", error.value());
  }
  return names;
}

Status LocalFiles::Remove(const std::string& name) {
  std::error_code error;
  std::filesystem::remove_all(PathOf(name), error);
  return error ? SystemFault(PathOf(name), "removed", error.value()) : Status::Ok();
}

}  // namespace ps
