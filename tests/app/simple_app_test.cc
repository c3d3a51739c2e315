#include "ps/simple_app.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <stdexcept>

#include "ps/base.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class SimpleAppTest : public testing::Test {
 protected:
  SimpleAppTest() : cluster_(2, 2) { ThrowIfError(cluster_.Start()); }

  // One app per node.
  std::vector<std::unique_ptr<SimpleApp>> AppsEverywhere() {
    std::vector<std::unique_ptr<SimpleApp>> apps;
    for (Postoffice* node : cluster_.nodes()) apps.push_back(std::make_unique<SimpleApp>(node, 0, 0));
    return apps;
  }

  Watchdog watchdog_;
  LocalCluster cluster_;
};

TEST_F(SimpleAppTest, TheSchedulerAsksEverybodyItselfIncluded) {
  auto apps = AppsEverywhere();
  std::atomic<int> handled{0};
  std::atomic<int> wrong{0};
  for (auto& app : apps) {
    app->set_request_handle([&](const SimpleData& req, SimpleApp* answering) {
      if (req.head != 1 || req.body != "test" || req.sender != kScheduler) ++wrong;
      ++handled;
      answering->Response(req, "seen");
    });
  }
  std::multiset<int> senders;
  apps[0]->set_response_handle([&](const SimpleData& res, SimpleApp*) {
    if (res.head != 1 || res.body != "seen") ++wrong;
    senders.insert(res.sender);
  });
  std::vector<int> timestamps;
  for (int i = 0; i < 100; ++i)
    timestamps.push_back(apps[0]->Request(1, "test", kScheduler + kServerGroup + kWorkerGroup));
  for (int ts : timestamps) apps[0]->Wait(ts);
  EXPECT_EQ(handled, 500);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(senders.size(), 500u);
  for (int id : {1, 8, 9, 10, 11}) EXPECT_EQ(senders.count(id), 100u) << id;
}

TEST_F(SimpleAppTest, ARequestToANodeThatIsNoneNamesIt) {
  SimpleApp app(&cluster_.worker(0), 0, 0);
  try {
    app.Request(1, "", 42);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.status().message().find("42"), std::string::npos) << error.status();
  }
}

TEST_F(SimpleAppTest, EmptyHandlesAreRefused) {
  SimpleApp app(&cluster_.worker(0), 0, 0);
  try {
    app.set_request_handle(SimpleApp::Handle());
    FAIL();
  } catch (const dmlc::Error& error) {
    EXPECT_NE(std::string(error.what()).find("invalid request handle"), std::string::npos);
  }
  EXPECT_THROW(app.set_response_handle(SimpleApp::Handle()), dmlc::Error);
}

TEST_F(SimpleAppTest, WithoutAHandleRequestsAreAnsweredEmptyAfterASecond) {
  auto apps = AppsEverywhere();
  std::string answer = "unset";
  apps[0]->set_response_handle([&answer](const SimpleData& res, SimpleApp*) { answer = res.body; });
  EXPECT_TRUE(apps[0]->WaitFor(apps[0]->Request(1, "x", 8), milliseconds(20000)).ok());
  EXPECT_EQ(answer, "");
  // Once is enough: those that follow do not wait again.
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(apps[0]->WaitFor(apps[0]->Request(1, "x", 8), milliseconds(20000)).ok());
}

TEST_F(SimpleAppTest, AnExceptionInAHandleFailsTheRequestOnly) {
  auto apps = AppsEverywhere();
  apps[1]->set_request_handle([](const SimpleData& req, SimpleApp* app) {
    if (req.head == 0) throw std::runtime_error("head is zero");
    app->Response(req);
  });
  const Status failed = apps[0]->WaitFor(apps[0]->Request(0, "", 8), milliseconds(10000));
  EXPECT_NE(failed.message().find("head is zero"), std::string::npos) << failed;
  EXPECT_TRUE(apps[0]->WaitFor(apps[0]->Request(1, "", 8), milliseconds(10000)).ok());
}

TEST_F(SimpleAppTest, TheSameIdsTwiceOnANodeAreRefusedByName) {
  SimpleApp first(&cluster_.worker(0), 3, 4);
  try {
    SimpleApp second(&cluster_.worker(0), 3, 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kAlreadyExists);
    EXPECT_NE(error.status().message().find("customer 4 of app 3"), std::string::npos) << error.status();
  }
}

TEST_F(SimpleAppTest, AnAppMayBeDestroyedByItsOwnHandle) {
  auto apps = AppsEverywhere();
  auto doomed = std::make_unique<SimpleApp>(&cluster_.server(0), 5, 5);
  std::promise<void> gone;
  doomed->set_request_handle([&](const SimpleData& req, SimpleApp* app) {
    app->Response(req);
    std::promise<void>* const told = &gone;  // what is captured goes with the app
    doomed.reset();
    told->set_value();
  });
  SimpleApp asking(&cluster_.worker(0), 5, 0);
  EXPECT_TRUE(asking.WaitFor(asking.Request(1, "", 8), milliseconds(10000)).ok());
  gone.get_future().wait();
  // The ids are free again.
  SimpleApp next(&cluster_.server(0), 5, 5);
}

}  // namespace
}  // namespace ps
