#include "examples/spam_filter/near_duplicates.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "examples/spam_filter/bucket.h"

namespace spam {
namespace {

uint64_t Combine(uint64_t a, uint64_t b) {
  uint64_t mixed = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6))) * 0xff51afd7ed558ccdu;
  return mixed ^ (mixed >> 32);
}

// Hashes of all runs of three words; of the whole text if it is shorter.
std::vector<uint64_t> TripleHashes(const std::vector<uint64_t>& words) {
  std::vector<uint64_t> triples;
  for (size_t i = 2; i < words.size(); ++i) {
    triples.push_back(Combine(Combine(words[i - 2], words[i - 1]), words[i]));
  }
  if (triples.empty()) triples.push_back(std::accumulate(words.begin(), words.end(), uint64_t{1}, Combine));
  return triples;
}

// Disjoint sets of mails.
class Sets {
 public:
  explicit Sets(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

void NearDuplicates::Add(const std::vector<std::string>& words) {
  std::vector<uint64_t> hashes;
  hashes.reserve(words.size());
  for (const std::string& word : words) hashes.push_back(HashText(word));
  Sketch sketch;
  sketch.content = std::accumulate(hashes.begin(), hashes.end(), uint64_t{7}, Combine);
  sketch.minima.fill(std::numeric_limits<uint64_t>::max());
  for (uint64_t triple : TripleHashes(hashes)) {
    for (size_t h = 0; h < kNumHashes; ++h)
      sketch.minima[h] = std::min(sketch.minima[h], Combine(h + 1, triple));
  }
  sketches_.push_back(sketch);
}

std::vector<uint64_t> NearDuplicates::Groups() const {
  Sets sets(sketches_.size());
  for (size_t band = 0; band < kBands; ++band) {
    std::unordered_map<uint64_t, size_t> first_with;
    for (size_t i = 0; i < sketches_.size(); ++i) {
      const auto begin = sketches_[i].minima.begin() + static_cast<std::ptrdiff_t>(band * kRowsPerBand);
      const uint64_t signature = std::accumulate(begin, begin + kRowsPerBand, uint64_t{0}, Combine);
      sets.Join(i, first_with.emplace(signature, i).first->second);
    }
  }
  std::vector<uint64_t> smallest(sketches_.size(), std::numeric_limits<uint64_t>::max());
  for (size_t i = 0; i < sketches_.size(); ++i) {
    uint64_t& group = smallest[sets.Find(i)];
    group = std::min(group, sketches_[i].content);
  }
  std::vector<uint64_t> groups(sketches_.size());
  for (size_t i = 0; i < sketches_.size(); ++i) groups[i] = smallest[sets.Find(i)];
  return groups;
}

}  // namespace spam
