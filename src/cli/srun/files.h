// Where a step's standard streams go and come from: srun itself, a file that srun opens, or files
// that the nodes open (one per task or node).
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
    one_task,  // a rank: that task alone
    file,      // srun opens it
    nodes,     // a pattern with %t, %n or %N: the nodes open it
  };
  Kind kind = Kind::own;
  std::uint32_t rank = 0;
  std::string pattern;
  // A number that is no rank of the step is the name of a file.
  StreamTarget in_step_of(std::uint32_t num_tasks) const;
  bool operator==(const StreamTarget&) const = default;
};
// -o, -e and -i as written; empty = srun's own.
StreamTarget stream_target(std::string_view option);

// Absolute, from srun's own directory.
std::string absolute_path(std::string_view path);

// Opens a file to write, making directories that are missing. The fd is the caller's.
Result<int> open_output(const std::string& path, OpenMode mode);
Result<int> open_input(const std::string& path);

}  // namespace muster::cli
