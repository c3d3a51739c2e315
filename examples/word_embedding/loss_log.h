#ifndef PS_EXAMPLES_WORD_EMBEDDING_LOSS_LOG_H_
#define PS_EXAMPLES_WORD_EMBEDDING_LOSS_LOG_H_

#include <fstream>
#include <string>

namespace embedding {

// The loss over time as a table of text (CSV) with the columns epochs (times over the text so far, with
// parts of one), train_loss (mean of what the writer has trained on since its line before) and held_out_loss;
// a line has one of the two.
class LossLog {
 public:
  // `path` empty: nothing is written. Throws std::runtime_error where the file can not be.
  explicit LossLog(const std::string& path);

  void AddTrained(double epochs, double loss);
  void AddHeldOut(double epochs, double loss);
  // All is in the file. Throws std::runtime_error where it is not.
  void Finish();

 private:
  const std::string path_;
  std::ofstream out_;
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_LOSS_LOG_H_
