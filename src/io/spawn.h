// Starting a helper program from a daemon: a session of its own, default signals, and no descriptor
// but those named.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::io {

struct SpawnRequest {
  std::string path;
  std::vector<std::string> argv;
  std::vector<int> descriptors;  // become 3, 4, ...; 0 and 1 are /dev/null, 2 stays the daemon's
};
// The child is not waited for: daemons ignore SIGCHLD and the kernel reaps.
Result<pid_t> spawn(const SpawnRequest& request);

}  // namespace muster::io
