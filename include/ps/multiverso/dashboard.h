// Monitor and Dashboard: how often a piece of code ran, and how long it took.
#ifndef PS_MULTIVERSO_DASHBOARD_H_
#define PS_MULTIVERSO_DASHBOARD_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace ps {
class TimedCounter;
}  // namespace ps

// Counts what is between them, in one block of the program, for all threads together:
//
//     MONITOR_BEGIN(WORKER_TRAIN)
//     ...
//     MONITOR_END(WORKER_TRAIN)
#define MONITOR_BEGIN(name)                                                                             \
  static const ::multiverso::Monitor ps_mv_monitor_##name = ::multiverso::Dashboard::AddMonitor(#name); \
  const ::multiverso::Monitor::Time ps_mv_begin_##name = ::multiverso::Monitor::Now();
#define MONITOR_END(name) ps_mv_monitor_##name.End(ps_mv_begin_##name);

namespace multiverso {

// A named counter of the process and its time. A handle; copies are of the same one. Thread-safe.
class Monitor {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static Time Now() { return std::chrono::steady_clock::now(); }

  // One more, which began then and ends now.
  void End(Time begin) const;
  std::int64_t count() const;
  double elapse() const;   // milliseconds, of all together
  double average() const;  // milliseconds; 0 where there was none
  // "[NAME]  count = 2 elapse = 3.5 ms average = 1.75 ms"
  std::string info_string() const;

 private:
  friend class Dashboard;
  Monitor(const std::string* name, ps::TimedCounter* counter) : name_(name), counter_(counter) {}

  const std::string* name_;    // of the process, as the counter
  ps::TimedCounter* counter_;  // never null
};

// All monitors of the process. Thread-safe.
class Dashboard {
 public:
  // The one of this name, new or not.
  static Monitor AddMonitor(const std::string& name);
  // Its info_string; empty where there is none of this name.
  static std::string Watch(const std::string& name);
  // Writes those of all, by name, to stdout.
  static void Display();
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_DASHBOARD_H_
