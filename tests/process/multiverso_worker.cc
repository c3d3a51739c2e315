// Programs in the shape of Multiverso's own: `multiverso_worker <program> [flags]`. All processes of a job
// run the same one; each prints a line "<program> ok" where it has a worker.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/multiverso.h"
#include "ps/status.h"
#include "tests/support/range_table.h"

namespace {

using namespace multiverso;  // NOLINT: as such programs do

void Expect(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error("rank " + std::to_string(MV_Rank()) + ": " + what);
}

// tbl-vec-08, 04: whole Adds that nobody waits for, and a barrier; the sums are those of all workers.
void TestArray() {
  constexpr std::size_t kSize = 1000;
  const std::unique_ptr<ArrayWorker<float>> table(MV_CreateTable(ArrayTableOption<float>(kSize)));
  std::vector<float> delta(kSize);
  for (std::size_t i = 0; i < kSize; ++i) delta[i] = static_cast<float>(i + 1);
  for (int round = 1; round <= 20; ++round) {
    if (table != nullptr) {
      table->AddAsync(delta.data(), kSize);
      table->Wait(table->AddAsync(delta.data(), kSize));
    }
    MV_Barrier();
    if (table != nullptr) {
      std::vector<float> values(kSize);
      table->Get(values.data(), kSize);
      for (std::size_t i = 0; i < kSize; ++i)
        Expect(values[i] == delta[i] * static_cast<float>(2 * round * MV_NumWorkers()),
               "element " + std::to_string(i) + " is " + std::to_string(values[i]));
    }
    MV_Barrier();
  }
}

// tbl-vec-22, 31: the whole and rows, which come in the order asked for.
void TestMatrix() {
  constexpr int kRows = 11;
  constexpr int kCols = 10;
  const std::unique_ptr<MatrixWorkerTable<int>> table(MV_CreateTable(MatrixTableOption<int>(kRows, kCols)));
  std::vector<int> all(kRows * kCols);
  for (int i = 0; i < kRows * kCols; ++i) all[static_cast<std::size_t>(i)] = i;
  const std::vector<int> ids = {10, 0, 5, 1};
  std::vector<int*> rows;
  for (const int id : ids) rows.push_back(all.data() + id * kCols);
  for (int count = 1; count <= 20; ++count) {
    if (table != nullptr) {
      table->AddAsync(all.data(), all.size());
      table->Add(ids, rows, kCols);
    }
    MV_Barrier();
    if (table != nullptr) {
      std::vector<int> some(ids.size() * kCols);
      const int read = table->GetAsync(some.data(), some.size(), ids.data(), static_cast<int>(ids.size()));
      std::vector<int> whole(all.size());
      table->Get(whole.data(), whole.size());
      table->Wait(read);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const int value = ids[i / kCols] * kCols + static_cast<int>(i) % kCols;
        Expect(some[i] == 2 * value * count * MV_NumWorkers(), "row " + std::to_string(ids[i / kCols]));
        Expect(whole[static_cast<std::size_t>(value)] == some[i], "the whole has other rows");
      }
      Expect(whole[25] == 25 * count * MV_NumWorkers(), "row 2");
    }
    MV_Barrier();
  }
}

// tbl-vec-35: what one worker adds comes to all, and nothing else.
void TestSparse() {
  const std::unique_ptr<MatrixWorker<double>> table(MV_CreateTable(MatrixOption<double>(6, 2, true)));
  std::vector<double> values(12, -1);
  if (table != nullptr) table->Get(values.data(), values.size());
  MV_Barrier();
  if (table != nullptr && MV_WorkerId() == 0) {
    const double row[] = {0.1, 0.2};
    table->Add(4, row, 2);
  }
  MV_Barrier();
  if (table != nullptr) {
    Expect(values == std::vector<double>(12, 0), "the first read brings all");
    values.assign(12, -1);
    table->Get(values.data(), values.size());
    std::vector<double> expected(12, -1);
    expected[8] = 0.1;
    expected[9] = 0.2;
    Expect(values == expected, "the second read brings row 4 alone");
  }
}

// With -sync=true: every worker's i-th Get has all i-th Adds, without any barrier.
void TestSync() {
  const std::unique_ptr<MatrixWorkerTable<int>> table(MV_CreateTable(MatrixTableOption<int>(7, 2)));
  if (table == nullptr) return;
  const std::vector<int> row = {1, 2};
  const int rounds = 50 + MV_WorkerId();  // who ends is not waited for
  for (int round = 1; round <= rounds; ++round) {
    table->Add(MV_WorkerId() % 7, row.data(), row.size());
    std::vector<int> values(14);
    table->Get(values.data(), values.size());
    if (round > 50) continue;
    int sum = 0;
    for (const int value : values) sum += value;
    Expect(sum == 3 * round * MV_NumWorkers(), "round " + std::to_string(round));
  }
}

// tbl-vec-12, 15: a map at the servers, with keys below 0.
void TestMap() {
  const std::unique_ptr<KVWorkerTable<int, float>> table(MV_CreateTable(KVTableOption<int, float>()));
  const std::vector<int> keys = {1, -1, 300};
  if (table != nullptr) {
    table->AddAsync(keys, {1, 2, 3});
    table->Add(-1, 0.5f);
  }
  MV_Barrier();
  if (table != nullptr) {
    table->Get({300, -1, 1, 7});
    const auto workers = static_cast<float>(MV_NumWorkers());
    Expect(table->raw()[300] == 3 * workers && table->raw()[-1] == 2.5f * workers, "the sums");
    Expect(table->raw().at(7) == 0, "a key that nobody has added to");
  }
  MV_Barrier();
}

// A program's own pair, beside a built-in table.
void TestOwnTable() {
  const std::unique_ptr<RangeWorker<double>> own(MV_CreateTable(RangeOption<double>(10)));
  const std::unique_ptr<ArrayWorker<int>> array(MV_CreateTable(ArrayTableOption<int>(1)));
  const std::vector<int> places = {9, 0, 5};
  if (own != nullptr) {
    const int one = 1;
    array->AddAsync(&one, 1);
    own->AddAsync(places, {0.5, 1.5, 2.5});
  }
  MV_Barrier();
  if (own != nullptr) {
    std::vector<double> values;
    own->Get(places, &values);
    for (std::size_t i = 0; i < places.size(); ++i)
      Expect(values[i] == (static_cast<double>(i) + 0.5) * MV_NumWorkers(),
             "place " + std::to_string(places[i]));
    int count = 0;
    array->Get(&count, 1);
    Expect(count == MV_NumWorkers(), "the table beside it");
  }
  MV_Barrier();
}

// tbl-vec-67, 68: no tables, no servers.
void TestAggregate() {
  const auto processes = static_cast<float>(MV_Size());
  std::vector<float> values = {1.0F + static_cast<float>(MV_Rank()), 2, 3};
  MV_Aggregate(values.data(), static_cast<int>(values.size()));
  Expect(values == std::vector<float>({processes * (processes + 1) / 2, 2 * processes, 3 * processes}),
         "the sums of three");
  int one = 1;
  MV_Aggregate(&one, 1);
  Expect(one == MV_Size(), "the sum of ones");
  std::vector<double> many(300000, MV_Rank() + 1);
  for (int round = 0; round < 5; ++round) MV_Aggregate(many.data(), static_cast<int>(many.size()));
  double expected = processes * (processes + 1) / 2;
  for (int round = 1; round < 5; ++round) expected *= processes;
  Expect(many == std::vector<double>(many.size(), expected), "the sums of many");
  MV_Barrier();
}

// The processes of a job, as the arguments say: size workers servers.
void TestShape(const std::vector<std::string>& arguments) {
  Expect(arguments.size() == 3, "wants the numbers of processes, workers and servers");
  Expect(std::to_string(MV_Size()) == arguments[0], "there are " + std::to_string(MV_Size()) + " processes");
  Expect(std::to_string(MV_NumWorkers()) == arguments[1], "other workers");
  Expect(std::to_string(MV_NumServers()) == arguments[2], "other servers");
  Expect(MV_WorkerId() < 0 || MV_WorkerIdToRank(MV_WorkerId()) == MV_Rank(), "another worker");
  Expect(MV_ServerId() < 0 || MV_ServerIdToRank(MV_ServerId()) == MV_Rank(), "another server");
  std::printf("rank %d worker %d server %d\n", MV_Rank(), MV_WorkerId(), MV_ServerId());
}

// Ends without MV_ShutDown, as programs do.
void TestNoShutDown() { std::exit(3); }

int Run(int argc, char* argv[]) {
  MV_Init(&argc, argv);
  const std::string program = argc > 1 ? argv[1] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  const std::map<std::string, std::function<void()>> programs = {
      {"array", TestArray}, {"matrix", TestMatrix},           {"sparse", TestSparse},
      {"sync", TestSync},   {"no_shut_down", TestNoShutDown}, {"shape", [&] { TestShape(arguments); }},
      {"map", TestMap},     {"own_table", TestOwnTable},      {"aggregate", TestAggregate}};
  const auto found = programs.find(program);
  if (found == programs.end()) throw std::runtime_error("there is no program '" + program + "'");
  MONITOR_BEGIN(PROGRAM)
  found->second();
  MONITOR_END(PROGRAM)
  Expect(Dashboard::Watch("PROGRAM").find("[PROGRAM]  count = 1 ") == 0, "the dashboard");
  if (MV_WorkerId() >= 0) std::printf("%s ok\n", program.c_str());
  MV_ShutDown();
  return 0;
}

// `net <rank> <endpoint>...`: who is who, said by calls.
void Connect(int* argc, char* argv[]) {
  if (*argc < 5 || std::string(argv[1]) != "net") return;
  const int rank = std::stoi(argv[2]);
  std::vector<int> ranks;
  std::vector<const char*> endpoints;
  int next = 3;
  for (; std::string(argv[next]) != "--"; ++next) {
    ranks.push_back(static_cast<int>(ranks.size()));
    endpoints.push_back(argv[next]);
  }
  MV_NetBind(rank, endpoints[static_cast<std::size_t>(rank)]);
  MV_NetConnect(ranks.data(), endpoints.data(), static_cast<int>(ranks.size()));
  std::copy(argv + next + 1, argv + *argc + 1, argv + 1);
  *argc -= next;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    Connect(&argc, argv);
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "multiverso_worker: %s\n", error.what());
    return 1;
  }
}
