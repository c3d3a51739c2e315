#include "van/message_log.h"

#include <gtest/gtest.h>

#include "tests/support/log_capture.h"
#include "van/control.h"

namespace ps {
namespace {

std::string TheLine(const LogCapture& log) {
  const std::vector<std::string> lines = log.lines();
  if (lines.size() != 1) return "there are " + std::to_string(lines.size()) + " lines";
  return lines[0].substr(lines[0].find(": ") + 2);
}

Node Worker(int id) {
  Node node;
  node.role = Node::WORKER;
  node.id = id;
  node.hostname = "10.0.0.4";
  node.port = 4711;
  node.incarnation = 77;
  return node;
}

TEST(MessageLogTest, SaysNothingWhenItIsOff) {
  LogCapture log;
  MessageLog off(false);
  off.Data(Message(), 9, 8);
  off.Registering(Worker(Node::kEmpty));
  off.Control(Control::BARRIER, EncodeBarrier(BarrierNotice()), 9, 1, true);
  EXPECT_TRUE(log.lines().empty());
}

TEST(MessageLogTest, ShowsARegistrationWithoutId) {
  LogCapture log;
  MessageLog on(true);
  on.Registering(Worker(Node::kEmpty));
  EXPECT_EQ(TheLine(log),
            "? => 1. Meta: request=0, timestamp=0, control={ cmd=ADD_NODE, node={ role=worker, ip=10.0.0.4, "
            "port=4711, is_recovery=0 } }");
}

TEST(MessageLogTest, ShowsARosterWithAllItsNodes) {
  Roster roster;
  roster.epoch = 1;
  roster.nodes = {Worker(1), Worker(9), Worker(11)};
  roster.nodes[0].role = Node::SCHEDULER;
  roster.nodes[1].incarnation = 78;
  roster.nodes[2].incarnation = 79;
  LogCapture log;
  MessageLog on(true);
  on.Control(Control::ADD_NODE, EncodeRoster(roster), 1, 9, false);
  const std::string line = TheLine(log);
  EXPECT_NE(line.find("1 => 9. Meta: request=0"), std::string::npos) << line;
  EXPECT_NE(line.find("id=9"), std::string::npos) << line;
  EXPECT_NE(line.find("id=11"), std::string::npos) << line;
}

TEST(MessageLogTest, ShowsTheGroupOfAnArrivalAndNoneOfARelease) {
  BarrierNotice notice;
  notice.group = 7;
  notice.round = 1;
  MessageLog on(true);
  {
    LogCapture log;
    on.Control(Control::BARRIER, EncodeBarrier(notice), 9, 1, true);
    EXPECT_EQ(TheLine(log), "9 => 1. Meta: request=1, timestamp=0, control={ cmd=BARRIER, barrier_group=7 }");
  }
  LogCapture log;
  on.Control(Control::BARRIER, EncodeBarrier(notice), 1, 9, false);
  EXPECT_EQ(TheLine(log), "1 => 9. Meta: request=0, timestamp=1, control={ cmd=BARRIER, barrier_group=0 }");
}

TEST(MessageLogTest, ShowsWhoLeaves) {
  LogCapture log;
  MessageLog on(true);
  on.Control(Control::LEAVE, EncodeDeparture({9, 77, ""}), 9, 1, false);
  EXPECT_NE(TheLine(log).find("cmd=LEAVE, node={ role=worker, id=9"), std::string::npos) << TheLine(log);
}

}  // namespace
}  // namespace ps
