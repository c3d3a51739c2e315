#include "store/op.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

constexpr std::uint16_t kOpVersion = 1;
constexpr char kOps = 'o';
constexpr char kReplies = 'r';
// Bytes, without the texts: of the head, of an operation, and of an answer, which is the smaller one and so
// bounds how many a text can claim.
constexpr std::size_t kHeadBytes = 7;
constexpr std::size_t kOpBytes = 58;
constexpr std::size_t kReplyBytes = 49;

class Writer {
 public:
  template <typename T>
  void Put(T value) {
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
    text_.append(bytes, sizeof(T));
  }
  void PutText(const std::string& text) {
    Put(static_cast<std::uint32_t>(text.size()));
    text_ += text;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads zeros once the text has ended.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  template <typename T>
  T Get() {
    T value = 0;
    if (text_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value |
                             static_cast<T>(static_cast<T>(static_cast<unsigned char>(text_[i])) << (8 * i)));
    text_.remove_prefix(sizeof(T));
    return value;
  }
  std::string GetText() {
    const auto size = Get<std::uint32_t>();
    if (text_.size() < size) {
      ok_ = false;
      return std::string();
    }
    std::string text(text_.substr(0, size));
    text_.remove_prefix(size);
    return text;
  }
  bool ok() const { return ok_; }
  std::size_t left() const { return text_.size(); }

 private:
  std::string_view text_;
  bool ok_ = true;
};

void Put(const Op& op, Writer* to) {
  to->Put(static_cast<std::uint8_t>(op.code));
  to->Put(op.flags);
  to->Put(op.table);
  to->Put(op.round);
  to->Put(op.since);
  to->Put(op.epoch);
  to->Put(op.parts);
  to->Put(op.num_keys);
  to->Put(op.num_bytes);
  to->PutText(op.text);
}

Status Get(Reader* from, Op* op) {
  const auto code = from->Get<std::uint8_t>();
  op->code = static_cast<OpCode>(code);
  op->flags = from->Get<std::uint8_t>();
  op->table = from->Get<std::uint64_t>();
  op->round = from->Get<std::uint64_t>();
  op->since = from->Get<std::uint64_t>();
  op->epoch = from->Get<std::uint64_t>();
  op->parts = from->Get<std::uint32_t>();
  op->num_keys = from->Get<std::uint64_t>();
  op->num_bytes = from->Get<std::uint64_t>();
  op->text = from->GetText();
  if (code < static_cast<int>(OpCode::kCreate) || code > static_cast<int>(OpCode::kFind))
    return Status::InvalidArgument("operation code " + std::to_string(code) + " is unknown");
  return Status::Ok();
}

void Put(const OpReply& reply, Writer* to) {
  to->Put(static_cast<std::uint8_t>(reply.status.code()));
  to->PutText(reply.status.message());
  to->Put(reply.version);
  to->Put(reply.round);
  to->Put(reply.epoch);
  to->Put(reply.num_keys);
  to->Put(reply.num_bytes);
  to->PutText(reply.text);
}

Status Get(Reader* from, OpReply* reply) {
  const auto code = from->Get<std::uint8_t>();
  reply->status = Status(static_cast<StatusCode>(code), from->GetText());
  reply->version = from->Get<std::uint64_t>();
  reply->round = from->Get<std::uint64_t>();
  reply->epoch = from->Get<std::uint64_t>();
  reply->num_keys = from->Get<std::uint64_t>();
  reply->num_bytes = from->Get<std::uint64_t>();
  reply->text = from->GetText();
  return Status::Ok();
}

template <typename Record>
std::string EncodeAll(char kind, const std::vector<Record>& records) {
  Writer writer;
  writer.Put(kOpVersion);
  writer.Put(static_cast<std::uint8_t>(kind));
  writer.Put(static_cast<std::uint32_t>(records.size()));
  for (const Record& record : records) Put(record, &writer);
  return writer.Take();
}

template <typename Record>
Result<std::vector<Record>> DecodeAll(char kind, std::string_view body, std::uint64_t num_keys,
                                      std::uint64_t num_bytes) {
  const auto wrong = [](const std::string& what) {
    return Status::InvalidArgument("operations of a message: " + what);
  };
  Reader reader(body);
  const auto version = reader.Get<std::uint16_t>();
  const auto found_kind = reader.Get<std::uint8_t>();
  const auto count = reader.Get<std::uint32_t>();
  if (!reader.ok()) return wrong("the text is shorter than its head");
  if (version != kOpVersion)
    return wrong("version " + std::to_string(version) + ", this node speaks " + std::to_string(kOpVersion));
  if (found_kind != static_cast<std::uint8_t>(kind))
    return wrong("an answer where a request is due, or the other way round");
  if (count > reader.left() / kReplyBytes) return wrong("more of them than the text can hold");
  std::vector<Record> records(count);
  for (Record& record : records) {
    PS_RETURN_IF_ERROR(Get(&reader, &record));
    if (!reader.ok()) return wrong("the text ends within one");
    if (record.num_keys > num_keys || record.num_bytes > num_bytes)
      return wrong("they claim more keys or values than the message brings");
    num_keys -= record.num_keys;
    const bool is_last = &record == &records.back();
    num_bytes -=
        is_last ? record.num_bytes : std::min<std::uint64_t>(num_bytes, AlignedValues(record.num_bytes));
  }
  if (reader.left() != 0) return wrong(std::to_string(reader.left()) + " bytes behind the last one");
  if (num_keys != 0 || num_bytes != 0) return wrong("the message brings more keys or values than they claim");
  return records;
}

}  // namespace

std::string OpCodec::Encode(const std::vector<Op>& ops) { return EncodeAll(kOps, ops); }
std::string OpCodec::Encode(const std::vector<OpReply>& replies) { return EncodeAll(kReplies, replies); }

std::size_t OpCodec::BytesOf(const std::vector<Op>& ops) {
  std::size_t bytes = kHeadBytes;
  for (const Op& op : ops) bytes += kOpBytes + op.text.size();
  return bytes;
}

std::size_t OpCodec::BytesOf(const std::vector<OpReply>& replies) {
  std::size_t bytes = kHeadBytes;
  for (const OpReply& reply : replies)
    bytes += kReplyBytes + reply.status.message().size() + reply.text.size();
  return bytes;
}

Result<std::vector<Op>> OpCodec::DecodeOps(std::string_view body, std::size_t num_keys,
                                           std::size_t num_bytes) {
  return DecodeAll<Op>(kOps, body, num_keys, num_bytes);
}

Result<std::vector<OpReply>> OpCodec::DecodeReplies(std::string_view body, std::size_t num_keys,
                                                    std::size_t num_bytes) {
  return DecodeAll<OpReply>(kReplies, body, num_keys, num_bytes);
}

}  // namespace ps
