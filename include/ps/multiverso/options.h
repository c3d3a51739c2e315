// AddOption and GetOption: what Multiverso's calls may say.
#ifndef PS_MULTIVERSO_OPTIONS_H_
#define PS_MULTIVERSO_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ps/table_options.h"

namespace multiverso {

// Rates of an Add: 5 words of 4 bytes in this order, as in Multiverso's messages.
class AddOption {
 public:
  // Of this process's worker (-1: it has none); momentum 0, learning rate .01, rho .1, lambda .1.
  AddOption();
  // Of such bytes. Throws ps::Error where they are not as many.
  AddOption(const char* data, std::size_t size) { CopyFrom(data, size); }

  int worker_id() const { return words_.worker_id; }
  void set_worker_id(int worker_id) { words_.worker_id = worker_id; }
  float momentum() const { return words_.momentum; }
  void set_momentum(float momentum) { words_.momentum = momentum; }
  float learning_rate() const { return words_.learning_rate; }
  void set_learning_rate(float learning_rate) { words_.learning_rate = learning_rate; }
  float rho() const { return words_.rho; }
  void set_rho(float rho) { words_.rho = rho; }
  float lambda() const { return words_.lambda; }
  void set_lambda(float lambda) { words_.lambda = lambda; }

  const char* data() const { return reinterpret_cast<const char*>(&words_); }
  std::size_t size() const { return sizeof(words_); }
  void CopyFrom(const char* data, std::size_t size);

 private:
  ps::AddOption words_;
};

// For whom a Get is: 1 word.
class GetOption {
 public:
  // Of this process's worker (-1: it has none).
  GetOption();
  GetOption(const char* data, std::size_t size) { CopyFrom(data, size); }

  // Of a table with delta reads: the worker's own id, plus the number of workers for its second buffer
  // (is_pipeline), or -1: everything is read, and nothing counts as read.
  int worker_id() const { return worker_id_; }
  void set_worker_id(int worker_id) { worker_id_ = worker_id; }

  const char* data() const { return reinterpret_cast<const char*>(&worker_id_); }
  std::size_t size() const { return sizeof(worker_id_); }
  void CopyFrom(const char* data, std::size_t size);

 private:
  std::int32_t worker_id_ = -1;
};

// What the rule of a table (ps/updater.h) takes of it.
ps::TableAddOptions RatesFor(const AddOption& option, const std::string& rule);

}  // namespace multiverso

#endif  // PS_MULTIVERSO_OPTIONS_H_
