// A process of a job whose nodes share tables.
//
//   table_worker vectors <file> <id>...   a worker: runs these acceptance vectors, together with the others
//   table_worker nodes <role>...          a node of each role, worker or server: workers add to an array
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ps/environment.h"
#include "ps/ps.h"
#include "ps/store.h"
#include "ps/store_server.h"
#include "ps/table.h"
#include "tests/support/table_program.h"

namespace {

std::vector<std::string> RunVector(const nlohmann::json& vector, ps::Store* store) {
  ps::TableProgram::Stores stores(static_cast<std::size_t>(store->num_workers()));
  stores[static_cast<std::size_t>(store->rank())] = ps::AnyStore::Of(*store);
  std::vector<std::string> failures = ps::TableProgram(vector, stores, [store] { store->Barrier(); }).Run();
  store->Barrier();
  // The next one has tables of these names.
  for (const nlohmann::json& table : vector.at("tables")) {
    if (store->rank() == 0) store->EraseTable(table.at("name")).Wait();
  }
  store->Barrier();
  return failures;
}

int RunVectors(const std::string& file, const std::vector<std::string>& ids) {
  ps::Start(0);
  std::size_t num_run = 0;
  bool is_right = true;
  {
    ps::Store store(ps::Postoffice::Get());
    for (const nlohmann::json& vector : ps::TableProgram::Read(file)) {
      if (std::find(ids.begin(), ids.end(), vector.at("id")) == ids.end()) continue;
      ++num_run;
      for (const std::string& failure : RunVector(vector, &store)) {
        std::printf("%s\n", failure.c_str());
        is_right = false;
      }
    }
  }
  ps::Finalize(0);
  if (num_run != ids.size()) std::printf("not all vectors are there\n");
  return is_right && num_run == ids.size() ? 0 : 1;
}

void Work(ps::Postoffice* node) {
  ps::Store store(node);
  ps::ArrayOptions options = ps::ArrayOptions().Name("array").Size(10);
  options.spec().min_split = 0;
  ps::ArrayTable<float> array(store, options);
  ps::MatrixTable<int> matrix(store, ps::MatrixOptions().Name("matrix").Rows(7).Cols(2));
  std::vector<float> values(10);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  array.AddAsync(values);
  matrix.AddAsync({6, 0}, std::vector<int>{1, 2, 3, 4});
  store.Barrier();
  array.Get(&values);
  std::vector<int> rows;
  matrix.Get({0, 6, 3}, &rows);
  const int workers = store.num_workers();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<float>(i) * static_cast<float>(workers))
      throw std::runtime_error("element " + std::to_string(i) + " is " + std::to_string(values[i]));
  }
  if (rows != std::vector<int>{3 * workers, 4 * workers, 1 * workers, 2 * workers, 0, 0})
    throw std::runtime_error("the rows are wrong");
}

void RunNode(const ps::Config& config) {
  ps::Postoffice node(config);
  node.Start(0, nullptr, true);
  std::unique_ptr<ps::StoreServer> server;
  if (node.is_server()) server = std::make_unique<ps::StoreServer>(&node);
  if (node.is_worker()) Work(&node);
  node.Finalize(0);
}

int RunNodes(const std::vector<std::string>& roles) {
  ps::Config config = ps::Config::FromEnvironment(*ps::Environment::Get()).value();
  std::vector<std::future<void>> nodes;
  for (const std::string& role : roles) {
    config.role = role == "server" ? ps::Role::kServer : ps::Role::kWorker;
    nodes.push_back(std::async(std::launch::async, RunNode, config));
  }
  for (std::future<void>& node : nodes) node.get();
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() >= 2 && arguments[0] == "nodes")
    return RunNodes({arguments.begin() + 1, arguments.end()});
  if (arguments.size() >= 3 && arguments[0] == "vectors")
    return RunVectors(arguments[1], {arguments.begin() + 2, arguments.end()});
  std::fprintf(stderr, "usage: table_worker vectors <file> <id>... | nodes <role>...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "table_worker: %s\n", error.what());
    return 1;
  }
}
