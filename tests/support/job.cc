#include "tests/support/job.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace ps {

bool LongForms() {
  const char* text = std::getenv("PS_TEST_LONG");
  return text != nullptr && std::string(text) == "1";
}

std::string ProgramPath(const std::string& name) {
  const char* build = std::getenv("PS_BUILD");
  return std::string(build == nullptr ? "build" : build) + "/" + name;
}

std::string NewFolder(const std::string& name) {
  const char* const text = std::getenv("TMPDIR");
  std::string folder = std::string(text != nullptr ? text : "/tmp") + "/" + name + "_" + std::string(6, 'X');
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder " + folder);
  return folder;
}

Job::Job(int servers, int workers) : servers_(servers), workers_(workers), port_(FreePort()) {
  variables = {{"DMLC_NUM_SERVER", std::to_string(servers)},
               {"DMLC_NUM_WORKER", std::to_string(workers)},
               {"DMLC_PS_ROOT_URI", "127.0.0.1"},
               {"DMLC_PS_ROOT_PORT", std::to_string(port_)}};
}

Process* Job::Start(const std::string& role, const std::vector<std::string>& arguments,
                    const Process::Environment& extra) {
  Process::Environment all = extra;
  all.insert(variables.begin(), variables.end());  // keeps what `extra` has
  all.insert({"DMLC_ROLE", role});
  std::vector<std::string> command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  nodes_.push_back(std::make_unique<Process>(command, all));
  return nodes_.back().get();
}

void Job::StartAll(const std::vector<std::string>& arguments) {
  Start("scheduler", arguments);
  for (int i = 0; i < servers_; ++i) Start("server", arguments);
  for (int i = 0; i < workers_; ++i) Start("worker", arguments);
}

bool Job::AllSucceedWithin(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  bool all = true;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const auto left = std::chrono::ceil<Process::Milliseconds>(deadline - std::chrono::steady_clock::now());
    const bool ended = nodes_[i]->EndsWithin(std::max(left, Process::Milliseconds(1)));
    if (ended && nodes_[i]->exit_code() == 0) continue;
    all = false;
    ADD_FAILURE() << "node " << i << (ended ? " ended with " : " has not ended, code ")
                  << nodes_[i]->exit_code() << ":\n"
                  << nodes_[i]->output();
  }
  return all;
}

}  // namespace ps
