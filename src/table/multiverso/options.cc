#include "ps/multiverso/options.h"

#include <cstring>

#include "ps/status.h"
#include "table/multiverso/session.h"

namespace multiverso {
namespace {

int OwnWorkerId() {
  const Session& session = Session::Current();
  return session.is_started() ? session.membership().worker_id() : -1;
}

void Copy(const char* data, std::size_t size, void* to, std::size_t wanted) {
  if (size != wanted)
    throw ps::Error(ps::Status::InvalidArgument("an option has " + std::to_string(wanted) + " bytes, not " +
                                                std::to_string(size)));
  std::memcpy(to, data, size);
}

}  // namespace

AddOption::AddOption() { words_.worker_id = OwnWorkerId(); }

void AddOption::CopyFrom(const char* data, std::size_t size) { Copy(data, size, &words_, sizeof(words_)); }

GetOption::GetOption() : worker_id_(OwnWorkerId()) {}

void GetOption::CopyFrom(const char* data, std::size_t size) {
  Copy(data, size, &worker_id_, sizeof(worker_id_));
}

ps::TableAddOptions RatesFor(const AddOption& option, const std::string& rule) {
  ps::AddOption words;
  std::memcpy(&words, option.data(), sizeof(words));
  return words.For(rule);
}

}  // namespace multiverso
