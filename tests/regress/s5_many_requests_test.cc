// s5: memory does not grow with the number of requests (B-50, B-23).
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <deque>

#include "base/clock.h"
#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/socket_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Pushes of one value, at most 100 of them open; a callback on every second one.
void PushMany(KVWorker<int>* worker, int number) {
  std::deque<int> open;
  int64_t called = 0;
  for (int i = 0; i < number; ++i) {
    if (i % 2 == 0) {
      open.push_back(worker->Push({1}, {1}));
    } else {
      open.push_back(worker->Push({1}, {1}, {}, 0, [&called] { ++called; }));
    }
    if (open.size() == 100) {
      worker->Wait(open.front());
      open.pop_front();
    }
  }
  for (int timestamp : open) worker->Wait(timestamp);
  EXPECT_EQ(called, number / 2);
}

template <typename Cluster>
void ExpectFlat(Cluster* cluster, const char* transport, int number) {
  ASSERT_TRUE(cluster->Start().ok());
  KVServer<int> server(&cluster->server(0), 0);
  server.set_request_handle(KVServerDefaultHandle<int>());
  KVWorker<int> worker(&cluster->worker(0), 0, 0);
  PushMany(&worker, 20000);
  malloc_trim(0);
  const int64_t before_kb = ResidentKb();
  const int64_t began = Clock::Real().NowMs();
  PushMany(&worker, number);
  const int64_t took_ms = Clock::Real().NowMs() - began;
  malloc_trim(0);
  const int64_t grown_kb = ResidentKb() - before_kb;
  std::printf("s5 over %s: %d requests in %d ms, memory of both sides together +%d kB (figure: 2 x 1024)\n",
              transport, number, static_cast<int>(took_ms), static_cast<int>(grown_kb));
  EXPECT_LT(grown_kb, 2 * 1024);
  EXPECT_TRUE(cluster->Finalize().ok());
}

TEST(S5, MemoryStaysFlatInOneProcess) {
  if (UnderSanitizer()) GTEST_SKIP() << "a sanitizer keeps freed memory";
  const int number = LongForms() ? 1000000 : 100000;
  if (LongForms()) alarm(600);
  Watchdog watchdog(std::chrono::seconds(LongForms() ? 600 : 50));
  LocalCluster cluster(1, 1);
  ExpectFlat(&cluster, "memory", number);
}

TEST(RegressB50, RequestsAreForgottenWhenTheyAreDone) {
  if (UnderSanitizer()) GTEST_SKIP() << "a sanitizer keeps freed memory";
  const int number = LongForms() ? 10000000 : 100000;
  if (LongForms()) alarm(3600);
  Watchdog watchdog(std::chrono::seconds(LongForms() ? 3600 : 50));
  if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  SocketCluster cluster(1, 1);
  ExpectFlat(&cluster, "sockets", number);
}

}  // namespace
}  // namespace ps
