// A worker of a job whose servers are ps_node: `kv_worker <workers> <servers>` runs all acceptance vectors of
// KVStore for a job of this size, one after the other, together with the other workers.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ps/kvstore.h"
#include "ps/postoffice.h"
#include "tests/support/kv_program.h"

namespace {

using ps::KVProgram;

// Unlike KVStore::Barrier it takes no errors of what was pushed, which belong to the vector.
void Meet() { ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup); }

// One vector in a name space of its own; `session` keeps the node alive between them.
std::vector<std::string> RunVector(const nlohmann::json& vector, KVProgram::Kind kind,
                                   const std::string& name, ps::KVStore* session) {
  ps::KVStoreOptions options;
  options.name = name;
  const std::unique_ptr<ps::KVStore> store = ps::KVStore::Create(vector.at("type"), options);
  KVProgram::Stores stores(static_cast<std::size_t>(session->num_workers()));
  stores[static_cast<std::size_t>(session->rank())] = store.get();
  return KVProgram(vector, kind, stores, Meet).Run();
}

int RunVectors(int workers, int servers) {
  const std::unique_ptr<ps::KVStore> session = ps::KVStore::Create("dist_sync", {"session"});
  int num_run = 0;
  int num_failed = 0;
  for (const nlohmann::json& vector : KVProgram::DistributedOf(workers, servers)) {
    for (const auto kind : {KVProgram::Kind::kNumbers, KVProgram::Kind::kTexts}) {
      if (!KVProgram::Has(vector, kind)) continue;
      for (const std::string& failure :
           RunVector(vector, kind, "v" + std::to_string(num_run), session.get())) {
        std::printf("%s\n", failure.c_str());
        ++num_failed;
      }
      Meet();  // all are done with the name
      ++num_run;
    }
  }
  std::printf("%d vectors run\n", num_run);
  return num_failed == 0 && num_run > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: kv_worker <workers> <servers>\n");
    return 2;
  }
  try {
    return RunVectors(std::atoi(argv[1]), std::atoi(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kv_worker: %s\n", error.what());
    return 1;
  }
}
