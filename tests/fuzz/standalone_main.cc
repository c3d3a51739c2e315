// Drives a libFuzzer target without libFuzzer, for `make test`: feeds it the committed corpus and then random
// mutations of it. Deterministic: the seed is printed, and PS_FUZZ_SEED and PS_FUZZ_RUNS repeat or widen a
// run.
//
//   <name>_fuzz FOLDER_OR_FILE...

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t kDefaultRuns = 20000;
constexpr size_t kMaxInsert = 16;

uint64_t Number(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

void AddFile(const std::filesystem::path& path, std::vector<Bytes>* corpus) {
  std::ifstream in(path, std::ios::binary);
  corpus->emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::vector<Bytes> ReadCorpus(int count, char** paths) {
  std::vector<Bytes> corpus;
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(paths[i])) {
      if (std::filesystem::exists(paths[i])) AddFile(paths[i], &corpus);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(paths[i])) {
      if (entry.is_regular_file()) AddFile(entry.path(), &corpus);
    }
  }
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  // One to four edits: a bit, an extreme byte, a cut, an insertion, or an extreme 32-bit number (sizes,
  // counts).
  Bytes Mutate(Bytes input) {
    for (size_t edits = 1 + Below(4); edits > 0; --edits) Edit(&input);
    return input;
  }

 private:
  void Edit(Bytes* b) {
    if (b->empty()) return Insert(b);
    switch (Below(5)) {
      case 0: (*b)[Below(b->size())] ^= static_cast<uint8_t>(1u << Below(8)); break;
      case 1: (*b)[Below(b->size())] = Below(2) == 0 ? 0 : 0xff; break;
      case 2: b->resize(Below(b->size())); break;
      case 3: Insert(b); break;
      default: Extreme(b); break;
    }
  }

  void Insert(Bytes* b) {
    Bytes extra(1 + Below(kMaxInsert));
    for (uint8_t& x : extra) x = static_cast<uint8_t>(random_());
    b->insert(b->begin() + static_cast<std::ptrdiff_t>(Below(b->size() + 1)), extra.begin(), extra.end());
  }

  void Extreme(Bytes* b) {
    constexpr uint32_t kValues[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    const uint32_t value = kValues[Below(std::size(kValues))];
    const size_t at = Below(b->size());
    for (size_t i = 0; i < sizeof(value) && at + i < b->size(); ++i) {
      (*b)[at + i] = static_cast<uint8_t>(value >> (8 * i));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<Bytes> corpus = ReadCorpus(argc - 1, argv + 1);
  for (const Bytes& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  const size_t num_files = corpus.size();
  if (corpus.empty()) corpus.emplace_back();

  const uint64_t seed = Number("PS_FUZZ_SEED", 1);
  const uint64_t runs = Number("PS_FUZZ_RUNS", kDefaultRuns);
  std::printf("%zu corpus files, then %" PRIu64 " mutations with PS_FUZZ_SEED=%" PRIu64 "\n", num_files, runs,
              seed);
  std::fflush(stdout);
  Mutator mutator(seed);
  for (uint64_t i = 0; i < runs; ++i) {
    const Bytes input = mutator.Mutate(corpus[mutator.Below(corpus.size())]);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  return 0;
}
