// make_digits FOLDER NUM_TRAIN NUM_TEST: writes made-up digits in MNIST's files, for where those can not be
// fetched, and for tests. They are those of a pocket calculator: seven segments, drawn at a random place with
// a random strength on noisy paper. They say nothing about handwriting.

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

#include "examples/mnist/digits.h"

namespace {

constexpr std::size_t kWidth = 28;
constexpr unsigned kMaxShift = 8;  // pixels to the right, and down
constexpr unsigned kNoise = 60;    // of 255

// Segments that are lit, from the lowest bit on: top, upper left, upper right, middle, lower left, lower
// right, bottom.
constexpr std::array<unsigned, 10> kLit = {0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f};

struct Segment {
  std::size_t x, y, width, height;
};
constexpr std::array<Segment, 7> kSegments = {
    {{3, 2, 8, 2}, {2, 3, 2, 7}, {10, 3, 2, 7}, {3, 9, 8, 2}, {2, 10, 2, 7}, {10, 10, 2, 7}, {3, 16, 8, 2}}};

void Draw(std::size_t digit, std::mt19937* random, std::uint8_t* picture) {
  for (std::size_t i = 0; i < kWidth * kWidth; ++i)
    picture[i] = static_cast<std::uint8_t>((*random)() % 4 == 0 ? (*random)() % kNoise : 0);
  const std::size_t right = (*random)() % kMaxShift;
  const std::size_t down = (*random)() % kMaxShift;
  const unsigned ink = 150 + (*random)() % 100;
  for (std::size_t s = 0; s < kSegments.size(); ++s) {
    if ((kLit[digit] >> s & 1) == 0) continue;
    const Segment& segment = kSegments[s];
    for (std::size_t y = segment.y + down; y < segment.y + down + segment.height; ++y)
      std::memset(picture + y * kWidth + segment.x + right, static_cast<int>(ink), segment.width);
  }
}

mnist::Digits Make(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  mnist::Digits digits;
  digits.num_pixels = kWidth * kWidth;
  digits.pixels.resize(count * digits.num_pixels);
  for (std::size_t i = 0; i < count; ++i) {
    digits.labels.push_back(static_cast<std::uint8_t>(random() % mnist::kClasses));
    Draw(digits.labels.back(), &random, digits.pixels.data() + i * digits.num_pixels);
  }
  return digits;
}

std::size_t NumberOf(const std::string& text) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number == 0 || number > 1000000)
    throw std::invalid_argument("'" + text + "' is no number from 1 to 1000000");
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_digits FOLDER NUM_TRAIN NUM_TEST\n");
    return 2;
  }
  try {
    const mnist::Digits train = Make(NumberOf(argv[2]), 1);
    const mnist::Digits test = Make(NumberOf(argv[3]), 2);
    std::filesystem::create_directories(argv[1]);
    mnist::WriteDigits(argv[1], "train", train, kWidth);
    mnist::WriteDigits(argv[1], "t10k", test, kWidth);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_digits: %s\n", error.what());
    return 1;
  }
  return 0;
}
