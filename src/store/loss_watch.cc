#include "store/loss_watch.h"

#include <utility>

#include "ps/postoffice.h"

namespace ps {

LossWatch::LossWatch(Postoffice* postoffice, int app_id, OnLoss on_loss)
    : postoffice_(postoffice), app_id_(app_id), on_loss_(std::move(on_loss)) {
  ThrowIfError(postoffice_->Attach(this));
}

LossWatch::~LossWatch() { postoffice_->Detach(this); }

}  // namespace ps
