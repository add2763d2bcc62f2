// Where a step's standard streams are connected: to srun itself, to a file that srun opens, or to
// files that the nodes open (one per task or node).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/lib/paths.h"
#include "model/job/job_spec.h"

namespace muster::cli {

struct StreamTarget {
  enum class Kind : std::uint8_t {
    own,       // srun's own stream
    nothing,   // "none"
    one_task,  // a rank: only this task
    file,      // a file that srun opens
    nodes,     // a pattern with %t, %n or %N: files that the nodes open
  };
  Kind kind = Kind::own;
  std::uint32_t rank = 0;
  std::string pattern;
  // A number that is no rank of the step is a file name.
  StreamTarget in_step_of(std::uint32_t num_tasks) const;
  bool operator==(const StreamTarget&) const = default;
};
// The value of -o, -e or -i; empty = srun's own stream.
StreamTarget stream_target(std::string_view option);

// Makes a path absolute, relative to srun's working directory.
std::string absolute_path(std::string_view path);

// Opens a file for writing, and creates missing directories. The caller owns the descriptor.
Result<int> open_output(const std::string& path, OpenMode mode);
Result<int> open_input(const std::string& path);

}  // namespace muster::cli
