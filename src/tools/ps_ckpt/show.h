#ifndef PS_TOOLS_PS_CKPT_SHOW_H_
#define PS_TOOLS_PS_CKPT_SHOW_H_

#include <cstdint>
#include <string>

#include "store/checkpoint/manifest.h"
#include "store/checkpoint/record.h"
#include "store/shard.h"

namespace ps {

// `2 servers, 3 tables, 1234 rows, 5678 bytes, saved 2026-01-31 12:00:00 UTC`
std::string ShowManifest(const Manifest& manifest);
// `table weights: f32, dense 50 x 3, updater add with 2 states, bsp; version 7, 50 updates, 20 rounds`
std::string ShowRecord(const TableRecord& record);
// `17: 1 2 3 | 0 0 0` and a line feed: the row at `place` of a piece, its values, and each of its states.
std::string ShowRow(const TableRecord& record, const Shard::Piece& piece, std::size_t place);

}  // namespace ps
#endif  // PS_TOOLS_PS_CKPT_SHOW_H_
