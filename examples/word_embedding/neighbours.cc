#include "examples/word_embedding/neighbours.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <stdexcept>

namespace embedding {

std::vector<Neighbour> NearestTo(std::uint32_t word, const std::vector<float>& vectors, std::size_t num_words,
                                 std::size_t count) {
  const std::size_t dim = vectors.size() / num_words;
  const auto product = [&](std::size_t a, std::size_t b) {
    const float* const x = vectors.data() + a * dim;
    return std::inner_product(x, x + dim, vectors.data() + b * dim, 0.0);
  };
  std::vector<Neighbour> neighbours;
  for (std::uint32_t other = 0; other < num_words; ++other) {
    const double length = std::sqrt(product(word, word) * product(other, other));
    if (other != word) neighbours.push_back({other, length > 0 ? product(word, other) / length : 0});
  }
  count = std::min(count, neighbours.size());
  std::partial_sort(neighbours.begin(), neighbours.begin() + static_cast<std::ptrdiff_t>(count),
                    neighbours.end(),
                    [](const Neighbour& a, const Neighbour& b) { return a.cosine > b.cosine; });
  neighbours.resize(count);
  return neighbours;
}

void WriteVectors(const std::string& path, const Vocabulary& vocabulary, const std::vector<float>& vectors) {
  const std::size_t dim = vectors.size() / vocabulary.size();
  std::ofstream out(path);
  out << vocabulary.size() << ' ' << dim << '\n';
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    out << vocabulary.word(word);
    for (std::size_t i = 0; i < dim; ++i) out << ' ' << vectors[word * dim + i];
    out << '\n';
  }
  if (!out.flush()) throw std::runtime_error(path + ": can not be written");
}

}  // namespace embedding
