// Contributions to random rows of a large hash table of the store.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "ps/store.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

constexpr std::size_t kBatch = 4096;      // rows of a call
constexpr std::size_t kOpen = 8;          // calls under way
constexpr std::size_t kValueArrays = 16;  // what calls bring, in turns
constexpr std::size_t kFollowed = 64;     // rows that are checked
constexpr double kRate = 0.01;            // of Adagrad
constexpr double kEps = 1e-6;

// No two rows have the same key.
std::uint64_t KeyOf(std::uint64_t row) { return (row + 1) * 0x9E3779B97F4A7C15u; }

TableSpec SpecOf(const Bench& bench, bool is_adagrad) {
  TableSpec spec;
  spec.name = "rows of worker " + std::to_string(bench.rank);  // of its own: it knows what is in it
  spec.kind = TableSpec::kHash;
  spec.width = static_cast<std::int64_t>(bench.Setting("width"));
  if (!is_adagrad) return spec;
  spec.updater = "adagrad";
  spec.updater_options = {{"lr", std::to_string(kRate)}, {"eps", std::to_string(kEps)}};
  return spec;
}

// What the first element of some rows must be after each run.
class Followed {
 public:
  explicit Followed(bool is_adagrad) : is_adagrad_(is_adagrad) {}

  void Follow(std::uint64_t key) { rows_.emplace(key, Row()); }
  bool Has(std::uint64_t key) const { return rows_.count(key) != 0; }
  void Add(std::uint64_t key, double delta) {
    Row& row = rows_.at(key);
    if (!is_adagrad_) {
      row.value += delta;
      return;
    }
    row.squares += delta * delta;
    row.value -= kRate * delta / (std::sqrt(row.squares) + kEps);
  }
  std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> keys;
    for (const auto& [key, row] : rows_) keys.push_back(key);
    return keys;
  }
  void Check(std::uint64_t key, double found) const {
    const double due = rows_.at(key).value;
    const double most = is_adagrad_ ? 1e-3 * std::abs(due) : 0;
    if (std::abs(found - due) > most) throw std::runtime_error("a row has another value");
  }

 private:
  struct Row {
    double value = 0;
    double squares = 0;
  };
  const bool is_adagrad_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

class StoreRows : public Work {
 public:
  explicit StoreRows(const Bench& bench)
      : bench_(bench),
        is_adagrad_(bench.settings.count("adagrad") != 0),
        width_(static_cast<std::size_t>(bench.Setting("width"))),
        num_rows_(static_cast<std::uint64_t>(bench.Setting("rows"))),
        store_(Postoffice::Get()),
        table_(store_.Create(SpecOf(bench, is_adagrad_))),
        batches_(static_cast<std::size_t>(bench.Setting("count"))),
        followed_(is_adagrad_) {
    std::mt19937_64 random(static_cast<std::uint64_t>(bench.rank) + 1);
    for (std::vector<std::uint64_t>& batch : batches_) {
      batch.resize(kBatch);
      for (std::uint64_t& key : batch) key = KeyOf(random() % num_rows_);
    }
    for (std::size_t i = 0; i < kValueArrays; ++i)
      values_.push_back(RandomValues(kBatch * width_, static_cast<std::uint32_t>(i)));
    for (std::size_t i = 0; i < kFollowed; ++i) followed_.Follow(batches_[0][i]);
    MakeRows();
  }

  Figures Run() override {
    const auto start = SteadyClock::now();
    std::deque<Ticket> open;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      if (open.size() == kOpen) {
        open.front().Wait();
        open.pop_front();
      }
      open.push_back(table_->AddAsync(Rows::Of(batches_[i]), ValuesOf(i), {true, 0}));
    }
    for (const Ticket& ticket : open) ticket.Wait();
    const double seconds = SecondsSince(start);
    Check();
    return {{"rows_per_s", static_cast<double>(batches_.size() * kBatch) / seconds}};
  }

 private:
  const float* ValuesOf(std::size_t batch) const { return values_[batch % kValueArrays].data(); }

  void MakeRows() {
    constexpr std::uint64_t kAtOnce = 64 << 10;
    const std::vector<float> zeros(kAtOnce * width_);
    std::vector<std::uint64_t> keys;
    for (std::uint64_t row = 0; row < num_rows_; ++row) {
      keys.push_back(KeyOf(row));
      if (keys.size() < kAtOnce && row + 1 < num_rows_) continue;
      table_->SetAsync(Rows::Of(keys), zeros.data()).Wait();
      keys.clear();
    }
  }

  void Check() {
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      for (std::size_t row = 0; row < kBatch; ++row) {
        const std::uint64_t key = batches_[i][row];
        if (followed_.Has(key)) followed_.Add(key, static_cast<double>(ValuesOf(i)[row * width_]));
      }
    }
    const std::vector<std::uint64_t> keys = followed_.keys();
    std::vector<float> found(keys.size() * width_);
    table_->Get(Rows::Of(keys), found.data());
    for (std::size_t i = 0; i < keys.size(); ++i)
      followed_.Check(keys[i], static_cast<double>(found[i * width_]));
  }

  const Bench bench_;
  const bool is_adagrad_;
  const std::size_t width_;
  const std::uint64_t num_rows_;
  Store store_;
  const std::unique_ptr<StoreTable> table_;
  std::vector<std::vector<std::uint64_t>> batches_;
  std::vector<SArray<float>> values_;
  Followed followed_;
};

}  // namespace

std::unique_ptr<Work> MakeStoreRows(const Bench& bench) { return std::make_unique<StoreRows>(bench); }

}  // namespace ps::bench
