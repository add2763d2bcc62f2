// --array as users write it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/text/idset.h"
#include "model/cluster.h"

namespace muster::controller {

struct ArrayRequest {
  IdSet tasks;
  std::uint32_t limit = 0;  // of tasks that run at the same time; 0 = none
};

// "0-15:4%2", "[1,3-5]"; empty parts of a list, as scripts generate them, are skipped.
Result<ArrayRequest> parse_array(std::string_view text, const Settings& settings);

}  // namespace muster::controller
