#include "app/kv_message.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

namespace ps {
namespace {

constexpr std::size_t kKeysInCache = 2048;

bool GoesTogether(DataType a, DataType b) {
  const auto fits_all = [](DataType type) { return type == CHAR || type == OTHER; };
  return a == b || fits_all(a) || fits_all(b);
}

SArray<char> AlignedCopy(const SArray<char>& block) {
  SArray<char> copy = SArray<char>::Uninitialized(block.size());
  std::memcpy(copy.data(), block.data(), block.size());
  return copy;
}

bool Divides(std::size_t size, std::size_t bytes) { return bytes == size || bytes % size == 0; }

Status WrongBlock(const SArray<char>& block, std::size_t element_size, const char* name) {
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

// A block of a message that is only read is shared, of one that is taken apart it is moved. The library
// aligns what it allocates; a message built by hand may bring memory of any kind.
template <typename V>
void Get(const SArray<char>& block, std::size_t alignment, SArray<V>* array) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(block.data()) % alignment == 0;
  *array = is_aligned ? block : AlignedCopy(block);
}
template <typename V>
void Get(SArray<char>& block, std::size_t alignment, SArray<V>* array) {
  if (reinterpret_cast<std::uintptr_t>(block.data()) % alignment != 0) block = AlignedCopy(block);
  *array = std::move(block);
}

template <typename AnyMessage>
Status KeysOf(AnyMessage& message, KVBytes* data) {
  if (message.data.empty()) return Status::Ok();
  auto& block = message.data[0];
  if (!Divides(sizeof(Key), block.size())) return WrongBlock(block, sizeof(Key), "keys");
  Get(block, alignof(Key), &data->keys);
  return Status::Ok();
}

template <typename AnyMessage>
Status LensOf(AnyMessage& message, std::size_t num_keys, std::size_t num_vals, KVBytes* data) {
  auto& block = message.data[2];
  if (!Divides(sizeof(int), block.size())) return WrongBlock(block, sizeof(int), "lens");
  Get(block, alignof(int), &data->lens);
  return CheckLens(data->lens, num_keys, num_vals);
}

template <typename AnyMessage>
Status ValuesOf(AnyMessage& message, const ElementType& element, std::size_t num_keys, KVBytes* data) {
  const std::size_t num_blocks = message.data.size();
  if (num_blocks < 2) return Status::Ok();
  if (num_blocks > 3)
    return Status::InvalidArgument(std::to_string(num_blocks) + " blocks instead of keys, values and lens");
  const DataType sent = message.meta.data_type.size() > 1 ? message.meta.data_type[1] : OTHER;
  if (!GoesTogether(sent, element.type)) {
    return Status::InvalidArgument(std::string("values of type ") + DataTypeName(sent) + " came where " +
                                   DataTypeName(element.type) + " is expected");
  }
  auto& block = message.data[1];
  if (!Divides(element.size, block.size())) return WrongBlock(block, element.size, "values");
  Get(block, element.alignment, &data->vals);
  if (num_blocks == 2 || message.data[2].empty()) return Status::Ok();
  return LensOf(message, num_keys, data->vals.size() / element.size, data);
}

template <typename V>
void AddBlock(SArray<V>&& block, DataType type, Message* message) {
  message->meta.data_type.push_back(type);
  message->meta.data_size += static_cast<int64_t>(block.size() * sizeof(V));
  message->data.emplace_back(std::move(block));
}

}  // namespace

void AddBlocks(KVBytes&& data, DataType type, Message* message) {
  AddBlock(std::move(data.keys), GetDataType<Key>(), message);
  AddBlock(std::move(data.vals), type, message);
  if (!data.lens.empty()) AddBlock(std::move(data.lens), GetDataType<int>(), message);
}

Result<KVBytes> ReadBlocks(const Message& message, const ElementType& element) {
  KVBytes data;
  PS_RETURN_IF_ERROR(KeysOf(message, &data));
  PS_RETURN_IF_ERROR(ValuesOf(message, element, data.keys.size(), &data));
  return data;
}

Status TakeBlocks(Message* message, const ElementType& element, KVBytes* data) {
  PS_RETURN_IF_ERROR(KeysOf(*message, data));
  return ValuesOf(*message, element, data->keys.size(), data);
}

Status ReadValues(const Message& message, const ElementType& element, std::size_t num_keys, KVBytes* data) {
  return ValuesOf(message, element, num_keys, data);
}

Status CheckShape(const KVBytes& data, std::size_t element_size, bool with_values, std::string_view what) {
  PS_RETURN_IF_ERROR(CheckOrder(data.keys, what));
  return with_values ? CheckSizes(data, element_size, what) : Status::Ok();
}

Status CheckOrder(const SArray<Key>& keys, std::string_view what) {
  const Key* drop = std::is_sorted_until(keys.begin(), keys.end());
  if (drop == keys.end()) return Status::Ok();
  return Status::InvalidArgument(std::string(what) + ": keys must not decrease: keys[" +
                                 std::to_string(drop - keys.begin()) + "] = " + std::to_string(*drop) +
                                 " comes after " + std::to_string(drop[-1]));
}

Status CheckSizes(const KVBytes& data, std::size_t element_size, std::string_view what) {
  const auto error = [&what](const std::string& text) {
    return Status::InvalidArgument(std::string(what) + ": " + text);
  };
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

bool CopyInOrder(const Key* from, std::size_t count, Key* to) {
  bool in_order = true;
  for (std::size_t begin = 0; begin < count; begin += kKeysInCache) {
    const std::size_t end = std::min(count, begin + kKeysInCache);
    // With the first key of the next piece, which is read soon.
    in_order = in_order && std::is_sorted(from + begin, from + std::min(count, end + 1));
    std::copy(from + begin, from + end, to + begin);
  }
  return in_order;
}

}  // namespace ps
