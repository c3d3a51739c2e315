// The scheduler sends 100 requests to every node, itself included; each checks and answers them.
#include "ps/ps.h"

using ps::SimpleApp;
using ps::SimpleData;

int main() {
  auto received = std::make_shared<std::atomic<int>>(0);
  ps::Start(0);
  {
    SimpleApp app(0, 0);
    app.set_request_handle([received](const SimpleData& request, SimpleApp* self) {
      CHECK_EQ(request.head, 1);
      CHECK_EQ(request.body, "test");
      self->Response(request);
      ++*received;
    });
    if (ps::IsScheduler()) {
      std::vector<int> timestamps;
      const int everybody = ps::kScheduler + ps::kServerGroup + ps::kWorkerGroup;
      for (int i = 0; i < 100; ++i) timestamps.push_back(app.Request(1, "test", everybody));
      for (int timestamp : timestamps) app.Wait(timestamp);
    }
    ps::Finalize(0, true);
  }
  CHECK_EQ(received->load(), 100);
  return 0;
}
