#include "examples/word_embedding/block.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace embedding {
namespace {

// Numbers things by rows: `ids` become places in what is returned, which is ascending.
template <typename Ids, typename IdOf>
std::vector<std::uint64_t> NumberByRow(const RowOrder& order, Ids* ids, IdOf id_of) {
  std::vector<std::uint64_t> rows;
  rows.reserve(ids->size());
  for (auto& entry : *ids) rows.push_back(order.RowOf(*id_of(&entry)));
  std::vector<std::uint64_t> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), rows[i]) - sorted.begin();
    *id_of(&(*ids)[i]) = static_cast<std::uint32_t>(place);
  }
  return sorted;
}

// The step of SplitMix64 (Steele et al., 2014): one to one, and neighbours come far apart.
std::uint64_t Scramble(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

RowOrder::RowOrder(std::size_t num_rows) : num_rows_(num_rows) {
  // The golden section puts neighbours far apart.
  stride_ = static_cast<std::uint64_t>(0.618 * static_cast<double>(num_rows)) + 1;
  while (std::gcd(stride_, num_rows_) != 1) ++stride_;
}

BlockMaker::BlockMaker(const Options& options, const Vocabulary& vocabulary)
    : window_(options.window),
      negative_(options.negative),
      subsampler_(vocabulary.counts(), options.subsample),
      sampler_(vocabulary.counts()),
      tree_(options.hierarchical ? std::make_unique<HuffmanTree>(vocabulary.counts()) : nullptr),
      input_order_(vocabulary.size()),
      output_order_(options.hierarchical ? tree_->num_nodes() : vocabulary.size()) {}

Block BlockMaker::Make(const Corpus& corpus, const std::size_t* begin, const std::size_t* end,
                       std::uint64_t seed) const {
  Block block;
  std::vector<std::uint32_t> kept;
  for (; begin != end; ++begin) {
    Random random(MixSeeds(seed, *begin));
    kept.clear();
    for (std::size_t i = corpus.offsets[*begin]; i < corpus.offsets[*begin + 1]; ++i) {
      if (subsampler_.Keeps(corpus.words[i], &random)) kept.push_back(corpus.words[i]);
      ++block.num_words;
    }
    AddSentence(kept, &random, &block);
  }
  block.input_rows = NumberByRow(input_order_, &block.inputs, [](std::uint32_t* input) { return input; });
  block.output_rows =
      NumberByRow(output_order_, &block.targets, [](Target* target) { return &target->place; });
  return block;
}

void BlockMaker::AddSentence(const std::vector<std::uint32_t>& words, Random* random, Block* block) const {
  if (words.size() < 2) return;
  for (std::size_t at = 0; at < words.size(); ++at) {
    // Windows of all widths up to the largest: what is near counts more often.
    const std::size_t reach = 1 + IndexOf(random, static_cast<std::uint32_t>(window_));
    const std::size_t first = at < reach ? 0 : at - reach;
    const std::size_t last = std::min(words.size() - 1, at + reach);
    for (std::size_t i = first; i <= last; ++i) {
      if (i != at) block->inputs.push_back(words[i]);
    }
    AddTargets(words[at], random, &block->targets);
    block->windows.push_back({block->inputs.size(), block->targets.size()});
  }
}

void BlockMaker::AddTargets(std::uint32_t word, Random* random, std::vector<Target>* targets) const {
  if (tree_ != nullptr) {
    for (const HuffmanTree::Turn& turn : tree_->path(word))
      targets->push_back({turn.node, turn.right ? 0.0F : 1.0F});
    return;
  }
  targets->push_back({word, 1});
  for (std::size_t i = 0; i < negative_; ++i) {
    const std::uint32_t other = sampler_.Draw(random);
    if (other != word) targets->push_back({other, 0});
  }
}

BlockPlan::BlockPlan(const Corpus& corpus, std::size_t block)
    : corpus_(corpus), block_(block), order_(corpus.num_sentences()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  Cut();
}

void BlockPlan::Shuffle(std::uint64_t seed) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[IndexOf(&random, static_cast<std::uint32_t>(i))]);
  Cut();
}

void BlockPlan::Cut() {
  ends_.clear();
  std::size_t num_words = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    num_words += corpus_.offsets[order_[i] + 1] - corpus_.offsets[order_[i]];
    if (num_words < block_ && i + 1 < order_.size()) continue;
    ends_.push_back(i + 1);
    num_words = 0;
  }
}

std::uint64_t MixSeeds(std::uint64_t seed, std::uint64_t part) { return Scramble(Scramble(seed) ^ part); }

}  // namespace embedding
