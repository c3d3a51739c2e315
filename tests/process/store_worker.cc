// A worker of a job whose servers are ps_node: `store_worker <file> <id>` runs one acceptance vector,
// together with the other workers.
#include <cstdio>
#include <string>
#include <vector>

#include "ps/ps.h"
#include "ps/store.h"
#include "tests/support/vector_program.h"

namespace {

int RunVector(const std::string& file, const std::string& id) {
  ps::Start(0);
  std::vector<std::string> failures = {"no vector has this id"};
  {
    ps::Postoffice* const node = ps::Postoffice::Get();
    ps::Store store(node);
    ps::VectorProgram::Stores stores(static_cast<std::size_t>(store.num_workers()));
    stores[static_cast<std::size_t>(store.rank())] = ps::AnyStore::Of(store);
    for (const nlohmann::json& vector : ps::VectorProgram::Read(file)) {
      if (vector.at("id") != id) continue;
      failures = ps::VectorProgram(vector, stores, [&] { store.Barrier(); }).Run();
    }
  }
  for (const std::string& failure : failures) std::printf("%s\n", failure.c_str());
  ps::Finalize(0);
  return failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: store_worker <file> <id>\n");
    return 2;
  }
  try {
    return RunVector(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "store_worker: %s\n", error.what());
    return 1;
  }
}
