// The rules that come with the library. Tables of dtypes that a rule is not for are refused.
#ifndef PS_STORE_UPDATER_BUILTIN_H_
#define PS_STORE_UPDATER_BUILTIN_H_

#include <memory>
#include <string>

#include "ps/updater.h"

namespace ps {

using MadeUpdater = Result<std::unique_ptr<Updater>>;

// Whether a rule comes with the library: every node knows it, and it neither blocks nor throws.
bool IsBuiltinUpdater(const std::string& name);

MadeUpdater MakeNone(const UpdaterTarget& target);
MadeUpdater MakeAssign(const UpdaterTarget& target);
MadeUpdater MakeAdd(const UpdaterTarget& target);
MadeUpdater MakeSgd(const UpdaterTarget& target);
// sgd for integers.
MadeUpdater MakeIntegerSgd(const UpdaterTarget& target);
MadeUpdater MakeMomentum(const UpdaterTarget& target);
MadeUpdater MakeNag(const UpdaterTarget& target);
MadeUpdater MakeAdaGrad(const UpdaterTarget& target);
MadeUpdater MakeAdam(const UpdaterTarget& target);
MadeUpdater MakeAdamW(const UpdaterTarget& target);
MadeUpdater MakeSmooth(const UpdaterTarget& target);
MadeUpdater MakeAdaGradWorker(const UpdaterTarget& target);
MadeUpdater MakeRmsProp(const UpdaterTarget& target);
MadeUpdater MakeRmsPropCentered(const UpdaterTarget& target);
MadeUpdater MakeFtrl(const UpdaterTarget& target);
MadeUpdater MakeLamb(const UpdaterTarget& target);
MadeUpdater MakeDcAsgd(const UpdaterTarget& target);
MadeUpdater MakeDcAsgdA(const UpdaterTarget& target);

}  // namespace ps

#endif  // PS_STORE_UPDATER_BUILTIN_H_
