#include "store/checkpoint/local_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "store/checkpoint/steps.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/job.h"

namespace ps {
namespace {

class LocalFilesTest : public testing::Test {
 protected:
  LocalFilesTest() { folder_ = NewFolder("ps_checkpoint"); }
  ~LocalFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string Text(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  // All files, with their folders.
  std::vector<std::string> All() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_directory()) names.push_back(std::filesystem::relative(entry.path(), folder_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
};

TEST_F(LocalFilesTest, AFileAppearsWhenItIsCommitted) {
  LocalFiles files(folder_);
  Result<std::unique_ptr<FileWriter>> file = files.Create("a/b/c");
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string large(600000, 'x');
  EXPECT_TRUE(file.value()->Append("begin", 5).ok());
  EXPECT_TRUE(file.value()->Append(large.data(), large.size()).ok());
  EXPECT_TRUE(file.value()->Append("end", 3).ok());
  EXPECT_EQ(files.Open("a/b/c").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(All(), std::vector<std::string>{"a/b/c.part"});
  ASSERT_TRUE(file.value()->Commit().ok());
  EXPECT_EQ(All(), std::vector<std::string>{"a/b/c"});
  EXPECT_EQ(Text("a/b/c"), "begin" + large + "end");
}

TEST_F(LocalFilesTest, WhatIsNotCommittedLeavesNothing) {
  LocalFiles files(folder_);
  {
    const auto file = std::move(files.Create("a/c").value());
    EXPECT_TRUE(file->Append("x", 1).ok());
  }
  EXPECT_TRUE(All().empty());
}

TEST_F(LocalFilesTest, ReplacesAFileAtOnceAndWhatWasLeftOfATry) {
  LocalFiles files(folder_);
  std::ofstream(folder_ + "/c") << "old";
  std::ofstream(folder_ + "/elsewhere") << "untouched";
  ASSERT_EQ(symlink((folder_ + "/elsewhere").c_str(), (folder_ + "/c.part").c_str()), 0);
  const auto file = std::move(files.Create("c").value());
  EXPECT_TRUE(file->Append("new", 3).ok());
  EXPECT_EQ(Text("c"), "old");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(Text("c"), "new");
  EXPECT_EQ(Text("elsewhere"), "untouched");
}

TEST_F(LocalFilesTest, ReadsFromAnywhere) {
  LocalFiles files(folder_);
  std::ofstream(folder_ + "/c") << "0123456789";
  const auto file = std::move(files.Open("c").value());
  char text[20] = {};
  EXPECT_EQ(file->Read(text, 4).value(), 4u);
  EXPECT_TRUE(file->Seek(8).ok());
  EXPECT_EQ(file->Read(text, 20).value(), 2u);
  EXPECT_EQ(std::string(text, 4), "8923");
  EXPECT_TRUE(file->Seek(100).ok());
  EXPECT_EQ(file->Read(text, 20).value(), 0u);
  EXPECT_FALSE(file->Seek(~std::uint64_t{0}).ok());
}

TEST_F(LocalFilesTest, SaysWhyAFileCannotBeRead) {
  LocalFiles files(folder_);
  EXPECT_EQ(files.Open("c").status(),
            Status::NotFound(folder_ + "/c cannot be read: No such file or directory (errno 2)"));
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(files.Open("pipe").status(), Status::InvalidArgument(folder_ + "/pipe is no plain file"));
  EXPECT_FALSE(files.Open("").ok());
}

TEST_F(LocalFilesTest, ListsAndRemoves) {
  LocalFiles files(folder_);
  EXPECT_TRUE(LocalFiles(folder_ + "/none").List("").value().empty());
  for (const char* name : {"1/MANIFEST", "1/shard-0", "2/MANIFEST"}) {
    ASSERT_TRUE(files.Create(name).value()->Commit().ok());
  }
  std::vector<std::string> names = files.List("").value();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(files.Remove("1/MANIFEST").ok());
  EXPECT_EQ(files.List("1").value(), std::vector<std::string>{"shard-0"});
  EXPECT_TRUE(files.Remove("1").ok());
  EXPECT_TRUE(files.Remove("1").ok()) << "it is gone already";
  EXPECT_EQ(All(), std::vector<std::string>{"2/MANIFEST"});
  EXPECT_FALSE(files.List("2/MANIFEST").ok());
}

TEST_F(LocalFilesTest, SaysWhereAndWhyItCannotWrite) {
  std::ofstream(folder_ + "/file") << "x";
  EXPECT_EQ(LocalFiles(folder_ + "/file").Create("1/c").status(),
            Status::NotFound(folder_ + "/file/1 cannot be made: Not a directory (errno 20)"));
  LocalFiles files(folder_);
  ASSERT_TRUE(std::filesystem::create_directories(folder_ + "/c/x"));
  const auto file = std::move(files.Create("c").value());
  EXPECT_EQ(file->Commit(), Status::Unavailable(folder_ + "/c cannot be written: Is a directory (errno 21)"));
}

// R16: the device that is always full.
TEST_F(LocalFilesTest, AFullDeviceIsNamed) {
  LocalWriter file(Descriptor(open("/dev/full", O_WRONLY)), folder_ + "/c.part", folder_ + "/c");
  const Status full =
      Status::ResourceExhausted(folder_ + "/c cannot be written: No space left on device (errno 28)");
  const std::string large(600000, 'x');
  EXPECT_TRUE(file.Append("x", 1).ok()) << "gathered";
  EXPECT_EQ(file.Append(large.data(), large.size()), full);
  LocalWriter small(Descriptor(open("/dev/full", O_WRONLY)), folder_ + "/c.part", folder_ + "/c");
  EXPECT_TRUE(small.Append("x", 1).ok());
  EXPECT_EQ(small.Commit(), full);
}

// Files of this process cannot grow beyond `bytes` while it lives: the write that would is short, the next
// one fails.
class SizeLimit {
 public:
  explicit SizeLimit(std::uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*const handler_)(int);
  rlimit before_{};
};

// R16: a short write at every place, by the real system; the checkpoint before it stays.
TEST_F(LocalFilesTest, WhereverAWriteIsShortTheCheckpointBeforeStays) {
  LocalFiles files(folder_);
  const std::vector<TableToSave> tables = {{DenseSpec("dense", 300, 300), 1, 0}};
  ASSERT_TRUE(Save(&files, 1, 1, tables).ok());
  const auto size = std::filesystem::file_size(folder_ + "/1/shard-0");
  ASSERT_GT(size, 700000u);
  for (std::uint64_t bytes = 0; bytes < size; bytes = bytes * 2 + 1 + bytes % 7) {
    Status status;
    {
      const SizeLimit limit(bytes);
      status = Save(&files, 2, 1, tables);
    }
    EXPECT_EQ(status,
              Status::ResourceExhausted(folder_ + "/2/shard-0 cannot be written: File too large (errno 27)"))
        << bytes;
    EXPECT_EQ(FindNewestStep(&files).value().step, 1u);
    EXPECT_EQ(All(), (std::vector<std::string>{"1/MANIFEST", "1/shard-0"}));
  }
  ASSERT_TRUE(Save(&files, 2, 1, tables).ok());
  const auto reader = std::move(CheckpointReader::Open(&files, 2).value());
  EXPECT_EQ(CountRight<float>(reader.get(), tables[0], Range(0, 300)).value(), 300u);
}

// Ends its process before the n-th call that writes.
class DeadlyFiles : public LocalFiles {
 public:
  DeadlyFiles(const std::string& folder, int calls) : LocalFiles(folder), calls_(calls) {}

  Result<std::unique_ptr<FileWriter>> Create(const std::string& name) override {
    Count();
    Result<std::unique_ptr<FileWriter>> file = LocalFiles::Create(name);
    if (!file.ok()) return file.status();
    return std::unique_ptr<FileWriter>(new Writer(this, std::move(file.value())));
  }

 private:
  class Writer : public FileWriter {
   public:
    Writer(DeadlyFiles* owner, std::unique_ptr<FileWriter> file) : owner_(owner), file_(std::move(file)) {}
    Status Append(const void* data, std::size_t size) override {
      owner_->Count();
      return file_->Append(data, size);
    }
    Status Commit() override {
      owner_->Count();
      return file_->Commit();
    }

   private:
    DeadlyFiles* const owner_;
    const std::unique_ptr<FileWriter> file_;
  };

  void Count() {
    if (calls_-- == 0) kill(getpid(), SIGKILL);
  }

  int calls_;
};

// Whether a process that is killed there has saved nevertheless.
bool SavesBeforeItDies(const std::string& folder, int calls) {
  const pid_t child = fork();
  if (child == 0) {
    DeadlyFiles files(folder, calls);
    _exit(Save(&files, 2, 2, TwoTables()).ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// R5, at every call of one process.
TEST_F(LocalFilesTest, WhereverASaveIsKilledTheCheckpointBeforeStays) {
  LocalFiles files(folder_);
  ASSERT_TRUE(Save(&files, 1, 1, TwoTables()).ok());
  int calls = 0;
  for (; !SavesBeforeItDies(folder_, calls); ++calls) {
    ASSERT_EQ(FindNewestStep(&files).value().step, 1u) << calls;
    const auto reader = std::move(CheckpointReader::Open(&files, 1).value());
    ASSERT_TRUE(reader->Verify("dense", Range(0, 50)).ok());
    ASSERT_EQ(CountRight<double>(reader.get(), TwoTables()[1], Range(0, 4096)).value(), 60u);
    if (calls % 2 == 0) {
      ASSERT_TRUE(files.Remove("2").ok());  // else the next try finds what this one left
    }
  }
  EXPECT_GE(calls, 50);
  EXPECT_EQ(FindNewestStep(&files).value().step, 2u);
  ASSERT_TRUE(RemoveOldSteps(&files, 1).ok());
  EXPECT_EQ(All(), (std::vector<std::string>{"2/MANIFEST", "2/shard-0", "2/shard-1"}));
}

}  // namespace
}  // namespace ps
