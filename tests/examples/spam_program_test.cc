// What the spam filter's user types and sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/spam_filter/options.h"
#include "examples/spam_filter/progress.h"

namespace spam {
namespace {

TEST(OptionsTest, AreReadFromWords) {
  const Options options = ParseOptions({"train=a=b", "held_out=c", "epochs=3", "alpha=0.25", "min_auc=0.9"});
  EXPECT_EQ(options.train, "a=b");
  EXPECT_EQ(options.epochs, 3u);
  EXPECT_EQ(options.ftrl.alpha, 0.25f);
  EXPECT_EQ(options.min_auc, 0.9);
  EXPECT_EQ(options.batch, Options().batch);
}

// The text of the error, "" if there is none.
std::string ErrorOf(const std::vector<std::string>& words) {
  try {
    ParseOptions(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(OptionsTest, MistakesAreNamed) {
  EXPECT_NE(ErrorOf({"train=a", "held_out=b", "epochs=0"}).find("'epochs=0'"), std::string::npos);
  EXPECT_NE(ErrorOf({"train=a", "held_out=b", "l1=2x"}).find("'l1=2x'"), std::string::npos);
  EXPECT_NE(ErrorOf({"train=a", "held_out=b", "alpha=nan"}).find("'alpha=nan'"), std::string::npos);
  EXPECT_NE(ErrorOf({"speed=9"}).find("'speed=9' is not an option"), std::string::npos);
  EXPECT_NE(ErrorOf({"train"}).find("'train' is not an option"), std::string::npos);
  EXPECT_NE(ErrorOf({"train=a"}).find("held_out= are required"), std::string::npos);
}

TEST(ProgressTest, PrintsOneLinePerTenthWhereThereIsNoTerminal) {
  std::ostringstream out;
  Progress progress(&out, false);
  for (int i = 1; i <= 100; ++i) progress.Show({i * 10.0, 1000, i * 1.0}, i);
  progress.Finish({1000, 1000, 100}, 100);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("100 %  1000 mails  10 mails/s  loss 0.1000\n"), std::string::npos) << text;
}

TEST(ProgressTest, ShowsTheLossSinceTheLineBefore) {
  std::ostringstream out;
  Progress progress(&out, false);
  progress.Show({100, 1000, 50}, 1);
  progress.Show({200, 1000, 60}, 2);
  EXPECT_NE(out.str().find("loss 0.5000"), std::string::npos);
  EXPECT_NE(out.str().find("loss 0.1000"), std::string::npos);
}

TEST(ProgressTest, RedrawsABarInPlaceOnATerminalAndNotTooOften) {
  std::ostringstream out;
  Progress progress(&out, true);
  for (int i = 1; i <= 100; ++i) progress.Show({i * 10.0, 1000, 1}, i * 0.01);
  progress.Finish({1000, 1000, 1}, 1);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 12);
  EXPECT_NE(text.find("[##############################] 100 %"), std::string::npos);
}

TEST(ProgressTest, SaysNothingBeforeThereIsSomethingToSay) {
  std::ostringstream out;
  Progress progress(&out, true);
  progress.Show({0, 1000, 0}, 1);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace spam
