// What a C program says of a table, as the library says it.
#ifndef PS_C_API_TABLE_SPEC_H_
#define PS_C_API_TABLE_SPEC_H_

#include "ps/c/table.h"
#include "ps/table_core.h"
#include "ps/table_spec.h"

namespace ps::c_api {

// The spec is checked, as TableSpec::Validate does. Throw Error(kInvalidArgument).
TableSpec SpecOf(const PSTableOptions& options);
// Of options that have a spec.
TableReading ReadingOf(const PSTableOptions& options);

}  // namespace ps::c_api

#endif  // PS_C_API_TABLE_SPEC_H_
