#include "tools/ps_bench/interrupts.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <stdexcept>

#include "tools/ps_bench/turns.h"

namespace ps::bench {
namespace {

sigset_t EndingSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = EndingSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  if (signals_ < 0) throw std::runtime_error("no descriptor for signals");
}

Interrupts::~Interrupts() { close(signals_); }

bool Interrupts::AwaitReadable(int descriptor, double seconds) const {
  const SteadyClock::time_point start = SteadyClock::now();
  while (true) {
    pollfd waited[] = {{signals_, POLLIN, 0}, {descriptor, POLLIN, 0}};
    const double left = seconds - SecondsSince(start);
    const int ready = poll(waited, 2, left > 0 ? static_cast<int>(std::ceil(left * 1000)) : 0);
    if (ready < 0 && errno != EINTR) throw std::runtime_error("poll has failed");
    if (ready > 0 && waited[0].revents != 0) {
      signalfd_siginfo info{};
      if (read(signals_, &info, sizeof(info)) == sizeof(info))
        throw Interrupted(static_cast<int>(info.ssi_signo));
    }
    if (ready > 0 && waited[1].revents != 0) return true;
    if (ready == 0 && SecondsSince(start) >= seconds) return false;
  }
}

void UnblockInterrupts() {
  const sigset_t set = EndingSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace ps::bench
