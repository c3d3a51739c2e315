// The rules that come with the library. Each file below makes one or two kinds of them.
#ifndef PS_STORE_UPDATER_BUILTIN_H_
#define PS_STORE_UPDATER_BUILTIN_H_

#include <memory>

#include "ps/updater.h"

namespace ps {

using MadeUpdater = Result<std::unique_ptr<Updater>>;

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

}  // namespace ps

#endif  // PS_STORE_UPDATER_BUILTIN_H_
