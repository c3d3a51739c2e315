--- What of the C interface (include/ps/c/) is used here, and the library that has it.
--
-- The declarations are those of the headers, word for word but for comments and PS_C_API;
-- tests/lua/declarations_test.lua compares them.

local ffi = require "ffi"

local declarations = {}

declarations.text = [[
int PSAbiVersion(void);
const char* PSVersion(void);
const char* PSCodeName(int code);
const char* PSGetLastError(void);
typedef struct PSRequestObject* PSRequest;
int PSRequestWait(PSRequest request, int64_t timeout_ms);
int PSRequestDone(PSRequest request, int* done);
int PSRequestError(PSRequest request);
int PSRequestFree(PSRequest request);

int PSGetRole(int* role);
typedef struct PSNodeObject* PSNode;
int PSStart(PSNode node, const char* program);
int PSIsStarted(PSNode node, int* started);
int PSFinalize(PSNode node, int wait_for_all);
int PSMyRank(PSNode node, int* rank);
int PSNumWorkers(PSNode node, int* number);
int PSNumServers(PSNode node, int* number);
int PSBarrier(PSNode node, int group, int64_t timeout_ms);
typedef int (*PSServerController)(int head, const char* body, void* context);
int PSRunServer(PSNode node, PSServerController controller, void* context, int argc,
                const char* const* argv);

typedef struct PSTensorObject* PSTensor;
typedef struct PSTensorInfo {
  size_t struct_size;
  int dtype;
  int device_kind;
  int device_index;
  int ndim;
  const int64_t* shape;
  int row_sparse;
  size_t bytes;
} PSTensorInfo;
typedef void (*PSDeleter)(void* data, void* context);
int PSTensorFromPtr(void* data, const PSTensorInfo* info, PSDeleter deleter, void* context,
                    PSTensor* tensor);
int PSTensorWait(PSTensor tensor);
int PSTensorFree(PSTensor tensor);

typedef struct PSKVStoreObject* PSKVStore;
typedef struct PSKVStoreOptions {
  size_t struct_size;
  const char* name;
  PSNode node;
  int mean;
  int64_t bigarray_bound;
  int64_t slice_bytes;
  int64_t timeout_ms;
} PSKVStoreOptions;
int PSKVStoreCreate(const char* type, const PSKVStoreOptions* options, PSKVStore* store);
int PSKVStoreFree(PSKVStore store);
int PSKVStoreGetType(PSKVStore store, const char** type);
int PSKVStoreGetRank(PSKVStore store, int* rank);
int PSKVStoreGetNumWorkers(PSKVStore store, int* number);
int PSKVStoreIsDistributed(const char* type, int* distributed);
int PSKVStoreInit(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values);
int PSKVStoreInitStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values);
int PSKVStorePush(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values,
                  int priority, PSRequest* request);
int PSKVStorePushStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values,
                     int priority, PSRequest* request);
int PSKVStorePull(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs,
                  int priority, PSRequest* request);
int PSKVStorePullStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                     int priority, PSRequest* request);
int PSKVStorePushPull(PSKVStore store, uint32_t num, const int64_t* keys, uint32_t num_outs,
                      const int64_t* out_keys, const PSTensor* values, const PSTensor* outs,
                      int priority, PSRequest* request);
int PSKVStorePushPullStr(PSKVStore store, uint32_t num, const char* const* keys, uint32_t num_outs,
                         const char* const* out_keys, const PSTensor* values, const PSTensor* outs,
                         int priority, PSRequest* request);
int PSKVStoreSetOptimizer(PSKVStore store, const char* spec);
int PSKVStoreSetHyper(PSKVStore store, uint32_t num, const char* const* names,
                      const char* const* values, uint64_t from_round, uint32_t num_keys,
                      const int64_t* keys);
int PSKVStoreBarrier(PSKVStore store, int64_t timeout_ms, int flags);

typedef struct PSStoreObject* PSStore;
int PSStoreCreate(PSNode node, PSStore* store);
int PSStoreLocal(int servers, int workers, int threads, PSStore* stores);
int PSStoreGetRank(PSStore store, int* rank);
int PSStoreGetNumWorkers(PSStore store, int* number);
int PSStoreFlush(PSStore store);
int PSStoreBarrier(PSStore store, int64_t timeout_ms);
int PSStoreSendCommand(PSStore store, int head, const char* body);
int PSStoreFree(PSStore store);

typedef struct PSTableObject* PSTable;
typedef struct PSTableOptions {
  size_t struct_size;
  int kind;
  const char* name;
  int dtype;
  int64_t rows;
  int64_t cols;
  const char* updater;
  const char* mode;
  const char* init;
  const char* push_codec;
  const char* pull_codec;
  int merged;
  int mean;
  int multi_precision;
  int64_t min_split;
  int delta;
  int buffers;
  int manual_close;
  int any_order;
} PSTableOptions;
int PSTableCreate(PSStore store, const PSTableOptions* options, PSTable* table);
int PSTableGetSize(PSTable table, int64_t* rows, int64_t* cols);
int PSTableGetDType(PSTable table, int* dtype);
typedef struct PSTableValues {
  size_t struct_size;
  const int64_t* ids;
  size_t num_ids;
  void* values;
  size_t num_values;
  int priority;
  int borrow;
  int buffer;
  const char* rule;
  uint32_t* changed;
  size_t* num_changed;
} PSTableValues;
int PSTableAdd(PSTable table, const PSTableValues* what, PSRequest* request);
int PSTableGet(PSTable table, const PSTableValues* what, PSRequest* request);
int PSTableSet(PSTable table, const PSTableValues* what, PSRequest* request);
int PSTableFree(PSTable table);
]]

ffi.cdef(declarations.text)
-- Of the C library.
ffi.cdef "void* dlopen(const char* filename, int flags);"

-- PS_ABI_VERSION of the headers above.
declarations.abi_version = 1

--- The library: the file that the variable PS_LIBRARY names, else that of the build folder of these sources, or of the
-- tree that these are installed in, else the system's.
local function find_library()
  local named = os.getenv("PS_LIBRARY")
  if named then return named end
  local here = debug.getinfo(1, "S").source:sub(2)
  if here:sub(1, 1) ~= "/" then here = "./" .. here end
  for tree, folder in pairs {["src/lua"] = "build", ["share/lua/5%.1"] = "lib"} do
    local top = here:match("^(.*/)" .. tree .. "/ps/declarations%.lua$")
    local path = top and top .. folder .. "/libps.so.1"
    local file = path and io.open(path, "rb")
    if file then
      file:close()
      return path
    end
  end
  return "libps.so.1"
end

local path = find_library()
declarations.library = ffi.load(path)
-- Once more: Lua unloads what it has loaded before the process ends, and the library may have threads then.
ffi.C.dlopen(path, 2)

local version = declarations.library.PSAbiVersion()
if version ~= declarations.abi_version then
  error(("ps: the library has interface %d, src/lua needs %d: take both of one version"):format(
    version, declarations.abi_version))
end

return declarations
