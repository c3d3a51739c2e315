#include "tests/bench/floors/peer.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace ps::floors {
namespace {

[[noreturn]] void RunPeer(const std::function<void()>& body, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ps_floors: the other process: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

}  // namespace

void Require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

void* MapShared(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  Require(memory != MAP_FAILED, "mmap");
  return memory;
}

Peer::Peer(const std::function<void()>& body) {
  const pid_t parent = getpid();
  pid_ = fork();
  Require(pid_ >= 0, "fork");
  if (pid_ == 0) RunPeer(body, parent);
}

void Peer::End() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace ps::floors
