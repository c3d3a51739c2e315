#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/checkpoint/local_files.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/job.h"
#include "tests/support/process.h"

namespace ps {
namespace {

// A folder with two checkpoints and the tool.
class PsCkptTest : public testing::Test {
 protected:
  PsCkptTest() : folder_(NewFolder("ps_ckpt")) {
    LocalFiles files(folder_);
    EXPECT_TRUE(Save(&files, 1, 1, TwoTables()).ok());
    EXPECT_TRUE(Save(&files, 2, 2, TwoTables()).ok());
  }
  ~PsCkptTest() override { std::filesystem::remove_all(folder_); }

  // The exit code; output_ has what was printed.
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ProgramPath("bin/ps_ckpt"));
    Process tool(arguments, {});
    EXPECT_TRUE(tool.EndsWithin(std::chrono::seconds(10)));
    output_ = tool.output();
    return tool.exit_code();
  }
  void Flip(const std::string& name, std::streamoff at) const {
    std::fstream file(folder_ + "/" + name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 1));
  }
  bool Says(const std::string& text) const { return output_.find(text) != std::string::npos; }

  const std::string folder_;
  std::string output_;
};

TEST_F(PsCkptTest, ListsWhatThereIs) {
  std::filesystem::create_directory(folder_ + "/3");
  EXPECT_EQ(Run({"list", folder_}), 0);
  EXPECT_TRUE(Says("step 1: 1 servers, 2 tables, 110 rows, ")) << output_;
  EXPECT_TRUE(Says("step 2: 2 servers, 2 tables, 110 rows, ")) << output_;
  EXPECT_TRUE(Says("saved 1970-01-01 00:00:00 UTC")) << output_;
  EXPECT_TRUE(Says("step 3: incomplete, it has no MANIFEST")) << output_;
  EXPECT_EQ(Run({"list", "file://" + folder_}), 0);
  EXPECT_EQ(Run({"list", folder_ + "/none"}), 1);
  EXPECT_TRUE(Says("there is no checkpoint in " + folder_ + "/none")) << output_;
}

TEST_F(PsCkptTest, VerifiesTheNewestOrTheOneAskedFor) {
  EXPECT_EQ(Run({"verify", folder_}), 0);
  EXPECT_TRUE(Says("step 2 is right: 2 servers")) << output_;
  EXPECT_EQ(Run({"verify", folder_, "--step", "1"}), 0);
  EXPECT_TRUE(Says("step 1 is right: 1 servers")) << output_;
  EXPECT_EQ(Run({"verify", folder_, "--step", "7"}), 1);
  EXPECT_TRUE(Says("7/MANIFEST cannot be read: No such file")) << output_;
}

TEST_F(PsCkptTest, NamesEveryTableThatIsDamaged) {
  Flip("2/shard-1", 1000);
  Flip("2/shard-1", static_cast<std::streamoff>(std::filesystem::file_size(folder_ + "/2/shard-1")) - 80);
  EXPECT_EQ(Run({"verify", folder_}), 1);
  EXPECT_TRUE(Says("table dense: " + folder_ + "/2/shard-1 is damaged at byte")) << output_;
  EXPECT_TRUE(Says("table hash: " + folder_ + "/2/shard-1 is damaged at byte")) << output_;
  EXPECT_TRUE(Says("2 tables cannot be restored")) << output_;
  EXPECT_EQ(Run({"verify", folder_, "--step", "1"}), 0);
  Flip("2/MANIFEST", 70);
  EXPECT_EQ(Run({"verify", folder_}), 1);
  EXPECT_TRUE(Says("2/MANIFEST is damaged at byte 0")) << output_;
  EXPECT_EQ(Run({"list", folder_}), 0);
  EXPECT_TRUE(Says("step 2: " + folder_ + "/2/MANIFEST is damaged")) << output_;
}

TEST_F(PsCkptTest, DumpsRowsWithTheirStates) {
  EXPECT_EQ(Run({"dump", folder_, "--table", "dense", "--rows", "2"}), 0);
  EXPECT_EQ(
      output_,
      "table dense: f32, dense 50 x 3, updater add with 2 states, bsp; version 125, 75 updates, 20 rounds\n"
      "0: 0 1 2 | 10 11 12 | 20 21 22\n"
      "1: 100 101 102 | 110 111 112 | 120 121 122\n");
  EXPECT_EQ(Run({"dump", folder_, "--rows", "100"}), 0);
  EXPECT_TRUE(Says("49: 4900 4901 4902 |")) << output_;
  EXPECT_TRUE(Says("table hash: f64, hash, width 2, updater add with 1 states, asp;")) << output_;
  EXPECT_EQ(Run({"dump", folder_, "--table", "none"}), 1);
  EXPECT_TRUE(Says("has no table `none`")) << output_;
}

TEST_F(PsCkptTest, ExplainsItself) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_TRUE(Says("verify")) << output_;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"list"},
                                             {"what", folder_},
                                             {"verify", folder_, "--step", "-3"},
                                             {"list", folder_, "--rows", "1"}}) {
    EXPECT_EQ(Run(arguments), 2) << output_;
  }
}

}  // namespace
}  // namespace ps
