// A job of several processes on this machine, for tests.
#ifndef PS_TESTS_SUPPORT_JOB_H_
#define PS_TESTS_SUPPORT_JOB_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace ps {

// Whether the long forms of the scenarios run (PS_TEST_LONG=1).
bool LongForms();

// The path of a program that the tests start: "process/node" is <build>/process/node.
std::string ProgramPath(const std::string& name);

// A new folder of the test's own, below TMPDIR, whose name begins with `name`. Who asks for it removes it.
std::string NewFolder(const std::string& name);

// Starts nodes with the variables a launcher would set. `variables` may be changed between starts; they hold
// for the nodes started afterwards. Nodes are ended with the Job.
class Job {
 public:
  Job(int servers, int workers);

  // Runs `<program> arguments...` as a node; `extra` goes over `variables`.
  Process* Start(const std::string& role, const std::vector<std::string>& arguments,
                 const Process::Environment& extra = {});
  // The scheduler, all servers, all workers, in this order, all with the same arguments.
  void StartAll(const std::vector<std::string>& arguments);

  // Whether every node ends with exit code 0 within `limit`; reports each that does not, with its output.
  bool AllSucceedWithin(std::chrono::milliseconds limit);
  // Ends and forgets all nodes.
  void Clear() { nodes_.clear(); }

  int port() const { return port_; }
  // In the order of their start.
  Process& node(int index) { return *nodes_.at(static_cast<size_t>(index)); }

  Process::Environment variables;
  std::string program = ProgramPath("process/node");

 private:
  const int servers_;
  const int workers_;
  const int port_;
  std::vector<std::unique_ptr<Process>> nodes_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_JOB_H_
