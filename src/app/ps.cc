#include "ps/ps.h"

#include "postoffice/compat.h"

namespace ps {

int NumWorkers() { return Postoffice::Get()->num_workers(); }

int NumServers() { return Postoffice::Get()->num_servers(); }

bool IsWorker() { return Postoffice::Get()->is_worker(); }

bool IsServer() { return Postoffice::Get()->is_server(); }

bool IsScheduler() { return Postoffice::Get()->is_scheduler(); }

int MyRank() { return Postoffice::Get()->my_rank(); }

void Start(int customer_id, const char* argv0) { ThrowIfError(TryStart(customer_id, argv0)); }

Status TryStart(int customer_id, const char* argv0) {
  return LegacyProcess::OfThread().Start(customer_id, argv0, true);
}

void StartAsync(int customer_id, const char* argv0) { ThrowIfError(TryStartAsync(customer_id, argv0)); }

Status TryStartAsync(int customer_id, const char* argv0) {
  return LegacyProcess::OfThread().Start(customer_id, argv0, false);
}

void Finalize(int customer_id, const bool do_barrier) { ThrowIfError(TryFinalize(customer_id, do_barrier)); }

Status TryFinalize(int customer_id, const bool do_barrier) {
  return LegacyProcess::OfThread().Finalize(customer_id, do_barrier);
}

void RegisterExitCallback(const std::function<void()>& callback) {
  Postoffice::Get()->RegisterExitCallback(callback);
}

}  // namespace ps
