// A value that many threads read all the time and that is replaced seldom: reading takes no lock.
#ifndef PS_BASE_REPLACEABLE_H_
#define PS_BASE_REPLACEABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace ps {

// Thread-safe. A value that was replaced lives until nobody reads any more: then the last reader, or the next
// Replace, destroys it, without a lock held. A reader may replace what it reads, and readers nest.
//
// A reader counts itself before it looks at the pointer; a value is destroyed when it was unlinked and all
// counts were seen at zero after that. Both orders are sequentially consistent, so a reader that was not
// counted then sees the new pointer. There are several counts, for threads not to share a cache line.
template <typename T>
class Replaceable {
 public:
  // The value as it was at Read. Null before the first Replace.
  class Reader {
   public:
    ~Reader() {
      count_->fetch_sub(1);
      if (owner_->has_replaced_.load()) owner_->Collect();
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    explicit operator bool() const { return value_ != nullptr; }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_; }

   private:
    friend class Replaceable;
    explicit Reader(Replaceable* owner) : owner_(owner), count_(owner->CountOfThread()) {
      count_->fetch_add(1);
      value_ = owner->value_.load();
    }

    Replaceable* const owner_;
    std::atomic<int>* const count_;
    const T* value_;
  };

  Replaceable() = default;
  Replaceable(const Replaceable&) = delete;
  Replaceable& operator=(const Replaceable&) = delete;

  Reader Read() { return Reader(this); }

  void Replace(std::unique_ptr<const T> value) {
    {
      MutexLock lock(mutex_);
      value_.store(value.get());
      owned_.swap(value);
      replaced_.push_back(std::move(value));
      has_replaced_.store(true);
    }
    Collect();
  }

 private:
  struct alignas(64) Count {
    std::atomic<int> readers{0};
  };

  // By where its stack is: threads that differ in it do not disturb each other.
  std::atomic<int>* CountOfThread() {
    const char here = 0;
    const uint64_t page = reinterpret_cast<std::uintptr_t>(&here) >> 16;
    return &counts_[(page * 0x9e3779b97f4a7c15u) >> 61].readers;
  }

  void Collect() {
    std::vector<std::unique_ptr<const T>> unused;  // destroyed without the lock
    MutexLock lock(mutex_);
    for (const Count& count : counts_) {
      if (count.readers.load() != 0) return;
    }
    unused.swap(replaced_);
    has_replaced_.store(false);
  }

  std::atomic<const T*> value_{nullptr};  // owned_
  std::array<Count, 8> counts_;
  Mutex mutex_;
  std::unique_ptr<const T> owned_ PS_GUARDED_BY(mutex_);
  std::atomic<bool> has_replaced_{false};
  std::vector<std::unique_ptr<const T>> replaced_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_BASE_REPLACEABLE_H_
