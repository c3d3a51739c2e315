// Push-pull through dense tables of the store: one large table, thousands of small ones, and without a
// network.
#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/counters.h"
#include "ps/store.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"
#include "van/van_core.h"

namespace ps::bench {
namespace {

TableSpec SumsOf(const std::string& name, std::size_t floats) {
  TableSpec spec;
  spec.name = name;
  spec.rows = static_cast<std::int64_t>(floats);
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  return spec;
}

class StorePushPull : public Work {
 public:
  explicit StorePushPull(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("total_bytes") / bench.Setting("bytes"))),
        store_(Postoffice::Get()),
        values_(RandomValues(static_cast<std::size_t>(bench.Setting("bytes")) / sizeof(float), 2)),
        table_(store_.Create(SumsOf("sums", values_.size()))) {
    if (bench.settings.count("shared") != 0) {
      SArray<float> shared = Alloc<float>(values_.size());
      std::copy(values_.begin(), values_.end(), shared.begin());
      values_ = shared;
    }
    for (std::size_t i = 0; i < kOpen; ++i) pulled_.emplace_back(values_.size());
  }

  Figures Run() override {
    for (SArray<float>& array : pulled_) std::fill(array.begin(), array.end(), -1.0f);
    const auto start = SteadyClock::now();
    std::deque<Ticket> open;
    for (int i = 0; i < count_; ++i) {
      if (open.size() == kOpen) {
        open.front().Wait();
        open.pop_front();
      }
      float* const to = pulled_[static_cast<std::size_t>(i) % kOpen].data();
      open.push_back(table_->AddGetAsync(Rows::All(), values_.data(), to, {true, 0}));
    }
    for (const Ticket& ticket : open) ticket.Wait();
    const double seconds = SecondsSince(start);
    rounds_ += count_;
    Check();
    return {{"bytes_per_s", count_ * static_cast<double>(values_.size() * sizeof(float)) / seconds}};
  }

 private:
  static constexpr std::size_t kOpen = 2;

  void Check() const {
    for (int i = 0; i < std::min(count_, static_cast<int>(kOpen)); ++i) {
      const int turn = count_ - 1 - i;
      CheckMultiple(pulled_[static_cast<std::size_t>(turn) % kOpen], values_,
                    static_cast<double>((rounds_ - i) * store_.num_workers()));
    }
  }

  const int count_;
  Store store_;
  SArray<float> values_;  // the same at each worker
  const std::unique_ptr<StoreTable> table_;
  std::vector<SArray<float>> pulled_;
  int rounds_ = 0;
};

class StoreTables : public Work {
 public:
  explicit StoreTables(const Bench& bench) : store_(Postoffice::Get()), values_(RandomValues(kFloats, 2)) {
    const auto count = static_cast<std::size_t>(bench.Setting("count"));
    for (std::size_t i = 0; i < count; ++i)
      tables_.push_back(store_.Create(SumsOf("sums " + std::to_string(i), kFloats)));
    pulled_.resize(count * kFloats);
  }

  Figures Run() override {
    std::fill(pulled_.begin(), pulled_.end(), -1.0f);
    const double sent = Count(Counter::kSentMessages);
    const double received = Count(Counter::kReceivedMessages);
    const auto start = SteadyClock::now();
    std::vector<Ticket> open;
    {
      const StoreBatch batch(store_);
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        float* const to = pulled_.data() + i * kFloats;
        open.push_back(tables_[i]->AddGetAsync(Rows::All(), values_.data(), to, {true, 0}));
      }
    }
    for (const Ticket& ticket : open) ticket.Wait();
    const double seconds = SecondsSince(start);
    ++rounds_;
    for (std::size_t i = 0; i < tables_.size(); ++i)
      CheckMultiple(pulled_.segment(i * kFloats, (i + 1) * kFloats), values_,
                    static_cast<double>(rounds_ * store_.num_workers()));
    return {{"round_us", seconds * 1e6},
            {"messages_sent", Count(Counter::kSentMessages) - sent},
            {"messages_received", Count(Counter::kReceivedMessages) - received}};
  }

 private:
  static constexpr std::size_t kFloats = 64;

  static double Count(Counter counter) {
    return static_cast<double>(Postoffice::Get()->van()->core().counters().Get(counter));
  }

  Store store_;
  const SArray<float> values_;  // the same at each worker, and for each table
  std::vector<std::unique_ptr<StoreTable>> tables_;
  SArray<float> pulled_;
  int rounds_ = 0;
};

// Its own servers, in the worker's process.
class StoreLocal : public Work {
 public:
  explicit StoreLocal(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("count"))),
        stores_(Store::Local()),
        large_(RandomValues(1000000, 2)),
        small_(RandomValues(10, 3)),
        large_table_(stores_[0]->Create(SumsOf("large", large_.size()))),
        small_table_(stores_[0]->Create(SumsOf("small", small_.size()))),
        read_(large_.size()) {}

  Figures Run() override {
    const Figures add = LatencyFigures(TimeEach(count_, kSeriesLimitS, [this] {
      large_table_->Add(Rows::All(), large_.data());
      ++large_adds_;
    }));
    const Figures get = LatencyFigures(
        TimeEach(count_, kSeriesLimitS, [this] { large_table_->Get(Rows::All(), read_.data()); }));
    CheckMultiple(read_, large_, large_adds_);
    const Figures small_add = LatencyFigures(TimeEach(100 * count_, kSeriesLimitS, [this] {
      small_table_->Add(Rows::All(), small_.data());
      ++small_adds_;
    }));
    SArray<float> sums(small_.size());
    small_table_->Get(Rows::All(), sums.data());
    CheckMultiple(sums, small_, small_adds_);
    return {{"add_us", FigureOf(add, "p50_us")},
            {"get_us", FigureOf(get, "p50_us")},
            {"small_add_us", FigureOf(small_add, "p50_us")}};
  }

 private:
  const int count_;
  const std::vector<std::unique_ptr<Store>> stores_;
  const SArray<float> large_;
  const SArray<float> small_;
  const std::unique_ptr<StoreTable> large_table_;
  const std::unique_ptr<StoreTable> small_table_;
  SArray<float> read_;
  double large_adds_ = 0;
  double small_adds_ = 0;
};

}  // namespace

std::unique_ptr<Work> MakeStorePushPull(const Bench& bench) { return std::make_unique<StorePushPull>(bench); }
std::unique_ptr<Work> MakeStoreTables(const Bench& bench) { return std::make_unique<StoreTables>(bench); }
std::unique_ptr<Work> MakeStoreLocal(const Bench& bench) { return std::make_unique<StoreLocal>(bench); }

}  // namespace ps::bench
