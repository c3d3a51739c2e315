// Message: Multiverso's message as a value.
#ifndef PS_MULTIVERSO_MESSAGE_H_
#define PS_MULTIVERSO_MESSAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ps/multiverso/blob.h"
#include "ps/multiverso/msg_type.h"

namespace multiverso {

class Message;
using MessagePtr = std::unique_ptr<Message>;

// A header of 8 numbers and blobs, which are shared, not copied. For programs that keep such values; the
// library sends none: what travels has another form.
class Message {
 public:
  static constexpr std::size_t kHeaderSize = 8 * sizeof(std::int32_t);  // bytes

  int src() const { return header_[kSrc]; }
  void set_src(int src) { header_[kSrc] = src; }
  int dst() const { return header_[kDst]; }
  void set_dst(int dst) { header_[kDst] = dst; }
  MsgType type() const { return static_cast<MsgType>(header_[kType]); }
  void set_type(MsgType type) { header_[kType] = type; }
  int table_id() const { return header_[kTable]; }
  void set_table_id(int table_id) { header_[kTable] = table_id; }
  int msg_id() const { return header_[kId]; }
  void set_msg_id(int msg_id) { header_[kId] = msg_id; }

  std::int32_t* header() { return header_.data(); }
  std::vector<Blob>& data() { return data_; }
  const std::vector<Blob>& data() const { return data_; }
  void set_data(std::vector<Blob> data) { data_ = std::move(data); }
  // Blobs.
  std::size_t size() const { return data_.size(); }
  void Push(const Blob& blob) { data_.push_back(blob); }

  // From the receiver back to the sender, with the negative type, of the same table and number, without
  // blobs.
  MessagePtr CreateReplyMessage() const {
    auto reply = std::make_unique<Message>();
    reply->set_src(dst());
    reply->set_dst(src());
    reply->set_type(static_cast<MsgType>(-header_[kType]));
    reply->set_table_id(table_id());
    reply->set_msg_id(msg_id());
    return reply;
  }

 private:
  enum Place : std::size_t { kSrc, kDst, kType, kTable, kId };

  std::array<std::int32_t, 8> header_{};
  std::vector<Blob> data_;
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_MESSAGE_H_
