// UserShard: what a server has of a table that runs a program's own code.
#ifndef PS_USER_SHARD_H_
#define PS_USER_SHARD_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/sarray.h"

namespace dmlc {
class Stream;
}  // namespace dmlc

namespace ps {

// What a call brings, or an answer: blocks of bytes, in the order of whoever made them, of any length; none
// is fine. Each is aligned for numbers of 8 bytes.
using UserBlocks = std::vector<SArray<char>>;

// A program's own code at one server. What a table's workers ask comes in the order in which each of them
// asked, exactly once, one call at a time and always on the same thread (`ps-srv-<i>`), which other tables
// share: no locks, and no waiting. Made by whoever registers it; ends with the server, or when the table is
// erased, or loaded anew. What a call throws is the error of whoever asked, with its text and the server's
// name; it ends nothing else.
class UserShard {
 public:
  virtual ~UserShard() = default;

  // `worker`: the rank of who asks. Blocks may be kept: nobody else uses their memory.
  virtual void Add(int worker, const UserBlocks& blocks) = 0;
  virtual void Get(int worker, const UserBlocks& blocks, UserBlocks* answer) = 0;
  // All there is, as bytes, for a checkpoint.
  virtual void Save(dmlc::Stream* to) = 0;
  // Puts back what Save has written. On a shard that has just been made.
  virtual void Load(dmlc::Stream* from) = 0;
  // Whether Load may be called with what each of another number of servers has saved, one after the other,
  // and takes what belongs here. Otherwise a checkpoint is for as many servers as have written it.
  virtual bool TakesPartsOfOthers() const { return false; }
};

// Where a shard is.
struct UserShardPlace {
  int server = 0;
  int num_servers = 1;
};
using MakeUserShard = std::function<std::unique_ptr<UserShard>(const UserShardPlace& place)>;

// Servers that take such code: StoreServer::user_shards, Store::user_shards.
class UserShardHost {
 public:
  virtual ~UserShardHost() = default;
  // Makes a shard (now, and for each checkpoint that is loaded), and serves it as the table of this name; who
  // has asked for it already is answered now. `code` says what it is: who opens the table must say the same.
  // Where the server was started again, the shard is loaded from the checkpoint that its tables came from.
  // Throws Error: kAlreadyExists where there is a table of this name; what `make` throws.
  virtual void Register(const std::string& table, const std::string& code, const MakeUserShard& make) = 0;
};

}  // namespace ps

#endif  // PS_USER_SHARD_H_
