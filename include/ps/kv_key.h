// KVKey: what a value of a KVStore goes by.
#ifndef PS_KV_KEY_H_
#define PS_KV_KEY_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ps {

// A 64-bit number, or a text of 1 to 200 bytes. A plain value.
class KVKey {
 public:
  KVKey(const char* text) : text_(text), is_text_(true) {}             // NOLINT: meant to convert
  KVKey(std::string text) : text_(std::move(text)), is_text_(true) {}  // NOLINT: meant to convert
  KVKey(std::nullptr_t) = delete;
  // Numbers of any width up to 64 bits with a sign; a bool or a character is most likely a slip.
  template <typename Int, typename = std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool> &&
                                                      !std::is_same_v<Int, char>>>
  KVKey(Int number) : number_(static_cast<std::int64_t>(number)) {}  // NOLINT: meant to convert

  bool is_text() const { return is_text_; }
  std::int64_t number() const { return number_; }
  const std::string& text() const { return text_; }
  // As errors name it.
  std::string ToString() const { return is_text_ ? text_ : std::to_string(number_); }

 private:
  std::int64_t number_ = 0;
  std::string text_;
  bool is_text_ = false;
};
inline bool operator==(const KVKey& a, const KVKey& b) {
  return a.is_text() == b.is_text() && a.number() == b.number() && a.text() == b.text();
}
// Numbers ascending, then texts.
inline bool operator<(const KVKey& a, const KVKey& b) {
  if (a.is_text() != b.is_text()) return b.is_text();
  return a.is_text() ? a.text() < b.text() : a.number() < b.number();
}

// One or several keys; one may be named several times: then its values are those of several devices.
class KVKeys {
 public:
  KVKeys(std::initializer_list<KVKey> keys) : keys_(keys) {}   // NOLINT: meant to convert
  KVKeys(std::vector<KVKey> keys) : keys_(std::move(keys)) {}  // NOLINT: meant to convert
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<KVKey, const T&>>>
  KVKeys(const T& key) : keys_{KVKey(key)} {}  // NOLINT: meant to convert
  // One key for `count` values.
  static KVKeys Repeated(const KVKey& key, std::size_t count) {
    return KVKeys(std::vector<KVKey>(count, key));
  }

  std::size_t size() const { return keys_.size(); }
  const KVKey& operator[](std::size_t i) const { return keys_[i]; }

 private:
  std::vector<KVKey> keys_;
};

}  // namespace ps

#endif  // PS_KV_KEY_H_
