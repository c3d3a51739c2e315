// A file that is gone at the end of the test.
#ifndef PS_TESTS_SUPPORT_TEMPORARY_FILE_H_
#define PS_TESTS_SUPPORT_TEMPORARY_FILE_H_

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace ps {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content = "")
      : path_(std::filesystem::temp_directory_path() / Name()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  static std::string Name() {
    static std::atomic<int> count{0};
    return "ps_test." + std::to_string(getpid()) + '.' + std::to_string(count++);
  }

  const std::filesystem::path path_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_TEMPORARY_FILE_H_
