// The tables: a large and a small array, rows of a matrix, and a map, in the process or over a network.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/table.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

constexpr std::size_t kLarge = 1000000;
constexpr std::size_t kSmall = 10;
constexpr std::size_t kRows = 10000;  // of a call, and of the matrix
constexpr std::size_t kCols = 50;
constexpr std::size_t kKeys = 10000;  // of a call, and of the map

std::unique_ptr<Store> MakeStore(const Bench& bench) {
  if (bench.settings.count("local") == 0) return std::make_unique<Store>(Postoffice::Get());
  return std::move(Store::Local()[0]);
}

// Of one worker: it knows what is in them.
std::string NameOf(const Bench& bench, const char* what) {
  return std::string(what) + " of worker " + std::to_string(bench.rank);
}

class Tables : public Work {
 public:
  explicit Tables(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("count"))),
        store_(MakeStore(bench)),
        large_(*store_, ArrayOptions().Name(NameOf(bench, "large")).Size(kLarge)),
        small_(*store_, ArrayOptions().Name(NameOf(bench, "small")).Size(kSmall)),
        matrix_(*store_, MatrixOptions().Name(NameOf(bench, "matrix")).Rows(kRows).Cols(kCols)),
        map_(*store_, KVOptions().Name(NameOf(bench, "map"))),
        values_(RandomValues(kLarge, 2)),
        read_(kLarge) {
    for (std::size_t i = 0; i < kRows; ++i) rows_.push_back(i * 7919 % kRows);
    for (std::size_t i = 0; i < kKeys; ++i)
      keys_.push_back(static_cast<std::int64_t>(i * 0x9E3779B97F4A7C15u));
  }

  Figures Run() override {
    const Figures add = Time(count_, [this] { large_.Add(values_); });
    large_adds_ += adds_;
    const Figures get = Time(count_, [this] { large_.Get({read_.data(), kLarge}); });
    CheckMultiple(read_, values_, large_adds_);
    const Figures small_add = Time(100 * count_, [this] { small_.Add({values_.data(), kSmall}); });
    small_adds_ += adds_;
    const Figures row_add = Time(count_, [this] { matrix_.Add(rows_, {values_.data(), kRows * kCols}); });
    row_adds_ += adds_;
    const Figures key_add = Time(10 * count_, [this] { map_.Add(keys_, {values_.data(), kKeys}); });
    key_adds_ += adds_;
    const Figures key_get = Time(10 * count_, [this] { map_.Get(keys_, {read_.data(), kKeys}); });
    CheckRest();
    return {{"add_us", FigureOf(add, "p50_us")},
            {"get_us", FigureOf(get, "p50_us")},
            {"small_add_us", FigureOf(small_add, "p50_us")},
            {"row_add_us", FigureOf(row_add, "p50_us")},
            {"key_adds_per_s", kKeys / FigureOf(key_add, "p50_us") * 1e6},
            {"key_gets_per_s", kKeys / FigureOf(key_get, "p50_us") * 1e6}};
  }

 private:
  template <typename Call>
  Figures Time(int count, Call call) {
    adds_ = 0;
    return LatencyFigures(TimeEach(count, kSeriesLimitS, [&] {
      call();
      ++adds_;
    }));
  }

  void CheckRest() {
    CheckMultiple(read_.segment(0, kKeys), values_.segment(0, kKeys), key_adds_);
    small_.Get({read_.data(), kSmall});
    CheckMultiple(read_.segment(0, kSmall), values_.segment(0, kSmall), small_adds_);
    matrix_.Get(rows_, {read_.data(), kRows * kCols});
    CheckMultiple(read_.segment(0, kRows * kCols), values_.segment(0, kRows * kCols), row_adds_);
  }

  const int count_;
  const std::unique_ptr<Store> store_;
  ArrayTable<float> large_;
  ArrayTable<float> small_;
  MatrixTable<float> matrix_;
  KVTable<float> map_;
  const SArray<float> values_;
  SArray<float> read_;
  std::vector<std::uint64_t> rows_;  // each once, in no order
  std::vector<std::int64_t> keys_;
  double adds_ = 0;  // of the last series
  double large_adds_ = 0;
  double small_adds_ = 0;
  double row_adds_ = 0;
  double key_adds_ = 0;
};

}  // namespace

std::unique_ptr<Work> MakeTables(const Bench& bench) { return std::make_unique<Tables>(bench); }

}  // namespace ps::bench
