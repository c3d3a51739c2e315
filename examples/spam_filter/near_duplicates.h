#ifndef PS_EXAMPLES_SPAM_FILTER_NEAR_DUPLICATES_H_
#define PS_EXAMPLES_SPAM_FILTER_NEAR_DUPLICATES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spam {

// Finds mails that are the same but for details: the same advertisement with another name and number in it,
// the same mail sent to two lists. One of them in the training part and one in the held-out part would make
// any filter look better than it is.
//
// Two mails are grouped when the sets of their word triples overlap by about four fifths or more (MinHash
// with banding, Broder 1997); groups join through common members. Mails with the same words are always
// grouped. The result depends on the set of mails, not on their order.
class NearDuplicates {
 public:
  // Adds a mail by the words of its text in order; mails are numbered from 0.
  void Add(const std::vector<std::string>& words);

  // For each mail the group it belongs to: a number made from the contents of the group, so that it stays
  // the same from run to run.
  std::vector<uint64_t> Groups() const;

 private:
  static constexpr size_t kBands = 6;
  static constexpr size_t kRowsPerBand = 4;
  static constexpr size_t kNumHashes = kBands * kRowsPerBand;

  struct Sketch {
    std::array<uint64_t, kNumHashes> minima;  // per hash function, over all triples
    uint64_t content;                         // hash of all words
  };

  std::vector<Sketch> sketches_;
};

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_NEAR_DUPLICATES_H_
