// How a table behaves, as text says it (PSTableOptions).
#ifndef PS_C_API_TABLE_TEXT_H_
#define PS_C_API_TABLE_TEXT_H_

#include "ps/table_spec.h"

namespace ps::c_api {

// All throw Error(kInvalidArgument), which shows the text and lists what there is. Null: the default.

// asp, bsp, bsp:<backup>, ssp:<bound>
Consistency ModeOf(const char* text);
// a number, uniform:<low>:<high>:<seed>, first_write
Init InitOf(const char* text);
// A name and, after a colon, its parameter: 2bit:0.5. Names are looked up when the table is made.
CodecSpec CodecOf(const char* text);

}  // namespace ps::c_api

#endif  // PS_C_API_TABLE_TEXT_H_
