// Files of checkpoints in memory, which fail when a test wants it.
#ifndef PS_TESTS_SUPPORT_FAKE_FILES_H_
#define PS_TESTS_SUPPORT_FAKE_FILES_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/checkpoint/files.h"

namespace ps {

class FakeFiles : public CheckpointFiles {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // By name, whole ones.
  std::map<std::string, std::string> files;
  // This call of any kind fails, counted from 0; and this byte is the first that cannot be written.
  std::uint64_t failing_call = kNever;
  std::uint64_t failing_byte = kNever;
  std::uint64_t num_calls = 0;
  std::uint64_t num_bytes = 0;
  std::uint64_t num_read = 0;
  bool can_remove = true;

  Result<std::unique_ptr<FileWriter>> Create(const std::string& name) override {
    PS_RETURN_IF_ERROR(Call(name));
    return std::unique_ptr<FileWriter>(new Writer(this, name));
  }
  Result<std::unique_ptr<FileReader>> Open(const std::string& name) override {
    PS_RETURN_IF_ERROR(Call(name));
    if (files.count(name) == 0) return Status::NotFound(PathOf(name) + " is not there");
    return std::unique_ptr<FileReader>(new Reader(this, name));
  }
  Result<std::vector<std::string>> List(const std::string& folder) override {
    PS_RETURN_IF_ERROR(Call(folder));
    const std::string prefix = folder.empty() ? "" : folder + "/";
    std::set<std::string> names;
    for (const auto& [name, text] : files) {
      if (name.compare(0, prefix.size(), prefix) != 0) continue;
      names.insert(name.substr(prefix.size(), name.find('/', prefix.size()) - prefix.size()));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }
  Status Remove(const std::string& name) override {
    if (!can_remove) return Status::FailedPrecondition(PathOf(name) + " cannot be removed");
    PS_RETURN_IF_ERROR(Call(name));
    for (auto file = files.begin(); file != files.end();) {
      const bool within = file->first == name || file->first.compare(0, name.size() + 1, name + "/") == 0;
      file = within ? files.erase(file) : std::next(file);
    }
    return Status::Ok();
  }
  std::string PathOf(const std::string& name) const override { return "fake:" + name; }

 private:
  class Writer : public FileWriter {
   public:
    Writer(FakeFiles* owner, std::string name) : owner_(owner), name_(std::move(name)) {}
    Status Append(const void* data, std::size_t size) override {
      PS_RETURN_IF_ERROR(owner_->Call(name_));
      if (size > owner_->failing_byte - owner_->num_bytes) {
        return Status::ResourceExhausted(owner_->PathOf(name_) + ": no space");
      }
      owner_->num_bytes += size;
      text_.append(static_cast<const char*>(data), size);
      return Status::Ok();
    }
    Status Commit() override {
      PS_RETURN_IF_ERROR(owner_->Call(name_));
      owner_->files[name_] = std::move(text_);
      return Status::Ok();
    }

   private:
    FakeFiles* const owner_;
    const std::string name_;
    std::string text_;
  };

  class Reader : public FileReader {
   public:
    Reader(FakeFiles* owner, std::string name)
        : owner_(owner), name_(std::move(name)), text_(owner->files[name_]) {}
    Result<std::size_t> Read(void* to, std::size_t size) override {
      PS_RETURN_IF_ERROR(owner_->Call(name_));
      const std::size_t taken = std::min(size, text_.size() - std::min(at_, text_.size()));
      std::copy_n(text_.data() + std::min(at_, text_.size()), taken, static_cast<char*>(to));
      at_ += taken;
      owner_->num_read += taken;
      return taken;
    }
    Status Seek(std::uint64_t position) override {
      at_ = static_cast<std::size_t>(position);
      return owner_->Call(name_);
    }

   private:
    FakeFiles* const owner_;
    const std::string name_;
    const std::string text_;
    std::size_t at_ = 0;
  };

  Status Call(const std::string& name) {
    if (num_calls++ != failing_call) return Status::Ok();
    return Status::Unavailable(PathOf(name) + ": the device failed");
  }
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_FAKE_FILES_H_
