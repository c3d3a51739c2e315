// A worker that trains in rounds until a file appears: `store_trainer <file>`. Its servers are ps_node, which
// are killed and come back with their last checkpoint.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "ps/ps.h"
#include "ps/store.h"

namespace {

constexpr int kRows = 64;
constexpr int kRoundsUnderWay = 20;

void Train(ps::Store* store, const std::string& enough) {
  ps::TableSpec spec;
  spec.name = "w";
  spec.rows = kRows;
  spec.min_split = 0;
  spec.consistency = ps::Consistency::Bsp();
  spec.apply = ps::TableSpec::kMerged;
  const auto table = store->Create(spec);
  const std::vector<float> ones(kRows, 1);
  std::vector<float> values(kRows);
  int rounds = 0;
  while (rounds < kRoundsUnderWay || !std::filesystem::exists(enough)) {
    table->AddGetAsync(ps::Rows::All(), ones.data(), values.data()).Wait();
    if (++rounds == kRoundsUnderWay) {
      std::printf("under way\n");
      std::fflush(stdout);
    }
  }
  table->Leave().Wait();
  store->Barrier();
  table->Get(ps::Rows::All(), values.data());
  std::printf("rounds %d first %.0f last %.0f\n", rounds, static_cast<double>(values.front()),
              static_cast<double>(values.back()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: store_trainer <file>\n");
    return 2;
  }
  try {
    ps::Start(0);
    {
      ps::Store store(ps::Postoffice::Get());
      Train(&store, argv[1]);
    }
    ps::Finalize(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "store_trainer: %s\n", error.what());
    return 1;
  }
  return 0;
}
