// Operations of the store as a peer sends them: what a server makes of requests, and a worker of answers.
#include <dmlc/logging.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/client_op.h"
#include "store/op.h"
#include "store/spec_bytes.h"
#include "store/store_server_core.h"
#include "store/ticket_state.h"
#include "tests/fuzz/bytes_reader.h"
#include "tests/support/sum_shard.h"

namespace ps {
namespace {

constexpr int kWorkers = 2;
constexpr std::size_t kFewBytes = 64 << 10;  // more than any input is worth
constexpr std::uint64_t kMemory = 16 << 20;  // of the server
constexpr std::size_t kMaxMessages = 64;

// A table of each kind.
std::vector<TableSpec> Specs() {
  std::vector<TableSpec> specs(6);
  for (TableSpec& spec : specs) {
    spec.rows = 8;
    spec.width = 2;
  }
  specs[1].kind = specs[2].kind = specs[4].kind = TableSpec::kHash;
  for (const int hash : {1, 2, 4}) specs[static_cast<std::size_t>(hash)].rows = 0;
  for (const int bsp : {0, 1, 5}) specs[static_cast<std::size_t>(bsp)].consistency = Consistency::Bsp();
  specs[0].apply = specs[1].apply = TableSpec::kMerged;
  specs[2].updater = "adagrad";
  specs[2].init = Init::Uniform(0, 1, 7);
  specs[3].init = Init::FirstWrite();
  specs[4].consistency = Consistency::Ssp(1);
  specs[4].dtype = DType::kF16;
  specs[5].push_codec = {"2bit", 0.5};
  specs[5].pull_codec = {"sparse", 0};
  specs[5].auto_close = false;
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i].name = "table " + std::to_string(i);
  return specs;
}

// And one of the program's own code.
constexpr char kUserTable[] = "sums";

std::uint64_t TableOf(std::uint8_t choice) {
  static const std::vector<TableSpec> specs = Specs();
  if (choice % 8 == specs.size()) return TableId(kUserTable);
  return choice % 8 < specs.size() ? TableId(specs[choice % 8].name) : choice;
}

// Numbers that are near each other or any.
std::uint64_t NumberFrom(BytesReader* reader) {
  const std::uint8_t choice = reader->Byte();
  return choice == 0xff ? reader->Number<std::uint64_t>() : choice % 16;
}

// An operation with `keys` and values that mostly fit it.
Op OpFrom(BytesReader* reader, StoreRequest* message) {
  Op op;
  const std::uint8_t code = reader->Byte();
  op.code = static_cast<OpCode>(code % 15);
  op.flags = reader->Byte();
  op.table = TableOf(reader->Byte());
  op.round = NumberFrom(reader);
  op.since = NumberFrom(reader);
  op.epoch = NumberFrom(reader);
  op.parts = static_cast<std::uint32_t>(NumberFrom(reader));
  for (std::size_t i = reader->Byte() % 16; i > 0; --i, ++op.num_keys)
    message->keys.push_back(NumberFrom(reader));
  const SArray<char> values = reader->Take((code & 0x80) != 0 ? reader->Byte() : op.num_keys * 8);
  op.num_bytes = values.size();
  message->vals.resize(AlignedValues(message->vals.size()));
  for (const char byte : values) message->vals.push_back(byte);
  if (op.code == OpCode::kCreate || op.code == OpCode::kOption || op.code == OpCode::kUpdater)
    op.text = reader->Line();
  return op;
}

bool TouchesFiles(const Op& op) { return op.code == OpCode::kSave || op.code == OpCode::kLoad; }

void CheckAnswer(const StoreAnswer& answer, std::size_t num_ops) {
  CHECK_EQ(answer.replies.size(), num_ops);
  const std::string text = OpCodec::Encode(answer.replies);
  CHECK(OpCodec::DecodeReplies(text, answer.keys.size(), answer.vals.size()).ok());
}

class Server {
 public:
  Server() : core_(OptionsOf()) {
    CHECK(core_.Register(kUserTable, "Sums", MakeSumShard()).ok());
    for (const TableSpec& spec : Specs()) {
      for (int worker = 0; worker < kWorkers; ++worker) {
        StoreRequest request;
        request.ops.resize(1);
        request.ops[0].code = OpCode::kCreate;
        request.ops[0].table = TableId(spec.name);
        request.ops[0].text = EncodeSpec(spec);
        Ask(worker, 1, std::move(request));
      }
    }
  }
  ~Server() {
    core_.Close();
    CHECK_EQ(asked_, answered_.load());  // nothing is answered twice, nor forgotten
  }

  void Ask(int worker, std::uint64_t life, StoreRequest&& request) {
    // One refusal for all of a message that is not for the store.
    const std::size_t num_ops = worker < kWorkers ? std::max<std::size_t>(request.ops.size(), 1) : 1;
    ++asked_;
    // On the thread of the program's own code, too.
    core_.Handle({worker, life}, std::move(request), true, [this, num_ops](StoreAnswer&& answer) {
      ++answered_;
      CheckAnswer(answer, num_ops);
    });
  }
  void Lose(int worker, bool goes_on) { core_.OnWorkerGone(worker, goes_on, Status::Unavailable("gone")); }

 private:
  static StoreServerCore::Options OptionsOf() {
    StoreServerCore::Options options;
    options.num_workers = kWorkers;
    options.memory_limit = kMemory;
    return options;
  }

  int asked_ = 0;
  std::atomic<int> answered_{0};
  StoreServerCore core_;
};

// As they come in a message, whose text is decoded again.
void FuzzServer(BytesReader* reader) {
  Server server;
  for (std::size_t i = 0; i < kMaxMessages && !reader->empty(); ++i) {
    const std::uint8_t how = reader->Byte();
    const int worker = how % (kWorkers + 1);
    if (how >= 0xfe) {
      server.Lose(worker % kWorkers, how == 0xff);
      continue;
    }
    StoreRequest message;
    std::vector<Op> ops;
    for (int count = how / 4 % 4; count > 0; --count) ops.push_back(OpFrom(reader, &message));
    Result<std::vector<Op>> decoded =
        OpCodec::DecodeOps(OpCodec::Encode(ops), message.keys.size(), message.vals.size());
    if (!decoded.ok() || std::any_of(ops.begin(), ops.end(), TouchesFiles)) continue;
    message.ops = std::move(decoded).value();
    server.Ask(worker, 1 + how / 64 % 2, std::move(message));
  }
}

// Any text.
void FuzzText(BytesReader* reader) {
  const std::size_t num_keys = reader->Byte();
  const std::size_t num_bytes = reader->Byte();
  const SArray<char> bytes = reader->Take(kFewBytes);
  const std::string_view text(bytes.data(), bytes.size());
  const auto ops = OpCodec::DecodeOps(text, num_keys, num_bytes);
  const auto replies = OpCodec::DecodeReplies(text, num_keys, num_bytes);
  if (ops.ok()) CHECK(OpCodec::Encode(ops.value()) == text);
  if (!ops.ok()) CHECK(ops.status().code() == StatusCode::kInvalidArgument);
  if (!replies.ok()) CHECK(replies.status().code() == StatusCode::kInvalidArgument);
  if (!ops.ok() || std::any_of(ops.value().begin(), ops.value().end(), TouchesFiles)) return;
  StoreRequest message;
  message.ops = ops.value();
  message.keys.resize(num_keys);
  message.vals.resize(num_bytes);
  Server().Ask(0, 1, std::move(message));
}

// Answers to a call that reads a run of rows, a list, and what has changed of a list.
void FuzzAnswer(BytesReader* reader) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kRowBytes = 8;
  std::array<char, kRows * kRowBytes> values{};
  std::vector<std::uint32_t> changed;
  ClientOp::Destination destination;
  destination.values = values.data();
  destination.row_bytes = kRowBytes;
  destination.row_elements = 2;
  destination.changed = reader->Byte() % 2 == 0 ? &changed : nullptr;
  const std::vector<ClientOp::Part> parts = {
      {0, 0, false, 1, 2, {}}, {1, 0, false, 0, 3, {7, 0, 4}}, {1, 1, true, 0, 2, {5, 6}}};
  ClientOp op(std::make_shared<TicketState>(nullptr), destination, parts, nullptr);
  while (!reader->empty()) {
    StoreAnswer answer;
    const int server = reader->Byte() % 3;
    std::vector<OpReply> replies(reader->Byte() % 4);
    for (OpReply& reply : replies) {
      reply.status = Status(static_cast<StatusCode>(reader->Byte()), "");
      reply.num_keys = reader->Byte() % 4;
      reply.num_bytes = reader->Byte() % 32;
      for (std::size_t i = 0; i < reply.num_keys; ++i) answer.keys.push_back(NumberFrom(reader));
      answer.vals.resize(AlignedValues(answer.vals.size()) + reply.num_bytes);
    }
    const std::string text = OpCodec::Encode(replies);
    const auto decoded = OpCodec::DecodeReplies(text, answer.keys.size(), answer.vals.size());
    CHECK(decoded.ok()) << decoded.status();
    answer.replies = decoded.value();
    (void)op.OnAnswer(server, answer);
  }
  for (const std::uint32_t row : changed) CHECK_LT(row, kRows);
}

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ps::BytesReader reader(data, std::min(size, ps::kFewBytes));
  switch (reader.Byte() % 4) {
    case 0: ps::FuzzText(&reader); break;
    case 1: ps::FuzzAnswer(&reader); break;
    default: ps::FuzzServer(&reader);
  }
  return 0;
}
