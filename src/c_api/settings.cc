#include "c_api/settings.h"

#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "c_api/error.h"
#include "ps/c/runtime.h"
#include "ps/config.h"

namespace ps::c_api {
namespace {

static_assert(PS_SERVER == static_cast<int>(Role::kServer) && PS_WORKER == static_cast<int>(Role::kWorker) &&
              PS_SCHEDULER == static_cast<int>(Role::kScheduler) &&
              PS_JOINT == static_cast<int>(Role::kJoint));

// Between PSSetEnv, which ends the texts of settings, and who reads them.
Mutex& SettingsMutex() {
  static NeverDestroyed<Mutex> mutex;
  return mutex.value;
}

int RoleOfProcess() {
  MutexLock lock(SettingsMutex());
  const Environment& environment = *Environment::Get();
  const char* const text = environment.find("DMLC_ROLE");
  if (text == nullptr || *text == '\0') return PS_WORKER;
  const std::optional<Role> role = Config::RoleFromEnvironment(environment);
  if (!role.has_value())
    throw Error(Status::InvalidArgument("DMLC_ROLE=\"" + std::string(text) +
                                        "\" is none of worker, server, scheduler and joint"));
  return static_cast<int>(*role);
}

}  // namespace

Environment::Map SettingsOf(std::uint32_t num, const char* const* names, const char* const* values) {
  if (num > 0) {
    CheckGiven(names, "names");
    CheckGiven(values, "values");
  }
  Environment::Map settings;
  for (std::uint32_t i = 0; i < num; ++i) {
    CheckGiven(names[i], "a name");
    CheckGiven(values[i], names[i]);
    settings[names[i]] = values[i];
  }
  return settings;
}

}  // namespace ps::c_api

extern "C" {

int PSSetEnv(uint32_t num, const char* const* names, const char* const* values) {
  return ps::c_api::Call([&] {
    const ps::Environment::Map settings = ps::c_api::SettingsOf(num, names, values);
    ps::MutexLock lock(ps::c_api::SettingsMutex());
    ps::Environment::Init(settings);
  });
}

int PSGetRole(int* role) {
  return ps::c_api::Call([&] {
    ps::c_api::CheckGiven(role, "role");
    *role = ps::c_api::RoleOfProcess();
  });
}

}  // extern "C"
