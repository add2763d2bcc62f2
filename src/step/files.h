// Where a task's standard streams lead: opened files, or pipes to the step's srun.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "node/step_setup.h"

namespace muster::step {

inline constexpr int kToClient = -1;  // no file: a pipe to srun

struct TaskFiles {
  int in = kToClient, out = kToClient, err = kToClient;
};

// Opens files with the user's rights. Tasks that name the same file share one descriptor, so that
// they do not cut off each other's output.
class Files {
 public:
  // A relative name in a working directory that is missing fails.
  Files(const StepSetup& setup, bool work_dir_exists)
      : setup_(setup), work_dir_exists_(work_dir_exists) {}
  Files(const Files&) = delete;
  ~Files();

  Result<TaskFiles> open_for(std::uint32_t rank);

 private:
  Result<int> open_output(std::string_view pattern, std::uint32_t rank);
  Result<int> open_input(std::string_view pattern, std::uint32_t rank);
  Result<int> open_path(const std::string& path, int flags);
  bool is_batch() const { return setup_.launch.ref.step == kBatchStep; }

  const StepSetup& setup_;
  bool work_dir_exists_;
  std::map<std::string, int> opened_;
};

}  // namespace muster::step
