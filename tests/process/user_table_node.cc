// A node of a job with a table of the program's own: server or worker, as DMLC_ROLE says. With `save
// <folder>` workers add, and worker 0 saves; with `load <folder>` they find that, and add more.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/ps.h"
#include "ps/store.h"
#include "ps/store_server.h"
#include "tests/support/range_table.h"

namespace {

constexpr int kSize = 11;
constexpr int kRounds = 20;

multiverso::RangeOption<double> Option() { return multiverso::RangeOption<double>(kSize); }

void Expect(const std::vector<double>& values, double factor) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = factor * static_cast<double>(i + 1);
    if (values[i] != expected)
      throw std::runtime_error("place " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
                               std::to_string(expected));
  }
}

template <typename Call>
void ExpectThrown(Call call) {
  try {
    call();
  } catch (const ps::Error& error) {
    if (std::string(error.what()).find("is beyond the end") == std::string::npos) throw;
    return;
  }
  throw std::runtime_error("what the server has thrown is not told");
}

void Work(bool saves, const std::string& folder) {
  ps::Store store(ps::Postoffice::Get());
  multiverso::UserTableContext context;
  context.store = &store;
  const std::unique_ptr<multiverso::RangeWorker<double>> table(
      multiverso::CreateUserTable(Option(), context));
  std::vector<int> places;
  std::vector<double> values;
  for (int i = 0; i < kSize; ++i) {
    places.push_back(i);
    values.push_back(i + 1);
  }
  const double saved = kRounds * store.num_workers();
  std::vector<double> read;
  if (!saves) {
    store.Load(folder);
    table->Get(places, &read);
    Expect(read, saved);
    store.Barrier();
  }
  for (int i = 0; i < kRounds; ++i) table->AddAsync(places, values);
  store.Barrier();
  table->Get(places, &read);
  Expect(read, saves ? saved : 2 * saved);
  if (saves && store.rank() == 0) store.Save(folder);
  store.Barrier();
  // What the server throws comes to who waits, and with the next barrier.
  ExpectThrown([&] { table->Add({kSize + 1}, {1}); });
  ExpectThrown([&] { store.Barrier(); });
  table->Get(places, &read);
  store.Barrier();
}

// Ends when the job does.
void Serve() {
  ps::StoreServer server;
  multiverso::UserTableContext context;
  context.servers = &server.user_shards();
  multiverso::CreateUserTable(Option(), context);
  ps::Finalize(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string what = argv[1];
  try {
    ps::Start(0);
    if (ps::IsServer()) {
      Serve();
      return 0;
    }
    if (ps::IsWorker()) Work(what == "save", argv[2]);
    ps::Finalize(0);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
