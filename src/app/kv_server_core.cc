#include "app/kv_server_core.h"

#include <utility>

#include "app/customer_core.h"
#include "app/kv_message.h"
#include "ps/kv_server.h"

namespace ps {
namespace {

KVMeta RequestOf(const Meta& meta) {
  KVMeta req;
  req.cmd = meta.head;
  req.push = meta.push;
  req.pull = meta.pull;
  req.sender = meta.sender;
  req.timestamp = meta.timestamp;
  req.customer_id = meta.customer_id;
  req.sender_incarnation = meta.sender_incarnation;
  req.body = meta.body;
  return req;
}

Meta MetaOf(const KVMeta& req) {
  Meta meta;
  meta.head = req.cmd;
  meta.push = req.push;
  meta.pull = req.pull;
  meta.sender = req.sender;
  meta.timestamp = req.timestamp;
  meta.customer_id = req.customer_id;
  meta.sender_incarnation = req.sender_incarnation;
  return meta;
}

}  // namespace

void KVServerCore::set_handle(Handle handle) {
  {
    MutexLock lock(mutex_);
    handle_ = std::make_shared<const Handle>(std::move(handle));
  }
  customer_->ReleaseHeld(HeldRequests::kData);
}

void KVServerCore::OnRequest(const Message& message) {
  std::shared_ptr<const Handle> handle;
  {
    MutexLock lock(mutex_);
    handle = handle_;
  }
  if (handle == nullptr) return customer_->Hold(message);
  const Result<KVBytes> data = ReadBlocks(message, element_);
  if (!data.ok()) return customer_->SendError(message.meta, data.status());
  (*handle)(RequestOf(message.meta), data.value());
}

void KVServerCore::Respond(const KVMeta& req, const KVBytes& res) {
  Message message;
  message.meta.priority = res.priority;
  if (!res.keys.empty()) AddBlocks(res, element_.type, &message);
  customer_->SendResponse(MetaOf(req), std::move(message));
}

void KVServerCore::Fail(const KVMeta& req, const Status& why) {
  const Status error = why.ok() ? Status::Internal("the server failed the request without saying why") : why;
  customer_->SendError(MetaOf(req), error);
}

// --- KVServerBase ---

KVServerBase::KVServerBase(Postoffice* postoffice, int app_id, ElementType element)
    : core_((MakeCustomer(postoffice, app_id, app_id),
             std::make_unique<KVServerCore>(&obj_->core(), element))) {}

KVServerBase::~KVServerBase() { CloseCustomer(); }

void KVServerBase::SetBytesHandle(BytesHandle handle, int traits) {
  if (traits != kOnAppThread) {
    ThrowIfError(Status::InvalidArgument(
        "kInline and kBorrow are not offered by this build: handles run on the thread of their app"));
  }
  core_->set_handle(std::move(handle));
}

void KVServerBase::RespondBytes(const KVMeta& req, const KVBytes& res) { core_->Respond(req, res); }

void KVServerBase::Fail(const KVMeta& req, const Status& why) { core_->Fail(req, why); }

void KVServerBase::Process(const Message& msg) {
  if (msg.meta.simple_app) return SimpleApp::Process(msg);
  if (msg.meta.request) core_->OnRequest(msg);
}

}  // namespace ps
