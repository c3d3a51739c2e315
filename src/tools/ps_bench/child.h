// A process that ps_bench has started.
#ifndef PS_TOOLS_PS_BENCH_CHILD_H_
#define PS_TOOLS_PS_BENCH_CHILD_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tools/ps_bench/interrupts.h"

namespace ps::bench {

// Its standard input and output are pipes to this process, its standard error is ours. It is killed and
// reaped by the destructor, and killed when this process dies. All waiting throws Interrupted, and
// std::runtime_error that names the child.
class Child {
 public:
  using Variables = std::map<std::string, std::string>;

  // Runs `command`; `name` is for errors. The child sees this process's environment without what launchers
  // set (DMLC_...), and `variables`. Borrows `interrupts`.
  Child(std::string name, const std::vector<std::string>& command, const Variables& variables,
        const Interrupts* interrupts);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Say(const std::string& line);
  // Its next line.
  std::string Hear(double limit_s);
  void CloseInput();
  // The same, then waits until it ends, which must be with exit code 0.
  void Finish(double limit_s);
  // Processor time so far.
  double ProcessorSeconds() const;

 private:
  [[noreturn]] void Fail(const std::string& what) const;
  std::string HowItEnded();

  const std::string name_;
  const Interrupts* const interrupts_;
  pid_t pid_ = -1;  // -1 after it was reaped
  int ended_ = -1;  // readable when it has ended
  int input_ = -1;
  int output_ = -1;
  std::string heard_;  // behind the last line
};

// The path of a program in the folder of this one.
std::string ProgramBeside(const std::string& name);
// This program itself, also when its file was replaced.
constexpr const char* kThisProgram = "/proc/self/exe";

}  // namespace ps::bench

#endif  // PS_TOOLS_PS_BENCH_CHILD_H_
