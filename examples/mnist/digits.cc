#include "examples/mnist/digits.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace mnist {
namespace {

// An IDX file begins with 0, 0, the type of its elements (8: bytes) and the number of dimensions; then come
// their lengths and the elements. Numbers are of 32 bits, the highest byte first.
constexpr std::uint32_t kImages = 0x0803;
constexpr std::uint32_t kLabels = 0x0801;

struct IdxFile {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint8_t> bytes;  // of all elements
};

[[noreturn]] void Refuse(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

std::string ImagesOf(const std::string& folder, const std::string& name) {
  return folder + "/" + name + "-images-idx3-ubyte";
}
std::string LabelsOf(const std::string& folder, const std::string& name) {
  return folder + "/" + name + "-labels-idx1-ubyte";
}

std::uint32_t ReadNumber(std::istream* in) {
  std::array<char, 4> bytes{};
  in->read(bytes.data(), bytes.size());
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

IdxFile ReadIdx(const std::string& path, std::uint32_t magic) {
  std::ifstream in(path, std::ios::binary);
  if (!in) Refuse(path, "can not be opened; examples/mnist/get_data.sh fetches it");
  IdxFile file;
  if (ReadNumber(&in) != magic || !in) Refuse(path, "is no IDX file of the kind that its name says");
  std::uint64_t size = 1;
  for (std::uint32_t i = 0; i < (magic & 0xff); ++i) {
    file.lengths.push_back(ReadNumber(&in));
    // 2^40 bytes are no data set; with this bound the product can not overflow.
    size = std::min<std::uint64_t>(size * file.lengths.back(), std::uint64_t{1} << 40);
  }
  if (!in) Refuse(path, "ends within its header");
  const std::istream::pos_type begin = in.tellg();
  in.seekg(0, std::ios::end);
  // Before memory is asked for: a header may claim anything.
  const auto there = static_cast<std::uint64_t>(in.tellg() - begin);
  if (there != size)
    Refuse(path,
           "has " + std::to_string(there) + " bytes of data, and its header says " + std::to_string(size));
  in.seekg(begin);
  file.bytes.resize(size);
  in.read(reinterpret_cast<char*>(file.bytes.data()), static_cast<std::streamsize>(size));
  if (!in) Refuse(path, "can not be read");
  return file;
}

void WriteIdx(const std::string& path, std::uint32_t magic, const std::vector<std::size_t>& lengths,
              const std::vector<std::uint8_t>& bytes) {
  std::ofstream out(path, std::ios::binary);
  const auto write_number = [&out](std::size_t number) {
    for (const int shift : {24, 16, 8, 0}) out.put(static_cast<char>(number >> shift & 0xff));
  };
  write_number(magic);
  for (const std::size_t length : lengths) write_number(length);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) Refuse(path, "can not be written");
}

}  // namespace

Digits ReadDigits(const std::string& folder, const std::string& name) {
  IdxFile images = ReadIdx(ImagesOf(folder, name), kImages);
  IdxFile labels = ReadIdx(LabelsOf(folder, name), kLabels);
  Digits digits;
  digits.num_pixels = std::size_t{images.lengths[1]} * images.lengths[2];
  digits.pixels = std::move(images.bytes);
  digits.labels = std::move(labels.bytes);
  if (images.lengths[0] != digits.size())
    Refuse(LabelsOf(folder, name), "has " + std::to_string(digits.size()) + " labels for " +
                                       std::to_string(images.lengths[0]) + " pictures");
  if (digits.pixels.empty()) Refuse(ImagesOf(folder, name), "has no pictures");
  const auto wrong = std::find_if(digits.labels.begin(), digits.labels.end(),
                                  [](std::uint8_t label) { return label >= kClasses; });
  if (wrong != digits.labels.end())
    Refuse(LabelsOf(folder, name), "label " + std::to_string(wrong - digits.labels.begin()) + " is " +
                                       std::to_string(*wrong) + ", no digit");
  return digits;
}

void WriteDigits(const std::string& folder, const std::string& name, const Digits& digits,
                 std::size_t width) {
  WriteIdx(ImagesOf(folder, name), kImages, {digits.size(), digits.num_pixels / width, width}, digits.pixels);
  WriteIdx(LabelsOf(folder, name), kLabels, {digits.size()}, digits.labels);
}

}  // namespace mnist
