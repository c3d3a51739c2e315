// usage: mail_to_libsvm MAIL_DIR OUT_DIR
//
// Reads all raw messages MAIL_DIR/*spam*/*.txt and MAIL_DIR/*ham*/*.txt and writes OUT_DIR/train.libsvm,
// OUT_DIR/held_out.libsvm and OUT_DIR/vocabulary.tsv. The same mails give the same files, byte for byte.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "examples/spam_filter/corpus.h"
#include "examples/spam_filter/vocabulary.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> SortedEntries(const fs::path& directory) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

size_t AddMails(const fs::path& directory, bool is_spam, spam::Corpus* corpus) {
  size_t num_added = 0;
  for (const fs::path& path : SortedEntries(directory)) {
    if (path.extension() != ".txt") continue;
    corpus->Add(ReadFile(path), is_spam);
    ++num_added;
  }
  return num_added;
}

template <typename Content, typename Writer>
void Save(const fs::path& path, const Content& content, Writer write) {
  std::ofstream out(path, std::ios::binary);
  write(content, out);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

void Convert(const fs::path& mail_dir, const fs::path& out_dir) {
  spam::Corpus corpus;
  size_t num_spam = 0;
  for (const fs::path& entry : SortedEntries(mail_dir)) {
    const std::string name = entry.filename().string();
    if (name.find("ham") != std::string::npos) AddMails(entry, false, &corpus);
    if (name.find("spam") != std::string::npos) num_spam += AddMails(entry, true, &corpus);
  }
  if (num_spam == 0 || num_spam == corpus.size()) {
    throw std::runtime_error("no spam or no ham below " + mail_dir.string());
  }
  const spam::Split split = corpus.MakeSplit();
  spam::Vocabulary vocabulary;
  for (size_t i = 0; i < corpus.size(); ++i) vocabulary.Count(corpus.features(i));
  fs::create_directories(out_dir);
  Save(out_dir / "train.libsvm", split.train, spam::WriteLibsvm);
  Save(out_dir / "held_out.libsvm", split.held_out, spam::WriteLibsvm);
  Save(out_dir / "vocabulary.tsv", vocabulary.Buckets(), spam::WriteBuckets);
  std::cout << corpus.size() << " mails, " << num_spam << " of them spam, " << split.num_groups
            << " without near-duplicates; " << split.train.size() << " to train on, " << split.held_out.size()
            << " held out\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: mail_to_libsvm MAIL_DIR OUT_DIR\n";
    return 2;
  }
  try {
    Convert(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "mail_to_libsvm: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
