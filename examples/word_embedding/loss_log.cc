#include "examples/word_embedding/loss_log.h"

#include <stdexcept>

namespace embedding {

LossLog::LossLog(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  out_.open(path_);
  out_ << "epochs,train_loss,held_out_loss\n";
  if (!out_) throw std::runtime_error(path_ + ": can not be written");
}

void LossLog::AddTrained(double epochs, double loss) { out_ << epochs << ',' << loss << ",\n"; }

void LossLog::AddHeldOut(double epochs, double loss) { out_ << epochs << ",," << loss << '\n'; }

void LossLog::Finish() {
  if (!path_.empty() && !out_.flush()) throw std::runtime_error(path_ + ": can not be written");
}

}  // namespace embedding
