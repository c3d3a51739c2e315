#include "ps/message.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

Node MakeNode(Node::Role role, int id, const std::string& host, int port) {
  Node node;
  node.role = role;
  node.id = id;
  node.hostname = host;
  node.port = port;
  return node;
}

TEST(MessageTest, NodeIsPrintedInTheUsualShape) {
  EXPECT_EQ(MakeNode(Node::WORKER, 9, "10.0.0.4", 4711).DebugString(),
            "role=worker, id=9, ip=10.0.0.4, port=4711, is_recovery=0");
  EXPECT_EQ(MakeNode(Node::SERVER, Node::kEmpty, "10.0.0.4", Node::kEmpty).DebugString(),
            "role=server, ip=10.0.0.4, is_recovery=0");
}

TEST(MessageTest, ShortNodeNameHasBracketsOnlyWithAnId) {
  EXPECT_EQ(MakeNode(Node::WORKER, 9, "", 0).ShortDebugString(), "W[9]");
  EXPECT_EQ(MakeNode(Node::SERVER, 8, "", 0).ShortDebugString(), "S[8]");
  EXPECT_EQ(MakeNode(Node::SCHEDULER, 1, "", 0).ShortDebugString(), "H[1]");
  EXPECT_EQ(MakeNode(Node::WORKER, Node::kEmpty, "", 0).ShortDebugString(), "W");
}

TEST(MessageTest, RegistrationLineHasTheShapeOfTheSpecification) {
  Message message;
  message.meta.recver = 1;
  message.meta.timestamp = 3;
  message.meta.control.cmd = Control::ADD_NODE;
  message.meta.control.node = {MakeNode(Node::WORKER, Node::kEmpty, "1.1.1.1", 37350)};
  EXPECT_EQ(message.DebugString(),
            "? => 1. Meta: request=0, timestamp=3, control={ cmd=ADD_NODE, node={ role=worker, ip=1.1.1.1, "
            "port=37350, "
            "is_recovery=0 } }");
}

TEST(MessageTest, RosterLineListsTheNodesWithSpaces) {
  Message message;
  message.meta.sender = 1;
  message.meta.recver = 9;
  message.meta.timestamp = 4;
  message.meta.control.cmd = Control::ADD_NODE;
  message.meta.control.node = {MakeNode(Node::WORKER, 9, "a", 1), MakeNode(Node::SERVER, 8, "b", 2)};
  EXPECT_EQ(message.DebugString(),
            "1 => 9. Meta: request=0, timestamp=4, control={ cmd=ADD_NODE, node={ role=worker, id=9, ip=a, "
            "port=1, is_recovery=0 "
            "role=server, id=8, ip=b, port=2, is_recovery=0 } }");
}

TEST(MessageTest, BarrierLineHasTheShapeOfTheSpecification) {
  Message message;
  message.meta.sender = 9;
  message.meta.recver = 1;
  message.meta.request = true;
  message.meta.timestamp = 2;
  message.meta.control.cmd = Control::BARRIER;
  message.meta.control.barrier_group = 7;
  EXPECT_EQ(message.DebugString(),
            "9 => 1. Meta: request=1, timestamp=2, control={ cmd=BARRIER, barrier_group=7 }");
}

TEST(MessageTest, DataLineHasTheShapeOfTheSpecification) {
  Message message;
  message.meta.sender = 9;
  message.meta.recver = 8;
  message.meta.request = true;
  message.meta.push = true;
  message.meta.timestamp = 0;
  message.meta.app_id = 0;
  message.meta.customer_id = 0;
  message.meta.head = 0;
  message.AddData(SArray<uint64_t>(10000));
  message.AddData(SArray<float>(10000));
  EXPECT_EQ(
      message.DebugString(),
      "9 => 8. Meta: request=1, timestamp=0, app_id=0, customer_id=0, simple_app=0, push=1, pull=0, head=0, "
      "data_type={ UINT64 FLOAT } Body: data_size=80000 data_size=40000");
  EXPECT_EQ(message.meta.data_size, 120000);
}

TEST(MessageTest, SimpleAppLineHasTheShapeOfTheSpecification) {
  Message message;
  message.meta.sender = 1;
  message.meta.recver = 9;
  message.meta.request = true;
  message.meta.simple_app = true;
  message.meta.timestamp = 0;
  message.meta.app_id = 0;
  message.meta.customer_id = 0;
  message.meta.head = 1;
  message.meta.body = "test";
  EXPECT_EQ(message.DebugString(),
            "1 => 9. Meta: request=1, timestamp=0, app_id=0, customer_id=0, simple_app=1, push=0, pull=0, "
            "head=1, body=test");
}

TEST(MessageTest, ReceiverWithoutIdIsAQuestionMark) {
  EXPECT_EQ(Message().DebugString().substr(0, 7), "? => ?.");
}

TEST(MessageTest, BodiesAreCutAndEscaped) {
  Message message;
  message.meta.body = "a\n\x01\\" + std::string(200, 'x');
  const std::string text = message.DebugString();
  EXPECT_NE(text.find("body=a\\x0a\\x01\\\\" + std::string(60, 'x') + "..."), std::string::npos) << text;
  EXPECT_EQ(text.find(std::string(61, 'x')), std::string::npos);
  message.meta.body = std::string(64, 'y');
  EXPECT_EQ(message.DebugString().find("..."), std::string::npos);
}

TEST(MessageTest, ErrorStatusIsShown) {
  Message message;
  message.meta.status = StatusCode::kNotFound;
  EXPECT_NE(message.DebugString().find(", status=NotFound"), std::string::npos);
  EXPECT_EQ(Message().DebugString().find("status"), std::string::npos);
}

TEST(MessageTest, UnknownEnumeratorsArePrintedAndDoNotCrash) {
  EXPECT_STREQ(DataTypeName(static_cast<DataType>(77)), "OTHER");
  Control control;
  control.cmd = static_cast<Control::Command>(99);
  EXPECT_EQ(control.DebugString(), "cmd=UNKNOWN(99)");
}

TEST(MessageTest, EveryFieldHasAValueFromTheStart) {
  const Meta meta;
  EXPECT_EQ(meta.sender, Meta::kEmpty);
  EXPECT_EQ(meta.control.barrier_group, 0);
  EXPECT_EQ(meta.control.msg_sig, 0u);
  EXPECT_EQ(meta.data_size, 0);
  EXPECT_FALSE(meta.request || meta.push || meta.pull || meta.simple_app);
  EXPECT_EQ(Node().port, Node::kEmpty);
  EXPECT_EQ(sizeof(meta.data_size), 8u);
}

TEST(MessageTest, AddDataSharesTheMemory) {
  Message message;
  const SArray<float> values(4, 1.5f);
  message.AddData(values);
  EXPECT_EQ(static_cast<void*>(message.data[0].data()), static_cast<void*>(values.data()));
  EXPECT_EQ(message.meta.data_type[0], FLOAT);
}

TEST(MessageTest, DataTypesFollowTheWidth) {
  EXPECT_EQ(GetDataType<int8_t>(), INT8);
  EXPECT_EQ(GetDataType<const uint16_t>(), UINT16);
  EXPECT_EQ(GetDataType<long>(), INT64);
  EXPECT_EQ(GetDataType<double>(), DOUBLE);
  EXPECT_EQ(GetDataType<char>(), OTHER);
  EXPECT_EQ(GetDataType<bool>(), OTHER);
  EXPECT_EQ(GetDataType<Node>(), OTHER);
}

}  // namespace
}  // namespace ps
