// Values of scontrol update that the command itself refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/scontrol/update.h"
#include "wire/update_keys.h"

namespace muster::cli {

struct UpdateSetting {
  std::string key, value;
  std::string word;  // as written
  char sign = 0;     // of += and -=
};

// The error for an impossible value. has_reason: the update also contains Reason=.
std::optional<UpdateRefusal> check_update_value(wire::UpdateRequest::Kind kind,
                                                const UpdateSetting& setting,
                                                const wire::UpdateKey& key, bool has_reason);

}  // namespace muster::cli
