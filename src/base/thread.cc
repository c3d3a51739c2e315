#include "base/thread.h"

#include <pthread.h>

#include <exception>
#include <utility>

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
}

}  // namespace

Thread::Thread(std::string name, std::function<void()> body)
    : thread_([name = std::move(name), body = std::move(body)] { Run(name, body); }) {}

Thread::~Thread() {
  Join();
  if (thread_.joinable()) thread_.detach();
}

void Thread::Join() {
  if (thread_.joinable() && !IsCurrent()) thread_.join();
}

bool Thread::IsCurrent() const { return thread_.get_id() == std::this_thread::get_id(); }

}  // namespace ps
