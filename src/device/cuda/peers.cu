#include <cuda_runtime.h>

#include <string>

#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "device/cuda/cuda.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/on_device.h"
#include "device/devices.h"
#include "device/peer_matrix.h"

namespace ps::cuda {
namespace {

// `from` uses memory of `of`: that of anybody, and that of our pool, which is asked for apart.
bool Enable(int from, const CudaDevice& of) {
  const int owner = of.id().index;
  const OnDevice on(from);
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, from, owner) != cudaSuccess || can == 0) return false;
  const cudaError_t error = cudaDeviceEnablePeerAccess(owner, 0);
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (error != cudaSuccess && error != cudaErrorPeerAccessAlreadyEnabled) return false;
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = from;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cudaMemPoolSetAccess(of.pool(), &access, 1) == cudaSuccess;
}

struct Said {
  Mutex mutex;
  bool is_said PS_GUARDED_BY(mutex) = false;
};

void SayOnce(const std::string& warning) {
  static NeverDestroyed<Said> said;
  MutexLock lock(said.value.mutex);
  if (said.value.is_said || warning.empty()) return;
  said.value.is_said = true;
  PS_LOG(kWarning, "", warning);
}

}  // namespace

Status EnablePeers(const std::vector<int>& devices) {
  std::vector<const CudaDevice*> found;
  for (const int index : devices) {
    Result<Device*> device = FindDevice(DeviceId::Cuda(index));
    PS_RETURN_IF_ERROR(device.status());
    found.push_back(static_cast<const CudaDevice*>(device.value()));
  }
  PeerMatrix reaches(devices.size(), std::vector<bool>(devices.size()));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i != j) reaches[i][j] = Enable(devices[i], *found[j]);
    }
  }
  SayOnce(PeerWarning(reaches));
  return Status::Ok();
}

}  // namespace ps::cuda
