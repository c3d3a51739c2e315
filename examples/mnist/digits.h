#ifndef PS_EXAMPLES_MNIST_DIGITS_H_
#define PS_EXAMPLES_MNIST_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

constexpr int kClasses = 10;

// Pictures of digits in memory, each `num_pixels` bytes (0 is paper, 255 is ink), one after the other.
struct Digits {
  std::size_t num_pixels = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;  // 0 to 9

  std::size_t size() const { return labels.size(); }
  const std::uint8_t* picture(std::size_t i) const { return pixels.data() + i * num_pixels; }
};

// Reads FOLDER/NAME-images-idx3-ubyte and FOLDER/NAME-labels-idx1-ubyte, the files that MNIST comes in;
// `name` is `train` or `t10k`. Throws std::runtime_error that names the file and what is wrong with it.
Digits ReadDigits(const std::string& folder, const std::string& name);

// Writes them so, `width` pixels to a row. Throws std::runtime_error.
void WriteDigits(const std::string& folder, const std::string& name, const Digits& digits, std::size_t width);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_DIGITS_H_
