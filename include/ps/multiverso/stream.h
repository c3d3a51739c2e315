// Stream: where a table writes its checkpoint to, and reads it from.
#ifndef PS_MULTIVERSO_STREAM_H_
#define PS_MULTIVERSO_STREAM_H_

#include <dmlc/io.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace multiverso {

// Bytes in order. Errors are thrown.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void Write(const void* data, std::size_t size) = 0;
  // Reads at most `size` bytes; fewer where it ends: returns how many.
  virtual std::size_t Read(void* data, std::size_t size) = 0;
};

// Over one of dmlc's, which outlives it: the files that dmlc::Stream::Create opens, or a checkpoint.
class DmlcStream : public Stream {
 public:
  explicit DmlcStream(dmlc::Stream* stream) : stream_(*stream) {}
  void Write(const void* data, std::size_t size) override { stream_.Write(data, size); }
  std::size_t Read(void* data, std::size_t size) override { return stream_.Read(data, size); }

 private:
  dmlc::Stream& stream_;
};

// In memory: what was written is read, from its beginning.
class MemoryStream : public Stream {
 public:
  MemoryStream() = default;
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}
  void Write(const void* data, std::size_t size) override {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::size_t Read(void* data, std::size_t size) override {
    const std::size_t count = bytes_.copy(static_cast<char*>(data), size, position_);
    position_ += count;
    return count;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;  // of what is read next
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_STREAM_H_
