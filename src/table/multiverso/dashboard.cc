#include "ps/multiverso/dashboard.h"

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/timed_counter.h"

namespace multiverso {
namespace {

// Entries stay and never move.
struct Monitors {
  ps::Mutex mutex;
  std::map<std::string, ps::TimedCounter> by_name PS_GUARDED_BY(mutex);
};

Monitors& TheMonitors() {
  static ps::NeverDestroyed<Monitors> monitors;
  return monitors.value;
}

constexpr double kNsPerMs = 1e6;

}  // namespace

void Monitor::End(Time begin) const {
  counter_->Add(std::chrono::duration_cast<std::chrono::nanoseconds>(Now() - begin).count());
}

std::int64_t Monitor::count() const { return counter_->count(); }
double Monitor::elapse() const { return static_cast<double>(counter_->total_ns()) / kNsPerMs; }
double Monitor::average() const { return counter_->average_ns() / kNsPerMs; }

std::string Monitor::info_string() const {
  std::ostringstream text;
  text << "[" << *name_ << "]  count = " << count() << " elapse = " << elapse()
       << " ms average = " << average() << " ms";
  return text.str();
}

Monitor Dashboard::AddMonitor(const std::string& name) {
  Monitors& monitors = TheMonitors();
  ps::MutexLock lock(monitors.mutex);
  auto& entry = *monitors.by_name.try_emplace(name).first;
  return {&entry.first, &entry.second};
}

std::string Dashboard::Watch(const std::string& name) {
  Monitors& monitors = TheMonitors();
  ps::MutexLock lock(monitors.mutex);
  const auto found = monitors.by_name.find(name);
  return found == monitors.by_name.end() ? "" : Monitor(&found->first, &found->second).info_string();
}

void Dashboard::Display() {
  Monitors& monitors = TheMonitors();
  ps::MutexLock lock(monitors.mutex);
  std::string text;
  for (auto& [name, counter] : monitors.by_name) text += Monitor(&name, &counter).info_string() + "\n";
  std::fputs(text.c_str(), stdout);
}

}  // namespace multiverso
