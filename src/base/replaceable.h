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
// Replace, destroys it, without a lock held. A reader may replace what it reads, and readers nest. A reader
// may even destroy the Replaceable, when no other thread reads: the value stays for it, and goes with it.
//
// A reader counts itself before it looks at the pointer; a value is destroyed when it was unlinked and all
// counts were seen at zero after that. Both orders are sequentially consistent, so a reader that was not
// counted then sees the new pointer. There are several counts, for threads not to share a cache line.
template <typename T>
class Replaceable {
 private:
  struct State;

 public:
  // The value as it was at Read. Null before the first Replace.
  class Reader {
   public:
    ~Reader() {
      count_->fetch_sub(1);
      if (state_->has_unused.load()) state_->Collect();
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    explicit operator bool() const { return value_ != nullptr; }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_; }

   private:
    friend class Replaceable;
    explicit Reader(State* state) : state_(state), count_(state->CountOfThread()) {
      count_->fetch_add(1);
      value_ = state->value.load();
    }

    State* const state_;
    std::atomic<int>* const count_;
    const T* value_;
  };

  Replaceable() : state_(std::make_unique<State>()) {}
  ~Replaceable() {
    State* const state = state_.get();
    state->Unlink(nullptr, std::move(state_));
    state->Collect();
  }
  Replaceable(const Replaceable&) = delete;
  Replaceable& operator=(const Replaceable&) = delete;

  Reader Read() { return Reader(state_.get()); }

  void Replace(std::unique_ptr<const T> value) {
    state_->Unlink(std::move(value), nullptr);
    state_->Collect();
  }

 private:
  struct alignas(64) Count {
    std::atomic<int> readers{0};
  };

  struct State {
    // By where its stack is: threads that differ in it do not disturb each other.
    std::atomic<int>* CountOfThread() {
      const char here = 0;
      const uint64_t page = reinterpret_cast<std::uintptr_t>(&here) >> 16;
      return &counts[(page * 0x9e3779b97f4a7c15u) >> 61].readers;
    }

    // `whole`: the owner goes, and the state has itself.
    void Unlink(std::unique_ptr<const T> next, std::unique_ptr<State> whole) {
      MutexLock lock(mutex);
      unused.reserve(unused.size() + 1);  // throws, if at all, before anything has changed
      value.store(next.get());
      owned.swap(next);
      unused.push_back(std::move(next));
      self = std::move(whole);
      has_unused.store(true);
    }

    void Collect() {
      std::unique_ptr<State> whole;  // in this order, and without the lock: values may read and replace
      std::vector<std::unique_ptr<const T>> values;
      MutexLock lock(mutex);
      for (const Count& count : counts) {
        if (count.readers.load() != 0) return;
      }
      values.swap(unused);
      whole = std::move(self);
      has_unused.store(false);
    }

    std::atomic<const T*> value{nullptr};  // owned
    std::array<Count, 8> counts;
    Mutex mutex;
    std::atomic<bool> has_unused{false};
    std::unique_ptr<const T> owned PS_GUARDED_BY(mutex);
    std::vector<std::unique_ptr<const T>> unused PS_GUARDED_BY(mutex);
    std::unique_ptr<State> self PS_GUARDED_BY(mutex);
  };

  std::unique_ptr<State> state_;
};

}  // namespace ps

#endif  // PS_BASE_REPLACEABLE_H_
