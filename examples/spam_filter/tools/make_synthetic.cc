// usage: make_synthetic OUT_DIR
//
// Writes made-up mails in the files that mail_to_libsvm would write, and OUT_DIR/best_auc.txt: the AUC that
// the true model reaches on the held-out ones.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "examples/spam_filter/synthetic.h"

namespace {

namespace fs = std::filesystem;

void Write(const fs::path& out_dir) {
  const spam::SyntheticCorpus corpus = spam::MakeSynthetic({});
  fs::create_directories(out_dir);
  std::ofstream train(out_dir / "train.libsvm");
  std::ofstream held_out(out_dir / "held_out.libsvm");
  std::ofstream vocabulary(out_dir / "vocabulary.tsv");
  std::ofstream best_auc(out_dir / "best_auc.txt");
  spam::WriteLibsvm(corpus.split.train, train);
  spam::WriteLibsvm(corpus.split.held_out, held_out);
  spam::WriteBuckets(corpus.vocabulary.Buckets(), vocabulary);
  best_auc << corpus.best_auc << '\n';
  for (std::ofstream* file : {&train, &held_out, &vocabulary, &best_auc}) {
    file->close();
    if (!*file) throw std::runtime_error("cannot write to " + out_dir.string());
  }
  std::cout << "made-up mails: " << corpus.split.train.size() << " to train on, "
            << corpus.split.held_out.size() << " held out; the best possible AUC is " << corpus.best_auc
            << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_synthetic OUT_DIR\n";
    return 2;
  }
  try {
    Write(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "make_synthetic: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
