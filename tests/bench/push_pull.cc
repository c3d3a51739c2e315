// A node of the job of push_pull.sh: pushes and pulls an array of 4 MB by dist_sync, and prints the median
// time of a round in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "ps/kvstore.h"
#include "ps/ps.h"

namespace {

constexpr std::int64_t kSize = 1 << 20;  // floats
constexpr int kWarmUp = 30;

double Round(ps::KVStore* store, const ps::Tensor& values, const ps::Tensor& out) {
  const auto begin = std::chrono::steady_clock::now();
  store->PushPull(1, {values}, {out}).Wait();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

ps::Tensor Foreign(std::vector<float>* memory) {
  return ps::Tensor::Foreign({memory->data(), {kSize}, ps::DType::kF32, ps::DeviceId::Cpu(), nullptr});
}

int Work(int rounds) {
  const auto store = ps::KVStore::Create("dist_sync");
  // The program's own memory, as NumPy's is.
  std::vector<float> pushed(kSize, 1), pulled(kSize, 0);
  const ps::Tensor values = Foreign(&pushed), out = Foreign(&pulled);
  store->Init(1, {out});
  for (int i = 0; i < kWarmUp; ++i) Round(store.get(), values, out);
  std::vector<double> times;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < rounds; ++i) times.push_back(Round(store.get(), values, out));
  const double used = static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC / rounds;
  std::sort(times.begin(), times.end());
  std::printf("%.1f %.1f\n", times[times.size() / 2], used);
  return pulled.back() == static_cast<float>(store->num_workers()) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!ps::IsWorker()) {
    ps::RunServer();
    return 0;
  }
  return Work(argc > 1 ? std::atoi(argv[1]) : 300);
}
