// The files of MNIST, and who works on which of its examples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/mnist/batches.h"
#include "examples/mnist/digits.h"

namespace mnist {
namespace {

class DigitsTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const tmpdir = std::getenv("TMPDIR");
    folder_ = std::string(tmpdir == nullptr ? "/tmp" : tmpdir) + "/digits";
    std::filesystem::create_directories(folder_);
    // Three pictures of 2 x 3 pixels.
    digits_.num_pixels = 6;
    for (std::uint8_t i = 0; i < 18; ++i) digits_.pixels.push_back(static_cast<std::uint8_t>(i * 15));
    digits_.labels = {7, 0, 9};
    WriteDigits(folder_, "train", digits_, 3);
  }
  std::string Images() const { return folder_ + "/train-images-idx3-ubyte"; }
  std::string Labels() const { return folder_ + "/train-labels-idx1-ubyte"; }

  static void Overwrite(const std::string& path, std::streamoff at, char byte) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file.put(byte);
  }
  // The text of the error, "" if there is none.
  std::string ErrorOf() const {
    try {
      ReadDigits(folder_, "train");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  void ExpectError(const std::string& path, const std::string& what) const {
    const std::string text = ErrorOf();
    EXPECT_NE(text.find(path), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }

  std::string folder_;
  Digits digits_;
};

TEST_F(DigitsTest, AreReadAsTheyWereWritten) {
  const Digits read = ReadDigits(folder_, "train");
  EXPECT_EQ(read.num_pixels, 6u);
  EXPECT_EQ(read.pixels, digits_.pixels);
  EXPECT_EQ(read.labels, digits_.labels);
  EXPECT_EQ(read.picture(2)[5], 17 * 15);
}

TEST_F(DigitsTest, LieInTheBytesOfTheFormat) {
  std::ifstream in(Images(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(bytes.substr(0, 18), std::string("\0\0\x08\x03\0\0\0\x03\0\0\0\x02\0\0\0\x03\0\x0f", 18));
}

TEST_F(DigitsTest, AMissingFileSaysHowToGetIt) {
  std::filesystem::remove(Labels());
  ExpectError(Labels(), "get_data.sh");
}

TEST_F(DigitsTest, WhatIsNotOfTheFormatIsRefused) {
  Overwrite(Images(), 2, 9);
  ExpectError(Images(), "is no IDX file");
}

TEST_F(DigitsTest, AFileThatWasCutIsRefused) {
  std::filesystem::resize_file(Images(), 16 + 17);
  ExpectError(Images(), "has 17 bytes of data, and its header says 18");
  std::filesystem::resize_file(Images(), 11);
  ExpectError(Images(), "ends within its header");
  std::filesystem::resize_file(Images(), 0);
  ExpectError(Images(), "is no IDX file");
}

TEST_F(DigitsTest, AHeaderThatClaimsEverythingIsNotBelieved) {
  for (const std::streamoff at : {4, 8, 12}) Overwrite(Images(), at, '\xff');
  ExpectError(Images(), "has 18 bytes of data");
}

TEST_F(DigitsTest, LabelsHaveToFit) {
  Overwrite(Labels(), 9, 10);
  ExpectError(Labels(), "label 1 is 10");
  digits_.labels.push_back(1);
  digits_.pixels.resize(24);
  WriteDigits(folder_, "other", digits_, 3);
  std::filesystem::copy_file(folder_ + "/other-labels-idx1-ubyte", Labels(),
                             std::filesystem::copy_options::overwrite_existing);
  ExpectError(Labels(), "has 4 labels for 3 pictures");
}

TEST(BatchesTest, PartsOfABatchAreTheBatchWhateverTheirNumber) {
  Batches batches(1003, 100);
  batches.Shuffle(3);
  ASSERT_EQ(batches.num_batches(), 10u);
  for (std::size_t batch = 0; batch < batches.num_batches(); ++batch) {
    const std::vector<std::size_t> whole = batches.Part(batch, 0, 1);
    ASSERT_EQ(whole.size(), 100u);
    for (std::size_t part = 0; part < 3; ++part) {
      const std::vector<std::size_t> examples = batches.Part(batch, part, 3);
      ASSERT_EQ(examples.size(), part == 0 ? 34u : 33u);
      for (std::size_t i = 0; i < examples.size(); ++i) EXPECT_EQ(examples[i], whole[part + 3 * i]);
    }
  }
}

TEST(BatchesTest, AnEpochHasEachExampleOnceInAnOrderOfItsOwn) {
  Batches batches(500, 100);
  std::set<std::vector<std::size_t>> orders;
  for (const unsigned epoch : {1U, 2U, 3U}) {
    batches.Shuffle(epoch);
    std::vector<std::size_t> order;
    for (std::size_t batch = 0; batch < 5; ++batch) {
      const std::vector<std::size_t> examples = batches.Part(batch, 0, 1);
      order.insert(order.end(), examples.begin(), examples.end());
    }
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, PartOf(500, 0, 1));
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST(BatchesTest, TheOrderFollowsFromTheEpochAlone) {
  Batches resumed(200, 50);
  Batches unbroken(200, 50);
  for (const unsigned epoch : {1U, 2U}) unbroken.Shuffle(epoch);
  resumed.Shuffle(2);
  EXPECT_EQ(resumed.Part(1, 0, 1), unbroken.Part(1, 0, 1));
}

}  // namespace
}  // namespace mnist
