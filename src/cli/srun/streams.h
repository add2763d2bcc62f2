// srun's ends of a step's standard streams. Each command has its own files, or shares srun's
// streams and files of the same name with the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/srun/plan.h"
#include "wire/client_messages.h"

namespace muster::cli {

class StepStreams {
 public:
  struct Input {
    int fd = -1;                              // -1 = no input, or it has ended
    std::uint32_t first_rank = 0, tasks = 0;  // the tasks that it belongs to
    std::optional<std::uint32_t> only;        // only this one among them
    bool everybodys = true;                   // these are all tasks of the step
    // The ranks to which input is sent one by one; empty if it goes to all tasks at once.
    std::vector<std::uint32_t> ranks() const;
  };

  StepStreams(const SrunPlan& plan, const wire::StepReply& reply);
  ~StepStreams();
  StepStreams(const StepStreams&) = delete;
  StepStreams& operator=(const StepStreams&) = delete;

  bool open();  // false: errors have been printed
  // Whether the output of this task is shown.
  bool shows(std::uint32_t rank, bool is_stderr) const;
  void write(std::uint32_t rank, bool is_stderr, std::string_view bytes);

  std::vector<Input>& inputs() { return inputs_; }
  bool has_input() const;
  // Tasks without input.
  std::vector<std::uint32_t> without_input() const;

 private:
  struct Sink {
    int fd = -1;
    bool owned = false;  // to be closed, because it is not one of srun's own
  };
  struct Part {
    const SrunPlan* plan = nullptr;
    std::uint32_t first_rank = 0, tasks = 0;
    StreamTarget in, out, err;
    Sink out_sink, err_sink;
  };
  std::optional<Sink> open_sink(const Part& part, const StreamTarget& target, int own_fd,
                                std::string_view what);
  bool open_input_of(const Part& part);
  FileNameParts name_parts(const Part& part) const;
  const Part& part_of(std::uint32_t rank) const;

  const SrunPlan& plan_;
  JobId job_;
  StepId step_;
  std::vector<Part> parts_;
  std::vector<Input> inputs_;
  std::map<std::string, int> opened_;  // output files by path
};

// Waits if necessary, whatever mode the descriptor is in. False if the reader has gone.
bool write_all(int fd, std::string_view bytes);

}  // namespace muster::cli
