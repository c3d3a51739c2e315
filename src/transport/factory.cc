#include "transport/factory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "transport/chaos_transport.h"
#include "transport/key_files.h"
#include "transport/shm/shm_transport.h"
#include "transport/zmq/curve.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {
namespace {

std::string DescribeFrame(const Frame& frame) {
  const Result<Header> decoded = DecodeHeader(frame.head.data(), frame.head.size());
  if (!decoded.ok()) return "that is none (" + decoded.status().message() + ")";
  const Header& header = decoded.value();
  return std::to_string(header.sender) + " => " + std::to_string(header.receiver) +
         ". kind=" + std::to_string(static_cast<int>(header.kind)) +
         ", sequence=" + std::to_string(header.sequence) + ", timestamp=" + std::to_string(header.timestamp) +
         ", bytes=" + std::to_string(frame.payload_bytes());
}

ChaosOptions DropOptions(const Config& config) {
  ChaosOptions options;
  options.drop_percent = config.drop_msg_percent;
  options.on_drop = [](const Frame& frame) { PS_LOG(kWarning, "", "Drop message " << DescribeFrame(frame)); };
  return options;
}

// The keys of PS_CURVE_DIR, if it is set.
Status ReadKeys(const std::string& directory, std::optional<KeyPair>* keys) {
  if (directory.empty()) return Status::Ok();
  PS_RETURN_IF_ERROR(CheckCurve());
  const Result<KeyPair> read = ReadKeyPair(directory);
  PS_RETURN_IF_ERROR(read.status());
  const Status pair = CheckKeyPair(read.value());
  if (!pair.ok()) return Status::InvalidArgument("PS_CURVE_DIR=\"" + directory + "\": " + pair.message());
  *keys = read.value();
  return Status::Ok();
}

}  // namespace

Result<TransportFactory> MakeTransportFactory(const Config& config) {
  const std::string& type = config.van_type;
  if (type != "auto" && type != "shm" && type != "zmq" && type != "p3") {
    return Status::InvalidArgument("DMLC_PS_VAN_TYPE=\"" + type +
                                   "\" is no transport of this build: use auto, shm, zmq or p3");
  }
  ZmqOptions options;
  // Handshakes do not travel in chunks.
  constexpr int64_t kHandshakeBytes = 64 << 10;
  options.max_message_bytes =
      std::max(config.chunk_bytes, kHandshakeBytes) + static_cast<int64_t>(kHeaderBytes);
  PS_RETURN_IF_ERROR(ReadKeys(config.curve_dir, &options.keys));
  ShmOptions shm;
  shm.max_frame_bytes = static_cast<uint64_t>(options.max_message_bytes);
  shm.spin_us = config.spin_us;
  shm.is_required = type == "shm";
  const bool only_zmq = type == "zmq";
  const ChaosOptions drop = DropOptions(config);
  return TransportFactory([=](uint64_t incarnation) -> Result<std::unique_ptr<Transport>> {
    Result<std::unique_ptr<Transport>> transport = MakeZmqTransport(options);
    if (transport.ok() && !only_zmq) {
      ShmOptions own = shm;
      own.incarnation = incarnation;
      transport = MakeShmTransport(std::move(transport).value(), own);
    }
    if (!transport.ok() || drop.drop_percent <= 0) return transport;
    return MakeChaosTransport(std::move(transport).value(), drop);
  });
}

}  // namespace ps
