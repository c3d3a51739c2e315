// Arguments of C calls as a fuzzer chooses them: fitting, and not.
#ifndef PS_TESTS_FUZZ_C_ARGUMENTS_H_
#define PS_TESTS_FUZZ_C_ARGUMENTS_H_

#include <dmlc/logging.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/c_api.h"
#include "tests/fuzz/bytes_reader.h"

namespace ps {

// Memory that calls read and write, for as long as the process lives: what is under way may still use it.
struct FuzzMemory {
  static constexpr std::size_t kElements = 64;  // of 8 bytes
  static constexpr std::size_t kIds = 16;

  alignas(64) std::array<std::int64_t, kElements> values{};
  std::array<std::int64_t, kIds> ids{};
  std::array<std::uint32_t, kElements> changed{};
  std::size_t num_changed = 0;
  std::atomic<std::size_t> num_heard{0};
  int verdict = 0;  // of the program's own rule
};

// What calls have made.
class CHandles {
 public:
  explicit CHandles(BytesReader* reader) : reader_(*reader) {}

  // A handle of this kind (several calls use the same), of another one, freed, null, or none that there ever
  // was.
  template <typename Handle>
  Handle Old(const char* kind) {
    const std::uint8_t choice = reader_.Byte();
    if (choice == 0xfd) return nullptr;
    if (choice == 0xfe) return reinterpret_cast<Handle>(~std::uintptr_t{0} - choice);
    const bool is_any = choice >= 0xf0;
    const std::vector<void*>& known = is_any ? all_ : of_kind_[kind];
    return known.empty() ? nullptr : static_cast<Handle>(known[choice % known.size()]);
  }
  // A place for a handle that a call makes; Made keeps it, and sees to it that a call that fails makes none.
  template <typename Handle>
  void Made(const char* kind, int code, Handle handle) {
    CHECK_EQ(code == PS_OK, handle != nullptr) << kind << ": " << PSGetLastError();
    if (handle == nullptr) return;
    of_kind_[kind].push_back(handle);
    all_.push_back(handle);
  }
  const std::vector<void*>& all() const { return all_; }

 private:
  BytesReader& reader_;
  std::map<std::string, std::vector<void*>> of_kind_;
  std::vector<void*> all_;
};

class CArguments {
 public:
  explicit CArguments(BytesReader* reader, FuzzMemory* memory) : reader_(*reader), memory_(*memory) {}

  int Number() {
    constexpr int kExtreme[] = {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                                1 << 20};
    const std::uint8_t choice = reader_.Byte();
    return choice >= 0xfc ? kExtreme[choice % 4] : choice % 16;
  }
  // Whether this argument is to be one that fits.
  bool Fits() { return reader_.Byte() < 0xd0; }
  bool Flag() { return reader_.Byte() % 2 != 0; }
  // Not -1: nobody would end such a wait.
  std::int64_t Timeout() {
    constexpr std::int64_t kTimes[] = {0, -2, std::numeric_limits<std::int64_t>::min()};
    return kTimes[reader_.Byte() % 3];
  }
  // One that says something to some function, any one, or null.
  const char* Text() {
    static constexpr const char* kTexts[] = {"t",       "u",           "add",           "sgd lr=0.5",
                                             "adagrad", "assign",      "fuzz_rule",     "lr=0.5",
                                             "none",    "bsp",         "bsp:1",         "asp",
                                             "ssp:2",   "2bit:.5",     "1bit",          "topk:0.5",
                                             "fixed:2", "f16",         "sparse",        "1",
                                             "-2.5",    "first_write", "local",         "device",
                                             "nccl",    "dist_sync",   "allreduce",     "type",
                                             "2bit",    "weight",      "uniform:0:1:7", "threshold",
                                             "0.5",     "push_op[1]",  "sum",           ""};
    const std::uint8_t choice = reader_.Byte();
    if (choice == 0xff) return nullptr;
    if (choice == 0xfe) return texts_.emplace_back(std::make_unique<std::string>(reader_.Line()))->c_str();
    return kTexts[choice % std::size(kTexts)];
  }
  // In a buffer of kRoom bytes; null once in a while.
  template <typename Struct>
  const Struct* Placed(Struct given) {
    given.struct_size = StructSize(sizeof given);
    if (reader_.Byte() == 0xff) return nullptr;
    room_.fill(0);
    std::memcpy(room_.data(), &given, sizeof given);
    if (reader_.Byte() == 0xff) room_[sizeof given] = 1;
    return reinterpret_cast<const Struct*>(room_.data());
  }
  // The same for a call that fills it.
  template <typename Struct>
  Struct* Filled() {
    return const_cast<Struct*>(Placed(Struct{}));
  }
  // Of the caller's values, now and then not where its elements may lie.
  void* Values() {
    const std::uint8_t choice = reader_.Byte();
    if (choice == 0xff) return nullptr;
    return reinterpret_cast<char*>(memory_.values.data()) + (choice == 0xfe ? 1 : 0);
  }
  // What a call of this table is about.
  PSTableValues Contents(PSTable table) {
    PSTableValues what{};
    if (Flag()) what.ids = memory_.ids.data();
    for (std::int64_t& id : memory_.ids) id = Fits() ? 1 : Number();
    what.num_ids = what.ids == nullptr ? 0 : reader_.Byte() % FuzzMemory::kIds;
    if (reader_.Byte() == 0xff) what.num_ids = ~std::size_t{0};
    what.values = Values();
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    const bool is_known = PSTableGetSize(table, &rows, &cols) == PS_OK && Fits();
    const std::size_t fitting = (what.ids == nullptr ? static_cast<std::size_t>(rows) : what.num_ids) *
                                static_cast<std::size_t>(cols);
    what.num_values =
        is_known && fitting <= FuzzMemory::kElements ? fitting : reader_.Byte() % FuzzMemory::kElements;
    what.priority = Number();
    what.borrow = Number();
    if (!Fits()) what.buffer = Number();
    if (!Fits()) what.rule = Text();
    if (Flag()) what.changed = memory_.changed.data();
    if (what.changed != nullptr || !Fits()) what.num_changed = &memory_.num_changed;
    return what;
  }
  // Of at most 8 elements.
  PSTensorInfo TensorInfo() {
    static constexpr std::int64_t kShapes[][3] = {
        {3},   {2, 3}, {1}, {8}, {4, 0, 2}, {1, 2, 2}, {-1}, {2, -3}, {}, {5, 1}, {INT64_MAX, INT64_MAX},
        {1, 8}};
    static constexpr int kDims[] = {1, 2, 1, 1, 3, 3, 1, 2, 0, 2, 2, 2};
    PSTensorInfo info{};
    const std::size_t choice = Fits() ? 0 : reader_.Byte() % std::size(kShapes);
    info.shape = reader_.Byte() == 0xff ? nullptr : kShapes[choice];
    info.ndim = reader_.Byte() == 0xff ? -1 : kDims[choice];
    info.dtype = Fits() ? PS_F32 : Number();
    if (reader_.Byte() >= 0xf0) info.device_kind = Number() % 5;
    if (reader_.Byte() >= 0xf0) info.device_index = Number();
    return info;
  }
  PSKVStoreOptions StoreOptions() {
    PSKVStoreOptions options{};
    if (Flag()) options.name = Text();
    if (!Fits()) options.mean = Number();
    if (!Fits()) options.bigarray_bound = Number();
    if (!Fits()) options.slice_bytes = Number();
    if (!Fits()) options.timeout_ms = Number();
    return options;
  }

 private:
  // The size that a caller says for a struct whose real size is `size`, and which has kRoom.
  static constexpr std::size_t kRoom = 1024;
  std::size_t StructSize(std::size_t size) {
    const std::uint8_t choice = reader_.Byte();
    if (choice < 0xe0) return size;
    const std::size_t kOdd[] = {0, 1, 8, size - 8, size - 4, size + 8, kRoom, kRoom + 8, ~std::size_t{0}};
    return kOdd[choice % std::size(kOdd)];
  }

  BytesReader& reader_;
  FuzzMemory& memory_;
  std::vector<std::unique_ptr<std::string>> texts_;
  alignas(64) std::array<char, kRoom + 8> room_{};
};

}  // namespace ps

#endif  // PS_TESTS_FUZZ_C_ARGUMENTS_H_
