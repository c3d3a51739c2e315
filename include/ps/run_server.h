// RunServer: a program serves as what its node is.
#ifndef PS_RUN_SERVER_H_
#define PS_RUN_SERVER_H_

#include <functional>
#include <string>

namespace ps {

class Postoffice;

// Answers commands of the workers (head, body); what it throws is the worker's error.
using KVController = std::function<void(int head, const std::string& body)>;

// Serves as this node's role says, scheduler or server, until the job ends: tables of the store, and with
// them KVStore, tables and SharedModel. Rules that the program has registered before (RegisterUpdater,
// RegisterModelUpdater) are known then; ps_node, which is the same without a program, has those of the
// library only. `node` null: that of the thread; it is started here. Throws Error: as of Postoffice::Start,
// and kFailedPrecondition on a worker.
void RunServer(KVController controller = nullptr, Postoffice* node = nullptr);
// The same with the program's command line, for its rules (ModelUpdater::InitUpdater).
void RunServer(int argc, char** argv, KVController controller = nullptr, Postoffice* node = nullptr);

}  // namespace ps

#endif  // PS_RUN_SERVER_H_
