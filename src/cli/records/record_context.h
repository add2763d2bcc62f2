// What fields of all records need: the present time, names of users, the format of times.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "cli/lib/name_lookup.h"
#include "cli/tables/field_value.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

struct RecordContext {
  Time now;
  std::string cluster;
  TimeStyle times;
  NameLookup names;
  std::size_t task_text_limit = 64;  // SLURM_BITSTR_LEN; 0 = none
  bool no_convert = false;           // --noconvert

  // The format of values in squeue and sinfo.
  Form listed() const {
    return {.times = &times, .short_spans = true, .raw_exit = true, .convert = !no_convert};
  }
};

}  // namespace muster::cli
