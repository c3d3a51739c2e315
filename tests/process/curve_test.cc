// PS_CURVE_DIR: a job of processes that encrypts, and who does not get in.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/job.h"
#include "transport/key_files.h"
#include "transport/zmq/curve.h"

namespace ps {
namespace {

using std::chrono::seconds;

void ExpectContains(Process& process, const std::string& text) {
  EXPECT_NE(process.output().find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                            << process.output();
}

class CurveJobTest : public testing::Test {
 protected:
  CurveJobTest() {
    top_ = testing::TempDir() + "/curve-XXXXXX";
    EXPECT_NE(mkdtemp(top_.data()), nullptr);
    keys_ = NewPair("keys");
  }
  ~CurveJobTest() override { std::filesystem::remove_all(top_); }

  static void Check(const Status& status) { EXPECT_TRUE(status.ok()) << status; }
  std::string NewPair(const std::string& name) {
    std::string directory = top_ + "/" + name;
    const Result<KeyPair> keys = MakeKeyPair();
    EXPECT_TRUE(keys.ok()) << keys.status();
    if (keys.ok()) Check(WriteKeyPair(directory, keys.value(), false));
    return directory;
  }

  // A worker with these variables comes to a job that runs with keys_, and fails; the job goes on.
  void ExpectStrangerIsKeptOut(const Process::Environment& variables, const std::string& reason) {
    Job job(1, 1);
    job.variables["PS_CURVE_DIR"] = keys_;
    job.StartAll({"hold"});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();
    job.variables.erase("PS_CURVE_DIR");
    Process::Environment stranger = variables;
    stranger["PS_START_TIMEOUT"] = "1";
    job.Start("worker", {"start"}, stranger);
    ASSERT_TRUE(job.node(3).EndsWithin(seconds(4))) << job.node(3).output();
    EXPECT_EQ(job.node(3).exit_code(), 1) << job.node(3).output();
    ExpectContains(job.node(3), "does not answer as a scheduler");
    ExpectContains(job.node(3), reason);
    job.node(2).Signal(SIGUSR1);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
      EXPECT_EQ(job.node(i).exit_code(), 0) << job.node(i).output();
    }
    ExpectContains(job.node(2), "sums exact");
  }

  // What a node says that can not use the keys.
  std::string FaultOf(const std::string& directory) {
    Job job(1, 1);
    job.variables["PS_CURVE_DIR"] = directory;
    Process* const node = job.Start("worker", {"start"});
    EXPECT_TRUE(node->EndsWithin(seconds(2))) << node->output();
    EXPECT_EQ(node->exit_code(), 1) << node->output();
    EXPECT_EQ(node->lines().size(), 1u) << node->output();
    EXPECT_NE(node->output().find("PS_CURVE_DIR=\"" + directory + "\": "), std::string::npos)
        << node->output();
    return node->output();
  }

  std::string top_;
  std::string keys_;
};

TEST_F(CurveJobTest, AJobWithKeysGivesExactSums) {
  Job job(2, 2);
  job.variables["PS_CURVE_DIR"] = keys_;
  job.variables["PS_JOB_TOKEN"] = "and a token";
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
  for (int i = 3; i < 5; ++i) ExpectContains(job.node(i), "sums exact");
}

TEST_F(CurveJobTest, ALocalJobMayHaveKeysToo) {
  Job job(1, 1);
  job.variables["PS_CURVE_DIR"] = keys_;
  job.variables["DMLC_LOCAL"] = "1";
  job.StartAll({"kv"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
}

TEST_F(CurveJobTest, LargeMessagesTravelInFullChunks) {
  Job job(1, 1);
  job.variables["PS_CURVE_DIR"] = keys_;
  job.StartAll({"large", std::to_string(16 << 20)});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(20)));
  ExpectContains(job.node(2), "exact");
}

TEST_F(CurveJobTest, AStrangerWithoutKeysIsKeptOutAndTheJobGoesOn) {
  ExpectStrangerIsKeptOut({}, "it may want the keys of a PS_CURVE_DIR");
}

TEST_F(CurveJobTest, AStrangerWithAnotherPairIsKeptOutAndTheJobGoesOn) {
  ExpectStrangerIsKeptOut({{"PS_CURVE_DIR", NewPair("others")}}, "other keys than those of PS_CURVE_DIR");
}

TEST_F(CurveJobTest, KeysThatCannotBeUsedAreNamedAtOnce) {
  EXPECT_NE(FaultOf(top_ + "/nowhere").find("ps_keygen"), std::string::npos);
  const std::string open = NewPair("open");
  ASSERT_EQ(chmod((open + "/" + kSecretKeyFile).c_str(), 0644), 0);
  EXPECT_NE(FaultOf(open).find("chmod 600 " + open + "/job.key"), std::string::npos);
  const std::string malformed = NewPair("malformed");
  std::ofstream(malformed + "/" + kPublicKeyFile) << "not a key";
  EXPECT_NE(FaultOf(malformed).find("job.pub is no key"), std::string::npos);
  const std::string mixed = NewPair("mixed");
  std::filesystem::copy_file(keys_ + "/job.pub", mixed + "/job.pub",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(FaultOf(mixed).find("job.pub is not the public key of job.key"), std::string::npos);
}

}  // namespace
}  // namespace ps
