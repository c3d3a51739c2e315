#include "ps/config.h"

#include <gtest/gtest.h>

#include <string>

#include "base/variables.h"
#include "ps/environment.h"
#include "tests/support/log_capture.h"

namespace ps {
namespace {

Environment::Map Required() {
  return {{"DMLC_ROLE", "worker"},
          {"DMLC_NUM_WORKER", "2"},
          {"DMLC_NUM_SERVER", "1"},
          {"DMLC_PS_ROOT_URI", "10.0.0.1"},
          {"DMLC_PS_ROOT_PORT", "8000"}};
}

Result<Config> Parse(const Environment::Map& changes) {
  Environment::Map entries = Required();
  for (const auto& [name, value] : changes) entries[name] = value;
  return Config::FromEnvironment(Environment(entries, Environment::Fallback::kMapOnly));
}

std::string ErrorOf(const Environment::Map& changes) { return Parse(changes).status().message(); }

TEST(ConfigTest, RequiredVariablesAreEnoughAndTheRestHasItsDefaults) {
  Config expected;
  expected.role = Role::kWorker;
  expected.num_workers = 2;
  expected.num_servers = 1;
  expected.root_uri = "10.0.0.1";
  expected.root_port = 8000;
  const Result<Config> config = Parse({});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config.value(), expected);
  EXPECT_TRUE(config.value().Validate().ok());
}

TEST(ConfigTest, ReadsEveryVariable) {
  const Result<Config> result = Parse({{"DMLC_ROLE", "server"},
                                       {"DMLC_NODE_HOST", "node-3"},
                                       {"PS_BIND_HOST", "0.0.0.0"},
                                       {"DMLC_INTERFACE", "eth1"},
                                       {"DMLC_PORT", "9000"},
                                       {"DMLC_USE_KUBERNETES", "1"},
                                       {"DMLC_LOCAL", "1"},
                                       {"DMLC_PS_VAN_TYPE", "p3"},
                                       {"DMLC_PS_WATER_MARK", "0"},
                                       {"PS_SEND_BUFFER_BYTES", "1024"},
                                       {"DMLC_RANK", "3"},
                                       {"PS_NODE_KEY", "shelf-2"},
                                       {"PS_VERBOSE", "2"},
                                       {"PS_HEARTBEAT_INTERVAL", "0.5"},
                                       {"PS_HEARTBEAT_TIMEOUT", "4"},
                                       {"PS_START_TIMEOUT", "3"},
                                       {"PS_REQUEST_TIMEOUT", "2.25"},
                                       {"PS_BARRIER_TIMEOUT", "0"}});
  ASSERT_TRUE(result.ok()) << result.status();
  const Config& config = result.value();
  EXPECT_EQ(config.role, Role::kServer);
  EXPECT_EQ(config.node_host, "node-3");
  EXPECT_EQ(config.bind_host, "0.0.0.0");
  EXPECT_EQ(config.interface, "eth1");
  EXPECT_EQ(config.port, 9000);
  EXPECT_TRUE(config.use_kubernetes);
  EXPECT_TRUE(config.local);
  EXPECT_EQ(config.van_type, "p3");
  EXPECT_EQ(config.water_mark, 0);
  EXPECT_EQ(config.send_buffer_bytes, 1024);
  EXPECT_EQ(config.rank_wish, 3);
  EXPECT_EQ(config.node_key, "shelf-2");
  EXPECT_EQ(config.verbose, 2);
  EXPECT_EQ(config.heartbeat_interval_ms, 500);
  EXPECT_EQ(config.heartbeat_timeout_ms, 4000);
  EXPECT_EQ(config.start_timeout_ms, 3000);
  EXPECT_EQ(config.request_timeout_ms, 2250);
  EXPECT_EQ(config.barrier_timeout_ms, 0);
}

TEST(ConfigTest, ReadsTheRestOfTheVariables) {
  const Result<Config> result = Parse({{"PS_ON_NODE_LOST", "fail"},
                                       {"PS_RESEND", "1"},
                                       {"PS_RESEND_TIMEOUT", "200"},
                                       {"PS_DROP_MSG", "10"},
                                       {"PS_KEY_PARTITION", "hash"},
                                       {"PS_MAX_MESSAGE_BYTES", "5000000000"},
                                       {"PS_SPIN_US", "50"},
                                       {"PS_CHUNK_BYTES", "4096"},
                                       {"PS_SLICE_BYTES", "1000"},
                                       {"PS_CHECKPOINT_DIR", "ckpt"},
                                       {"PS_CHECKPOINT_INTERVAL", "30"},
                                       {"PS_JOB_TOKEN", "secret"},
                                       {"PS_SERVER_MEMORY_LIMIT", "1000000"},
                                       {"PS_SERVER_THREADS", "0"}});
  ASSERT_TRUE(result.ok()) << result.status();
  const Config& config = result.value();
  EXPECT_EQ(config.on_node_lost, OnNodeLost::kFail);
  EXPECT_TRUE(config.resend);
  EXPECT_EQ(config.resend_timeout_ms, 200);
  EXPECT_EQ(config.drop_msg_percent, 10);
  EXPECT_EQ(config.key_partition, KeyPartition::kHash);
  EXPECT_EQ(config.max_message_bytes, 5000000000);
  EXPECT_EQ(config.spin_us, 50);
  EXPECT_EQ(config.chunk_bytes, 4096);
  EXPECT_EQ(config.slice_bytes, 1000);
  EXPECT_EQ(config.checkpoint_dir, "ckpt");
  EXPECT_EQ(config.checkpoint_interval_ms, 30000);
  EXPECT_EQ(config.job_token, "secret");
  EXPECT_EQ(config.server_memory_limit, 1000000);
  EXPECT_EQ(config.server_threads, 0);
}

TEST(ConfigTest, EmptyValuesCountAsUnset) {
  const Result<Config> config = Parse({{"DMLC_PORT", ""}, {"PS_VERBOSE", ""}, {"PS_START_TIMEOUT", ""}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config.value().start_timeout_ms, 60000);
}

TEST(ConfigTest, ChoicesNameWhatIsAllowed) {
  EXPECT_EQ(ErrorOf({{"PS_ON_NODE_LOST", "panic"}}),
            "PS_ON_NODE_LOST=\"panic\" is not a policy: use fail, wait or shrink");
  EXPECT_EQ(ErrorOf({{"DMLC_LOCAL", "yes"}}), "DMLC_LOCAL=\"yes\" is not a switch: use 0 or 1");
  EXPECT_EQ(ErrorOf({{"PS_KEY_PARTITION", "modulo"}}),
            "PS_KEY_PARTITION=\"modulo\" is not a partition: use range or hash");
}

TEST(ConfigTest, TransportsThatAreNotOfferedAreRefusedWithTheList) {
  for (const char* offered : {"auto", "shm", "zmq", "p3"}) {
    EXPECT_TRUE(Parse({{"DMLC_PS_VAN_TYPE", offered}}).ok()) << offered;
  }
  EXPECT_EQ(ErrorOf({{"DMLC_PS_VAN_TYPE", "ucx"}}),
            "DMLC_PS_VAN_TYPE=\"ucx\" is not offered by this build: use auto, shm, zmq or p3");
  EXPECT_EQ(ErrorOf({{"DMLC_PS_VAN_TYPE", "ibverbs"}}),
            "DMLC_PS_VAN_TYPE=\"ibverbs\" is not a transport: use auto, shm, zmq or p3");
}

TEST(ConfigTest, TimesAreSecondsWithFractions) {
  EXPECT_EQ(ErrorOf({{"PS_START_TIMEOUT", "3s"}}),
            "PS_START_TIMEOUT=\"3s\" is not a time: use seconds from 0 to 1000000000, fractions allowed");
  EXPECT_FALSE(Parse({{"PS_REQUEST_TIMEOUT", "-1"}}).ok());
}

TEST(ConfigTest, TheHeartbeatTimeoutHasToBeLongerThanTheInterval) {
  EXPECT_FALSE(Parse({{"PS_HEARTBEAT_INTERVAL", "5"}, {"PS_HEARTBEAT_TIMEOUT", "5"}}).ok());
  EXPECT_TRUE(Parse({{"PS_HEARTBEAT_INTERVAL", "5"}, {"PS_HEARTBEAT_TIMEOUT", "0"}}).ok());
  EXPECT_TRUE(Parse({{"PS_HEARTBEAT_INTERVAL", "0"}, {"PS_HEARTBEAT_TIMEOUT", "5"}}).ok());
}

TEST(ConfigTest, AHeartbeatDefaultFollowsTheOtherValue) {
  const Config slow = Parse({{"PS_HEARTBEAT_INTERVAL", "10"}}).value();
  EXPECT_EQ(slow.heartbeat_timeout_ms, 100000);
  const Config fast = Parse({{"PS_HEARTBEAT_TIMEOUT", "0.5"}}).value();
  EXPECT_EQ(fast.heartbeat_interval_ms, 50);
  EXPECT_EQ(fast.heartbeat_timeout_ms, 500);
  EXPECT_EQ(Parse({{"PS_HEARTBEAT_INTERVAL", "0.1"}}).value().heartbeat_timeout_ms, 10000);
}

TEST(ConfigTest, TheNodeKeyIsTheFirstThatIsSet) {
  const Environment::Map all = {{"PS_NODE_KEY", "a"},          {"DMLC_TASK_ID", "b"}, {"DMLC_WORKER_ID", "c"},
                                {"OMPI_COMM_WORLD_RANK", "d"}, {"PMI_RANK", "e"},     {"SLURM_PROCID", "f"}};
  Environment::Map left = all;
  for (const char* name : {"PS_NODE_KEY", "DMLC_TASK_ID", "DMLC_WORKER_ID", "OMPI_COMM_WORLD_RANK",
                           "PMI_RANK", "SLURM_PROCID"}) {
    EXPECT_EQ(Parse(left).value().node_key, all.at(name));
    left.erase(name);
  }
  EXPECT_EQ(Parse(left).value().node_key, "");
}

TEST(ConfigTest, TheNodeKeyIsTheOneOfTheRole) {
  const Environment::Map ids = {{"DMLC_WORKER_ID", "w"}, {"DMLC_SERVER_ID", "s"}};
  Environment::Map server = ids;
  server["DMLC_ROLE"] = "server";
  EXPECT_EQ(Parse(ids).value().node_key, "w");
  EXPECT_EQ(Parse(server).value().node_key, "s");
}

TEST(ConfigTest, ARankTheLibraryPublishedIsNoWish) {
  Environment environment(Required(), Environment::Fallback::kMapOnly);
  ASSERT_TRUE(environment.Publish("DMLC_RANK", "1"));
  EXPECT_EQ(Config::FromEnvironment(environment).value().rank_wish, -1);
  EXPECT_EQ(Parse({{"DMLC_RANK", "1"}}).value().rank_wish, 1);
}

TEST(ConfigTest, AnUnknownNameIsWarnedOfOncePerProcess) {
  LogCapture log;
  EXPECT_TRUE(Parse({{"PS_VERBOSITY", "1"}}).ok());
  EXPECT_TRUE(Parse({{"PS_VERBOSITY", "1"}}).ok());
  EXPECT_EQ(log.Count("WARNING: the variable PS_VERBOSITY is not known"), 1);
  EXPECT_EQ(log.Count("did you mean PS_VERBOSE?"), 1);
}

TEST(ConfigTest, NoErrorShowsTheJobToken) {
  const std::string error = ErrorOf({{"PS_JOB_TOKEN", "top-secret"}, {"DMLC_PORT", "x"}});
  EXPECT_NE(error, "");
  EXPECT_EQ(error.find("top-secret"), std::string::npos);
}

TEST(ConfigTest, ChangingAnyFieldMakesConfigsUnequal) {
  const Config base = Parse({}).value();
  const Environment::Map others = {{"DMLC_PORT", "1"},
                                   {"PS_JOB_TOKEN", "t"},
                                   {"PS_SPIN_US", "3"},
                                   {"PS_CHUNK_BYTES", "100"},
                                   {"PS_RESEND", "1"}};
  for (const auto& other : others) EXPECT_NE(Parse({other}).value(), base) << other.first;
}

TEST(ConfigTest, RoleNamesAreTheWordsOfTheVariable) {
  EXPECT_STREQ(RoleName(Role::kServer), "server");
  EXPECT_STREQ(RoleName(Role::kJoint), "joint");
  EXPECT_STREQ(RoleName(static_cast<Role>(9)), "unknown");
}

// No text may crash the parser, and none may be taken for another number.
TEST(ConfigTest, OddTextsAreRefusedEverywhereANumberIsWanted) {
  const char* odd[] = {"abc", "2x", "-2", "1e3", "0x1", "99999999999999999999", " 1", "\xff"};
  for (const char* name : {"DMLC_NUM_WORKER", "DMLC_NUM_SERVER", "DMLC_PS_ROOT_PORT", "DMLC_PORT",
                           "DMLC_RANK", "DMLC_PS_WATER_MARK", "PS_SEND_BUFFER_BYTES", "PS_MAX_MESSAGE_BYTES",
                           "PS_RESEND_TIMEOUT", "PS_DROP_MSG", "PS_SERVER_THREADS", "PS_VERBOSE",
                           "PS_HEARTBEAT_INTERVAL", "PS_BARRIER_TIMEOUT", "DMLC_LOCAL"}) {
    for (const char* text : odd) {
      const std::string error = ErrorOf({{name, text}});
      EXPECT_NE(error.find(std::string(name) + "=\"" + text + "\""), std::string::npos)
          << name << text << error;
    }
  }
}

}  // namespace
}  // namespace ps
