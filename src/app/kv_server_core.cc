#include "app/kv_server_core.h"

#include <utility>

#include "app/customer_core.h"
#include "app/kv_message.h"
#include "base/copy.h"
#include "ps/kv_server.h"

namespace ps {
namespace {

KVMeta RequestOf(Meta* from) {
  Meta& meta = *from;
  KVMeta req;
  req.cmd = meta.head;
  req.push = meta.push;
  req.pull = meta.pull;
  req.sender = meta.sender;
  req.timestamp = meta.timestamp;
  req.customer_id = meta.customer_id;
  req.sender_incarnation = meta.sender_incarnation;
  req.body = std::move(meta.body);
  return req;
}

Asked AskedBy(const KVMeta& req) {
  return {req.cmd,  req.sender, req.timestamp, req.customer_id, req.sender_incarnation,
          req.push, req.pull,   false};
}

}  // namespace

void KVServerCore::set_handle(Handle handle, int traits) {
  const bool borrows = (traits & kBorrow) != 0;
  registered_.Replace(std::make_unique<const Registered>(Registered{std::move(handle), borrows}));
  customer_->set_inline((traits & kInline) != 0);
  customer_->borrowing.of_requests.store(borrows);
  customer_->ReleaseHeld(HeldRequests::kData);
}

void KVServerCore::OnRequest(Message* message) {
  const auto registered = registered_.Read();
  if (!registered) return customer_->Hold(*message);
  const bool is_borrowed = message->meta.borrowed;
  KVBytes data;
  const Status fits = TakeBlocks(message, element_, &data);
  if (!fits.ok()) return customer_->SendError(message->meta, fits);
  if (is_borrowed && !registered->borrows) {  // it came for the handle before this one
    const SArray<char> lent = std::move(data.vals);
    data.vals = SArray<char>::Uninitialized(lent.size());
    CopyFromPeer(data.vals.data(), lent.data(), lent.size());
  }
  registered->handle(RequestOf(&message->meta), std::move(data));
}

void KVServerCore::Respond(const KVMeta& req, KVBytes&& res) {
  Message message;
  message.meta.priority = res.priority;
  if (!res.keys.empty()) AddBlocks(std::move(res), element_.type, &message);
  customer_->SendResponse(AskedBy(req), std::move(message));
}

void KVServerCore::Fail(const KVMeta& req, const Status& why) {
  const Status error = why.ok() ? Status::Internal("the server failed the request without saying why") : why;
  customer_->SendError(AskedBy(req), error);
}

// --- KVServerBase ---

KVServerBase::KVServerBase(Postoffice* postoffice, int app_id, ElementType element)
    : core_((MakeCustomer(postoffice, app_id, app_id),
             std::make_unique<KVServerCore>(&obj_->core(), element))) {}

KVServerBase::~KVServerBase() { CloseCustomer(); }

void KVServerBase::SetBytesHandle(BytesHandle handle, int traits) {
  if ((traits & ~(kInline | kBorrow)) != 0)
    ThrowIfError(Status::InvalidArgument("traits of a request handle: " + std::to_string(traits) +
                                         " is no sum of kInline and kBorrow"));
  core_->set_handle(std::move(handle), traits);
}

void KVServerBase::RespondBytes(const KVMeta& req, KVBytes&& res) { core_->Respond(req, std::move(res)); }

void KVServerBase::Fail(const KVMeta& req, const Status& why) { core_->Fail(req, why); }

void KVServerBase::Process(const Message& msg) {
  if (msg.meta.simple_app) return SimpleApp::Process(msg);
  if (!msg.meta.request) return;
  // It is const for the sake of old programs only: the Customer hands over a message of its own, and looks at
  // nothing but its meta afterwards. So its arrays can be the handle's without being counted again.
  core_->OnRequest(const_cast<Message*>(&msg));
}

}  // namespace ps
