// mshadow-ps' names over the library's SharedModel: such a program ports by including its tensors' header and
// this instead.
//
//     #include "mshadow/tensor.h"
//     #include "ps/mshadow_ps.h"
//     namespace mshadow::ps {
//     template <>
//     IModelUpdater<float>* CreateModelUpdater() { return nullptr; }  // or new MyUpdater
//     }
//     int main(int argc, char* argv[]) {
//       if (!::ps::IsWorker()) {  // of `dist`: one program for all roles (tracker/local.sh 1 3 program)
//         mshadow::ps::RunServer<float>(argc, argv);
//         return 0;
//       }
//       auto* model = mshadow::ps::CreateSharedModel<mshadow::cpu, float>("dist");
//       model->Init({0, 1});
//       ... in a thread for each device: InitKey, Push, PullReq, PullWait
//       delete model;
//     }
//
// The library has no tensors of its own: any type with dptr_, shape_, stride_ and stream_ will do, mshadow's
// or the program's, and `mshadow::Stream`, `Tensor` and `cpu` are only named here. Devices: `xpu::kDevCPU`.
// Element types: those of ps/dtype_of.h; for a 16-bit float of the program's, specialise ::ps::DTypeOf.
//
// What is otherwise than in mshadow-ps, by purpose:
//
//   errors       ::ps::Error from the call, or from PullWait, where it aborted: a second PullReq while one
//                waits, shapes that differ, keys and devices that are not there, Init twice, bad texts,
//                update_on_server without an updater, gather with one
//   local        never becomes allreduce; that is a type of its own, of a node that has been started, and
//                sums (scale=mean: divided by the number of processes, as it was)
//   rounds       a device may be `rounds` (2) ahead of the others, then Push waits; it aborted
//   InitModel    once per key. A late InitKey compares shapes, and resets nothing
//   updaters     are called by one thread at a time. Update's array is a copy of what came. A key of at least
//                bigarray_bound elements is spread over the servers, and each updater has a part of it
//   element types  double and 16-bit floats, too; the updater of the latter is of float
//   roles        RunServer in the program itself, instead of its own server program and node classes
//   callbacks    are not called when a pull fails. Their stream is valid during the call, and has the
//                cudaStream_t alone: no handle of cuBLAS
//   streams      a tensor of a GPU is taken when its stream has come there; one without a stream when the
//                default stream has (the caller waits), and not at all with PS_FORCE_STREAM=1
//   rows         with gaps (padded tensors) are copied row by row: without (pad=false) is faster
//   CheckWeight  returns whether the weights agree
//   names        ::ps is this library: after `using namespace mshadow`, `ps::` alone is ambiguous
#ifndef PS_MSHADOW_PS_H_
#define PS_MSHADOW_PS_H_

#include "ps/mshadow/model_updater.h"  // IModelUpdater, CreateModelUpdater
#include "ps/mshadow/run_server.h"     // RunServer
#include "ps/mshadow/shared_model.h"   // ISharedModel, CreateSharedModel
#include "ps/mshadow/tensor_access.h"  // NumDimensions
#include "ps/ps.h"                     // IsWorker

#endif  // PS_MSHADOW_PS_H_
