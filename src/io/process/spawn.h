// spawn: starts a helper program from a daemon, with a session of its own, default signals, and
// only the descriptors that it is given.
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
  std::vector<int> descriptors;  // become 3, 4, ...; 0 and 1 are /dev/null, 2 is the daemon's
  std::optional<std::vector<std::string>> environment = {};  // unset = the daemon's
  int output = -1;                                           // becomes 1 and 2
};
// A file in memory with these bytes, to pass to the child what must not be on its command line,
// where others could read it. The caller closes the descriptor.
Result<int> memory_file(std::string_view bytes);

// The caller has to wait() for the child.
Result<pid_t> spawn(const SpawnRequest& request);

}  // namespace muster::io
