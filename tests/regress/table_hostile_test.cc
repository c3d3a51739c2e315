// tbl-case-13: a member of the job that sends truncated, oversized and random bytes for every operation.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/customer_core.h"
#include "ps/local_cluster.h"
#include "ps/store_server.h"
#include "ps/table.h"
#include "store/network_link.h"
#include "store/spec_bytes.h"
#include "store/store_message.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr std::chrono::seconds kLong{20};

// Sends messages of the store that its client would not.
class Stranger : public SimpleApp {
 public:
  explicit Stranger(Postoffice* node) {
    MakeCustomer(node, kStoreApp, 0);
    obj_->Open();
  }
  ~Stranger() override { CloseCustomer(); }

  // Returns the number of the request.
  int Send(Message message, int server) {
    RequestTracker::Request request;
    request.receivers.Add(Postoffice::ServerRankToID(server));
    message.meta.timestamp = obj_->core().Issue(std::move(request));
    message.meta.pull = true;
    message.meta.recver = Postoffice::ServerRankToID(server);
    const int timestamp = message.meta.timestamp;
    obj_->core().SendRequest(std::move(message));
    return timestamp;
  }
};

// An operation of this table that could be right.
Message Sensible(OpCode code, std::mt19937* random) {
  StoreRequest request;
  Op op;
  op.code = code;
  op.table = TableId("victim");
  op.num_keys = (*random)() % 4;
  request.keys = SArray<Key>(op.num_keys);
  for (Key& key : request.keys) key = (*random)() % 12;
  const bool brings = code == OpCode::kAdd || code == OpCode::kAddGet || code == OpCode::kSet;
  op.num_bytes = brings ? op.num_keys * 8 : 0;
  request.vals = SArray<char>(op.num_bytes);
  if (code == OpCode::kCreate) {
    TableSpec spec;
    spec.name = "victim";
    spec.rows = 10;
    spec.width = 2;
    op.text = EncodeSpec(spec);
  }
  op.flags = static_cast<std::uint8_t>((*random)() % 4);
  request.ops = {op};
  return PackRequest(std::move(request));
}

SArray<char> Resized(const SArray<char>& block, std::size_t size) {
  SArray<char> other(size);
  std::copy_n(block.data(), std::min(block.size(), size), other.data());
  return other;
}

void Spoil(Message* message, std::mt19937* random) {
  std::string& body = message->meta.body;
  switch ((*random)() % 5) {
    case 0: body.resize((*random)() % (body.size() + 1)); break;
    case 1: body += std::string(1 + (*random)() % 100, static_cast<char>((*random)())); break;
    case 2:
      for (int i = 0; i < 3; ++i) body[(*random)() % body.size()] = static_cast<char>((*random)());
      break;
    case 3:
      for (char& byte : body) byte = static_cast<char>((*random)());
      break;
    default:
      if (!message->data.empty()) {
        SArray<char>& block = message->data[(*random)() % message->data.size()];
        block =
            Resized(block, (*random)() % 2 == 0 ? block.size() / 2 + 1 : block.size() + 1 + (*random)() % 64);
      }
  }
}

TEST(TableHostile, TblCase13EveryMessageIsAnsweredOrRefusedAndTheServersLive) {
  const Watchdog watchdog(std::chrono::minutes(2));
  LocalCluster cluster(2, 2);
  ThrowIfError(cluster.Start());
  std::vector<std::unique_ptr<StoreServer>> servers;
  for (int i = 0; i < 2; ++i) servers.push_back(std::make_unique<StoreServer>(&cluster.server(i)));
  Store store(&cluster.worker(0));
  ArrayOptions options = ArrayOptions().Name("honest").Size(10);
  options.spec().min_split = 0;
  ArrayTable<float> honest(store, options);
  MatrixTable<float> victim(store, MatrixOptions().Name("victim").Rows(10).Cols(2));
  Stranger stranger(&cluster.worker(1));
  std::mt19937 random(13);
  std::vector<int> sent;
  for (int i = 0; i < 3000; ++i) {
    const auto code = static_cast<OpCode>(1 + i % static_cast<int>(OpCode::kFind));
    if (code == OpCode::kSave || code == OpCode::kLoad) continue;  // they name folders
    Message message = Sensible(code, &random);
    Spoil(&message, &random);
    sent.push_back(stranger.Send(std::move(message), i % 2));
  }
  honest.Add(std::vector<float>(10, 1));
  std::vector<float> read;
  honest.Get(&read);
  EXPECT_EQ(read, std::vector<float>(10, 1));
  // A read of a round that its sender never ends waits for it; all else has been answered.
  ASSERT_EQ(stranger.WaitFor(stranger.Send(Sensible(OpCode::kFind, &random), 0), kLong), Status::Ok());
  ASSERT_EQ(stranger.WaitFor(stranger.Send(Sensible(OpCode::kFind, &random), 1), kLong), Status::Ok());
  std::size_t refused = 0;
  std::size_t waiting = 0;
  for (const int request : sent) {
    const Status outcome = stranger.WaitFor(request, std::chrono::milliseconds(1));
    if (outcome.code() == StatusCode::kDeadlineExceeded)
      ++waiting;
    else if (!outcome.ok())
      ++refused;
  }
  EXPECT_GT(refused, sent.size() / 3) << "most of them cannot be read";
  EXPECT_LT(waiting, sent.size() / 20);
  std::printf("tbl-case-13 ok\n");
}

}  // namespace
}  // namespace ps
