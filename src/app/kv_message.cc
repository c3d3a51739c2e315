#include "app/kv_message.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace ps {
namespace {

bool GoesTogether(DataType a, DataType b) {
  const auto fits_all = [](DataType type) { return type == CHAR || type == OTHER; };
  return a == b || fits_all(a) || fits_all(b);
}

// The library aligns what it allocates; a message built by hand may bring memory of any kind.
SArray<char> Aligned(const SArray<char>& block, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(block.data()) % alignment == 0) return block;
  SArray<char> copy = SArray<char>::Uninitialized(block.size());
  std::memcpy(copy.data(), block.data(), block.size());
  return copy;
}

Status CheckBlock(const SArray<char>& block, std::size_t element_size, const char* name) {
  if (block.size() % element_size == 0) return Status::Ok();
  return Status::InvalidArgument(std::string(name) + " of " + std::to_string(block.size()) +
                                 " bytes are no multiple of " + std::to_string(element_size));
}

Status CheckLens(const SArray<int>& lens, std::size_t num_keys, std::size_t num_vals) {
  if (lens.size() != num_keys) {
    return Status::InvalidArgument(std::to_string(lens.size()) + " lens for " + std::to_string(num_keys) +
                                   " keys");
  }
  const int* negative = std::find_if(lens.begin(), lens.end(), [](int n) { return n < 0; });
  if (negative != lens.end()) {
    return Status::InvalidArgument("lens[" + std::to_string(negative - lens.begin()) + "] is " +
                                   std::to_string(*negative));
  }
  const int64_t sum = std::accumulate(lens.begin(), lens.end(), int64_t{0});
  if (sum == static_cast<int64_t>(num_vals)) return Status::Ok();
  return Status::InvalidArgument("lens add up to " + std::to_string(sum) + ", there are " +
                                 std::to_string(num_vals) + " values");
}

}  // namespace

void AddBlocks(const KVBytes& data, DataType type, Message* message) {
  message->AddData(data.keys);
  message->AddData(data.vals);
  message->meta.data_type.back() = type;
  if (!data.lens.empty()) message->AddData(data.lens);
}

Result<KVBytes> ReadBlocks(const Message& message, const ElementType& element) {
  KVBytes data;
  if (message.data.empty()) return data;
  if (message.data.size() > 3) {
    return Status::InvalidArgument(std::to_string(message.data.size()) +
                                   " blocks instead of keys, values and lens");
  }
  PS_RETURN_IF_ERROR(CheckBlock(message.data[0], sizeof(Key), "keys"));
  data.keys = SArray<Key>(Aligned(message.data[0], alignof(Key)));
  if (message.data.size() == 1) return data;

  const DataType sent = message.meta.data_type.size() > 1 ? message.meta.data_type[1] : OTHER;
  if (!GoesTogether(sent, element.type)) {
    return Status::InvalidArgument(std::string("values of type ") + DataTypeName(sent) + " came where " +
                                   DataTypeName(element.type) + " is expected");
  }
  PS_RETURN_IF_ERROR(CheckBlock(message.data[1], element.size, "values"));
  data.vals = Aligned(message.data[1], element.alignment);
  if (message.data.size() == 2 || message.data[2].empty()) return data;

  PS_RETURN_IF_ERROR(CheckBlock(message.data[2], sizeof(int), "lens"));
  data.lens = SArray<int>(Aligned(message.data[2], alignof(int)));
  PS_RETURN_IF_ERROR(CheckLens(data.lens, data.keys.size(), data.vals.size() / element.size));
  return data;
}

Status CheckShape(const KVBytes& data, std::size_t element_size, bool with_values, const std::string& what) {
  const auto error = [&what](const std::string& text) { return Status::InvalidArgument(what + ": " + text); };
  const Key* drop = std::is_sorted_until(data.keys.begin(), data.keys.end());
  if (drop != data.keys.end()) {
    return error("keys must not decrease: keys[" + std::to_string(drop - data.keys.begin()) +
                 "] = " + std::to_string(*drop) + " comes after " + std::to_string(drop[-1]));
  }
  if (!with_values) return Status::Ok();
  const std::size_t num_vals = data.vals.size() / element_size;
  if (!data.lens.empty()) {
    const Status fits = CheckLens(data.lens, data.keys.size(), num_vals);
    return fits.ok() ? fits : error(fits.message());
  }
  const bool even = data.keys.empty() ? num_vals == 0 : num_vals % data.keys.size() == 0;
  if (even) return Status::Ok();
  return error(std::to_string(num_vals) + " values for " + std::to_string(data.keys.size()) +
               " keys: without lens every key has the same number of values");
}

}  // namespace ps
