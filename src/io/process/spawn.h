// Starting a helper program from a daemon: a session of its own, default signals, and no descriptor
// but those named.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::io {

struct SpawnRequest {
  std::string path;
  std::vector<std::string> argv;
  std::vector<int> descriptors;  // become 3, 4, ...; 0 and 1 are /dev/null, 2 stays the daemon's
  std::optional<std::vector<std::string>> environment = {};  // in place of the daemon's own
  int output = -1;                                           // becomes 1 and 2
};
// A file in memory with these bytes, to hand to the child what must not be on its command line,
// where others could read it. The descriptor is the caller's.
Result<int> memory_file(std::string_view bytes);

// The caller waits for the child.
Result<pid_t> spawn(const SpawnRequest& request);

}  // namespace muster::io
