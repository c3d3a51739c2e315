#include "store/client_values.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/copy.h"
#include "store/codec/finite.h"
#include "store/op.h"
#include "store/shown_memory.h"

namespace ps {
namespace {

SArray<char> Lend(const void* values, std::size_t bytes) {
  return SArray<char>(static_cast<char*>(const_cast<void*>(values)), bytes);  // nobody writes it
}

// Large ones where a server of this machine can read them.
SArray<char> CopyOf(const char* from, std::size_t bytes) {
  SArray<char> copy = ShownMemory(bytes);
  if (bytes != 0) CopyBytes(copy.data(), from, bytes);
  return copy;
}

}  // namespace

// Says whose values it was.
Status ClientValues::Name(const Status& wrong, const Share& share) const {
  if (wrong.ok()) return wrong;
  return Status(wrong.code(), "table '" + spec_.name + "', codec '" + spec_.push_codec.name +
                                  "', what goes to server " + std::to_string(share.server) + ": " +
                                  wrong.message());
}

// Of the message that brings so many bytes of values.
Status ClientValues::CheckBytes(const Share& share, std::size_t value_bytes) const {
  static const std::size_t text = OpCodec::BytesOf(std::vector<Op>(1));
  const std::size_t bytes = text + share.keys.size() * sizeof(Key) + value_bytes;
  if (limit_.Allows(bytes)) return Status::Ok();
  return limit_.Check(bytes,
                      "table '" + spec_.name + "': what goes to server " + std::to_string(share.server));
}

ClientValues::ClientValues(const TableSpec& spec, const MessageLimit& limit)
    : spec_(spec),
      limit_(limit),
      row_bytes_(static_cast<std::size_t>(spec.width) * SizeOf(spec.dtype)),
      residuals_(spec) {}

Status ClientValues::Init() {
  auto codec = MakeCodecOrNone(spec_.push_codec, spec_.dtype);
  PS_RETURN_IF_ERROR(codec.status());
  codec_ = std::move(codec).value();
  return Status::Ok();
}

Result<std::vector<SArray<char>>> ClientValues::Take(const Source& source, const std::vector<Share>& shares) {
  std::vector<SArray<char>> values;
  const bool is_encoded = codec_ != nullptr && !source.is_set;
  for (const Share& share : shares) {
    if (!is_encoded) PS_RETURN_IF_ERROR(CheckBytes(share, share.count * row_bytes_));
  }
  for (const Share& share : shares) values.push_back(Pick(source, share, is_encoded));
  if (is_encoded)
    PS_RETURN_IF_ERROR(codec_->HasResidual() ? EncodeWithResiduals(shares, &values)
                                             : Encode(shares, &values));
  return values;
}

// The values of a server's rows, one after the other. What is encoded is not needed afterwards.
SArray<char> ClientValues::Pick(const Source& source, const Share& share, bool is_encoded) const {
  const char* const values = static_cast<const char*>(source.values);
  if (share.places.empty()) {
    const char* const from = values + share.first * row_bytes_;
    const std::size_t bytes = share.count * row_bytes_;
    return source.borrow || is_encoded ? Lend(from, bytes) : CopyOf(from, bytes);
  }
  SArray<char> picked = ShownMemory(share.count * row_bytes_);
  for (std::size_t i = 0; i < share.count; ++i)
    std::memcpy(picked.data() + i * row_bytes_, values + share.places[i] * row_bytes_, row_bytes_);
  return picked;
}

Status ClientValues::Encode(const std::vector<Share>& shares, std::vector<SArray<char>>* values) const {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    SArray<char>& here = (*values)[i];
    SArray<char> encoded = ShownMemory(codec_->MaxBytes(ElementsOf(shares[i])));
    const Result<std::size_t> size =
        codec_->Encode(here.data(), ElementsOf(shares[i]), nullptr, encoded.data());
    PS_RETURN_IF_ERROR(Name(size.status(), shares[i]));
    here = encoded.segment(0, size.value());
    PS_RETURN_IF_ERROR(CheckBytes(shares[i], here.size()));
  }
  return Status::Ok();
}

// What is kept back of one server's values must not change when those of another cannot be encoded: all that
// can go wrong comes first.
Status ClientValues::EncodeWithResiduals(const std::vector<Share>& shares,
                                         std::vector<SArray<char>>* values) {
  MutexLock lock(mutex_);
  std::vector<std::vector<float>> copies(shares.size());
  std::vector<float*> residuals(shares.size());
  std::vector<SArray<char>> encoded;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Share& share = shares[i];
    // They take as much whatever they are, or nearly.
    PS_RETURN_IF_ERROR(CheckBytes(share, codec_->MaxBytes(ElementsOf(share))));
    if (share.keys.empty()) {
      residuals[i] = residuals_.OfRange(share.first, share.count);
    } else {
      Result<std::vector<float>> copy = residuals_.Copy(share.keys.data(), share.count);
      PS_RETURN_IF_ERROR(Name(copy.status(), share));
      copies[i] = std::move(copy).value();
      residuals[i] = copies[i].data();
    }
    // Of one share alone Encode is all or nothing itself.
    if (shares.size() > 1)
      PS_RETURN_IF_ERROR(
          Name(CheckFiniteSums(spec_.dtype, (*values)[i].data(), residuals[i], ElementsOf(share)), share));
    encoded.push_back(ShownMemory(codec_->MaxBytes(ElementsOf(share))));
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Result<std::size_t> size =
        codec_->Encode((*values)[i].data(), ElementsOf(shares[i]), residuals[i], encoded[i].data());
    PS_RETURN_IF_ERROR(Name(size.status(), shares[i]));
    if (!copies[i].empty()) residuals_.PutBack(shares[i].keys.data(), shares[i].count, copies[i]);
    (*values)[i] = encoded[i].segment(0, size.value());
  }
  return Status::Ok();
}

}  // namespace ps
