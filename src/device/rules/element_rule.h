// ElementRule: any of the updaters' rules that look at one element at a time, in f32.
#ifndef PS_DEVICE_RULES_ELEMENT_RULE_H_
#define PS_DEVICE_RULES_ELEMENT_RULE_H_

#include <variant>

#include "device/rules/adagrad.h"
#include "device/rules/adam.h"
#include "device/rules/add.h"
#include "device/rules/dcasgd.h"
#include "device/rules/ftrl.h"
#include "device/rules/rmsprop.h"
#include "device/rules/sgd.h"

namespace ps::rules {

// rule(value, contribution, states...), kStates of them; which each is stands beside the rule.
using ElementRule =
    std::variant<Assign<float>, Add<float>, AddScaled<float>, Sgd<float>, Momentum<float>, Nag<float>,
                 Smooth<float>, Adam<float>, AdamW<float>, AdaGrad<float>, AdaGradWorker<float>,
                 RmsProp<float>, RmsPropCentered<float>, Ftrl<float>, DcAsgd<float>, DcAsgdA<float>>;

}  // namespace ps::rules

#endif  // PS_DEVICE_RULES_ELEMENT_RULE_H_
