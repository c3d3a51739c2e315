#include "base/thread.h"

#include <pthread.h>

#include <exception>
#include <utility>

#include "base/fork.h"
#include "base/log.h"

namespace ps {
namespace {

// The kernel keeps 16 bytes, the closing zero included.
constexpr std::size_t kLongestName = 15;

void Run(const std::string& name, const std::function<void()>& body) {
  pthread_setname_np(pthread_self(), name.substr(0, kLongestName).c_str());
  try {
    body();
  } catch (const std::exception& e) {
    PS_LOG(kError, "", "thread " << name << " ended by an exception: " << e.what());
  } catch (...) {
    PS_LOG(kError, "", "thread " << name << " ended by an exception of unknown type");
  }
  CountRunningThreads(-1);
}

// Counted before it runs, so that a fork at any moment knows of it.
std::thread StartCounted(std::string name, std::function<void()> body) {
  CountRunningThreads(1);
  try {
    return std::thread([name = std::move(name), body = std::move(body)] { Run(name, body); });
  } catch (...) {
    CountRunningThreads(-1);
    throw;
  }
}

}  // namespace

Thread::Thread(std::string name, std::function<void()> body)
    : thread_(StartCounted(std::move(name), std::move(body))) {}

Thread::~Thread() {
  Join();
  if (thread_.joinable()) thread_.detach();
}

void Thread::Join() {
  if (thread_.joinable() && !IsCurrent() && !IsForked()) thread_.join();
}

bool Thread::IsCurrent() const { return thread_.get_id() == std::this_thread::get_id(); }

}  // namespace ps
