#include "transport/key_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace ps {
namespace {

namespace fs = std::filesystem;

// 40 characters of Z85 each; the examples of CurveZMQ's reference.
const KeyPair kKeys{"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"};

class KeyFilesTest : public testing::Test {
 protected:
  KeyFilesTest() {
    std::string name = testing::TempDir() + "/keys-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    top_ = name;
    directory_ = top_ + "/pair";
  }
  ~KeyFilesTest() override { fs::remove_all(top_); }

  static mode_t ModeOf(const std::string& path) {
    struct stat about {};
    EXPECT_EQ(stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 07777;
  }
  void Put(const std::string& name, const std::string& text, mode_t mode = 0600) {
    fs::create_directory(directory_);
    fs::remove(directory_ + "/" + name);
    std::ofstream(directory_ + "/" + name) << text;
    EXPECT_EQ(chmod((directory_ + "/" + name).c_str(), mode), 0);
  }
  void PutPair() {
    Put(kSecretKeyFile, kKeys.secret_key);
    Put(kPublicKeyFile, kKeys.public_key);
  }
  // The text of the error; every one names the variable and never shows what is in a file.
  std::string ErrorOfRead() {
    const Status status = ReadKeyPair(directory_).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message().rfind("PS_CURVE_DIR=\"" + directory_ + "\": ", 0), 0u) << status;
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
    EXPECT_EQ(status.message().find(kKeys.secret_key.substr(0, 20)), std::string::npos) << status;
    return status.message();
  }
  void ExpectError(const std::string& part) {
    const std::string error = ErrorOfRead();
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  std::string top_;
  std::string directory_;
};

TEST_F(KeyFilesTest, APairComesBackAsItWasWritten) {
  ASSERT_TRUE(WriteKeyPair(directory_, kKeys, false).ok());
  const Result<KeyPair> keys = ReadKeyPair(directory_);
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys.value().public_key, kKeys.public_key);
  EXPECT_EQ(keys.value().secret_key, kKeys.secret_key);
}

TEST_F(KeyFilesTest, NobodyElseMayReadWhateverTheUmaskIs) {
  for (const mode_t mask : {0000, 0022, 0777}) {
    fs::remove_all(directory_);
    const mode_t kept = umask(mask);
    const Status written = WriteKeyPair(directory_, kKeys, false);
    umask(kept);
    ASSERT_TRUE(written.ok()) << written;
    EXPECT_EQ(ModeOf(directory_), 0700u) << mask;
    EXPECT_EQ(ModeOf(directory_ + "/" + kSecretKeyFile), 0600u) << mask;
    EXPECT_EQ(ModeOf(directory_ + "/" + kPublicKeyFile), 0600u) << mask;
  }
}

TEST_F(KeyFilesTest, WhatIsThereIsReplacedOnlyWhenAsked) {
  ASSERT_TRUE(WriteKeyPair(directory_, kKeys, false).ok());
  const KeyPair other{kKeys.secret_key, kKeys.public_key};
  for (const char* name : {kSecretKeyFile, kPublicKeyFile}) {
    const Status status = WriteKeyPair(directory_, other, false);
    EXPECT_EQ(status.code(), StatusCode::kAlreadyExists) << status;
    EXPECT_EQ(ReadKeyPair(directory_).value().secret_key, kKeys.secret_key);
    const std::string away = top_ + "/" + name;
    fs::rename(directory_ + "/" + name, away);
    EXPECT_EQ(WriteKeyPair(directory_, other, false).code(), StatusCode::kAlreadyExists)
        << name << " is gone";
    EXPECT_FALSE(fs::exists(directory_ + "/" + name));
    fs::rename(away, directory_ + "/" + name);
  }
  ASSERT_TRUE(WriteKeyPair(directory_, other, true).ok());
  EXPECT_EQ(ReadKeyPair(directory_).value().secret_key, other.secret_key);
  int num_files = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) num_files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(num_files, 2) << "nothing unfinished is left behind";
}

TEST_F(KeyFilesTest, WhatCannotBeWrittenIsNamed) {
  const Status status = WriteKeyPair(top_ + "/no/such", kKeys, false);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find(top_ + "/no/such"), std::string::npos) << status;
  std::ofstream(top_ + "/file") << "x";
  EXPECT_EQ(WriteKeyPair(top_ + "/file", kKeys, false).code(), StatusCode::kUnavailable);
}

TEST_F(KeyFilesTest, WhiteSpaceAroundAKeyIsNoPartOfIt) {
  PutPair();
  Put(kSecretKeyFile, "  " + kKeys.secret_key + "\r\n\n");
  Put(kPublicKeyFile, kKeys.public_key);
  EXPECT_EQ(ReadKeyPair(directory_).value().secret_key, kKeys.secret_key);
}

TEST_F(KeyFilesTest, WhatIsNotThereIsNamedWithTheRemedy) {
  ExpectError("No such file or directory; `ps_keygen " + directory_ + "` makes a pair");
  PutPair();
  fs::remove(directory_ + "/" + kPublicKeyFile);
  ExpectError("job.pub can not be read: No such file");
  fs::remove(directory_ + "/" + kSecretKeyFile);
  ExpectError("job.key can not be read: No such file");
}

TEST_F(KeyFilesTest, AFileForADirectoryIsNamed) {
  std::ofstream(directory_) << "x";
  ExpectError("this is no directory");
}

TEST_F(KeyFilesTest, ASecretThatOthersMayReadOrWriteIsRefused) {
  PutPair();
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0644, 0666}) {
    Put(kSecretKeyFile, kKeys.secret_key, mode);
    ExpectError("chmod 600 " + directory_ + "/" + kSecretKeyFile);
  }
  Put(kSecretKeyFile, kKeys.secret_key, 0400);
  EXPECT_TRUE(ReadKeyPair(directory_).ok());
  Put(kPublicKeyFile, kKeys.public_key, 0644);
  EXPECT_TRUE(ReadKeyPair(directory_).ok()) << "the public one is no secret";
}

TEST_F(KeyFilesTest, WhatIsNoKeyIsNamedButNotShown) {
  std::string wrong = kKeys.secret_key;
  wrong[7] = '"';
  const std::vector<std::string> texts = {"",
                                          " \n",
                                          kKeys.secret_key.substr(1),
                                          kKeys.secret_key + "x",
                                          wrong,
                                          std::string(40, '\0'),
                                          kKeys.secret_key.substr(0, 20) + "\n" + kKeys.secret_key.substr(20),
                                          std::string(100000, 'a')};
  for (const std::string& text : texts) {
    PutPair();
    Put(kSecretKeyFile, text);
    ExpectError("job.key is no key: it should be 40 characters");
    PutPair();
    Put(kPublicKeyFile, text);
    ExpectError("job.pub is no key");
  }
}

TEST_F(KeyFilesTest, AnUnreadableFileIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  PutPair();
  Put(kSecretKeyFile, kKeys.secret_key, 0000);
  ExpectError("job.key can not be read: Permission denied");
}

TEST_F(KeyFilesTest, WhatIsNoPlainFileIsRefusedWithoutWaiting) {
  PutPair();
  const std::string path = directory_ + "/" + kSecretKeyFile;
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  ExpectError("job.key is no plain file");
  fs::remove(path);
  fs::create_directory(path);
  ExpectError("job.key is no plain file");
}

}  // namespace
}  // namespace ps
