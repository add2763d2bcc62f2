// Where a task's standard streams lead: opened files, or pipes to the step's srun.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "wire/step_setup.h"

namespace muster::step {

inline constexpr int kToClient = -1;  // no file but a pipe to srun
inline constexpr int kOpenedByTask =
    -2;  // a FIFO, because opening it may mean waiting for its other end

struct TaskFiles {
  int in = kToClient, out = kToClient, err = kToClient;
  std::string in_path = {}, out_path = {}, err_path = {};  // set if the task opens the file itself
};

// Opens the files that were left to the task. Call it in the task's own process, as its user. False
// with errno.
bool open_fifos(TaskFiles& files);

// Writes lines to a file of the step. If the file cannot take a line at once, the line is dropped.
class ErrorFile {
 public:
  ErrorFile() = default;
  explicit ErrorFile(const TaskFiles& files) : fd_(files.err), path_(files.err_path) {}
  bool is_set() const { return fd_ != kToClient; }
  void write_line(const StepSetup& setup, std::string line) const;

 private:
  int fd_ = kToClient;
  std::string path_;
};

// Opens files with the user's rights. Tasks that name the same file share a descriptor, so that
// they do not truncate each other's output.
class Files {
 public:
  // If the working directory does not exist, relative names fail.
  Files(const StepSetup& setup, bool work_dir_exists)
      : setup_(setup), work_dir_exists_(work_dir_exists) {}
  Files(const Files&) = delete;
  ~Files();

  // Never blocks.
  Result<TaskFiles> open_for(std::uint32_t rank);

 private:
  struct Opened {
    int fd = kToClient;
    std::string path;  // only with kOpenedByTask
  };
  Result<Opened> open_output(std::string_view pattern, std::uint32_t rank);
  Result<Opened> open_input(std::string_view pattern, std::uint32_t rank);
  Result<Opened> open_path(const std::string& path, int flags);
  bool is_batch() const { return setup_.launch.ref.step == kBatchStep; }

  const StepSetup& setup_;
  bool work_dir_exists_;
  std::map<std::string, int> opened_;
};

}  // namespace muster::step
