// What the user of examples/mnist types and sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "examples/mnist/options.h"
#include "examples/mnist/progress.h"

namespace mnist {
namespace {

int Parse(std::vector<const char*> words, Options* options) {
  words.insert(words.begin(), "mnist");
  int exit_code = 0;
  testing::internal::CaptureStderr();
  ParseOptions(static_cast<int>(words.size()), words.data(), options, &exit_code);
  testing::internal::GetCapturedStderr();
  return exit_code;
}

TEST(MnistOptionsTest, AreReadFromTheCommandLine) {
  Options options;
  EXPECT_EQ(Parse({"--kvstore", "dist_ssp:2", "--devices", "3", "--epochs=7", "--batch", "64", "--lr", "0.25",
                   "--optimizer", "adam beta1=.8", "--seed", "4", "--blocks", "6", "--csv", "x.csv"},
                  &options),
            0);
  EXPECT_EQ(options.kvstore, "dist_ssp:2");
  EXPECT_EQ(options.devices, 3u);
  EXPECT_EQ(options.gpus, 0u);
  EXPECT_EQ(options.epochs, 7u);
  EXPECT_EQ(options.batch, 64u);
  EXPECT_EQ(options.lr, 0.25);
  EXPECT_EQ(options.optimizer, "adam beta1=.8");
  EXPECT_EQ(options.seed, 4u);
  EXPECT_EQ(options.blocks, 6u);
  EXPECT_EQ(options.csv, "x.csv");
  EXPECT_EQ(Parse({"--mode", "dist_async"}, &options), 0);
  EXPECT_EQ(options.kvstore, "dist_async");
}

TEST(MnistOptionsTest, MistakesAreUsageErrors) {
  Options options;
  EXPECT_EQ(Parse({"--devices", "0"}, &options), 2);
  EXPECT_EQ(Parse({"--batch", "x"}, &options), 2);
  EXPECT_EQ(Parse({"--lr", "-1"}, &options), 2);
  EXPECT_EQ(Parse({"--speed", "9"}, &options), 2);
  EXPECT_EQ(Parse({"--devices", "2", "--gpus", "2"}, &options), 2);
}

TEST(MnistProgressTest, PrintsALinePerEpochWhereThereIsNoTerminal) {
  std::ostringstream out;
  Progress progress(&out, false, 2);
  for (int i = 1; i <= 100; ++i) progress.Show(1, i / 100.0, 0.5, i);
  progress.Finish(1, {0.25, 97.5, 12345});
  EXPECT_EQ(out.str(), "epoch 1/2  loss 0.25000000  test accuracy 97.50 %  12345 samples/s\n");
}

TEST(MnistProgressTest, RedrawsABarInPlaceOnATerminalAndNotTooOften) {
  std::ostringstream out;
  Progress progress(&out, true, 1);
  for (int i = 1; i <= 100; ++i) progress.Show(1, i / 100.0, 0.5, i * 0.01);
  progress.Finish(1, {0.25, 97.5, 12345});
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 12);
  EXPECT_NE(text.find("epoch 1/1 [###############...............]  53 %  loss 0.5000"), std::string::npos)
      << text;
  EXPECT_EQ(text.back(), '\n');
}

TEST(MnistProgressTest, EveryEpochHasABarFromItsBeginning) {
  std::ostringstream out;
  Progress progress(&out, true, 2);
  progress.Show(1, 1, 0.5, 9);
  progress.Finish(1, {});
  progress.Show(2, 0.01, 0.5, 0.01);
  EXPECT_NE(out.str().find("epoch 2/2 [....."), std::string::npos);
}

}  // namespace
}  // namespace mnist
