#ifndef PS_MODEL_KEY_SPEC_H_
#define PS_MODEL_KEY_SPEC_H_

#include <string>

#include "group/group.h"
#include "model/model_settings.h"
#include "ps/table_spec.h"

namespace ps {

// What a key is as a table: the same in all processes, from the settings and its shape alone. `is_local`: of
// the servers in this process. Pure.
TableSpec KeySpec(const std::string& model, const Group::Key& key, const ModelSettings& settings,
                  bool is_local);

}  // namespace ps

#endif  // PS_MODEL_KEY_SPEC_H_
