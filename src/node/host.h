// NodeHost: all that slurmd's logic asks of its machine. slurmd implements it with processes and
// sockets, the simulator with a fake, the tests with a list of calls.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/node/node.h"
#include "wire/node_messages.h"

namespace muster {

using AttachId = std::uint64_t;

struct NodeVitals {
  double cpu_load = 0;
  std::uint64_t free_memory_mib = 0;
};

// Which processes of a step a signal goes to.
enum class SignalScope : std::uint8_t {
  leader,      // the task processes themselves: for a batch step, the shell
  everything,  // each task and all of its descendants
  notice,      // the same, and what outlives the tasks may go on until the step is ended
};

// A job's run on this node: what Prolog and Epilog belong to.
struct AttemptRef {
  JobId job;
  Attempt attempt;
  auto operator<=>(const AttemptRef&) const = default;
};

// Programs of the site that run here around a job. The InitScript comes before its private
// directories are made, when the Prolog has succeeded.
enum class NodeProgram : std::uint8_t { prolog, epilog, init_script };

class NodeHost {
 public:
  virtual ~NodeHost() = default;

  virtual NodeFacts facts() = 0;
  virtual NodeVitals vitals() = 0;

  // Starts a slurmstepd for this launch. Its end arrives later at NodeAgent::on_step_ended.
  virtual Result<void> spawn(const wire::StepLaunch& launch) = 0;
  virtual void signal(const wire::StepRef& step, int number, SignalScope scope) = 0;
  virtual void suspend(const wire::StepRef& step, bool resume) = 0;
  // Writes "*** JOB 12 ON n1 CANCELLED AT <now><suffix> ***" (or STEP 12.0) where the step's errors
  // go. With ends_step the step also tells its srun that it was ended.
  virtual void announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) = 0;
  virtual void notify(const wire::StepRef& step, std::string_view text) = 0;  // in the same place
  // The controller has recorded this step's end: nothing of it needs to be kept.
  virtual void forget(const wire::StepRef& step) = 0;

  virtual void send(const wire::ReportBatch& batch) = 0;
  virtual void store_epoch(Epoch epoch) = 0;  // durable before it returns

  // An srun's connection: goes to the step, or is told why not and closed.
  virtual void hand_over(AttachId id, const wire::StepRef& step) = 0;
  virtual void refuse(AttachId id, std::string_view why) = 0;

  // Runs it as root with these variables; how it ended arrives at NodeAgent::on_program_ended. With
  // PrologFlags=RunInJob it is among the processes of the job's extern step.
  virtual void run_program(NodeProgram program, AttemptRef attempt,
                           const std::vector<std::string>& environment) = 0;
  // Whether the Prolog of this attempt has run, for the next slurmd to know.
  virtual void note_prepared(AttemptRef attempt, bool prepared) = 0;

  // Nothing of this attempt is left here, and its Epilog has run.
  virtual void clean_up(AttemptRef attempt) = 0;
  virtual void check_health() = 0;  // HealthCheckProgram, unless it runs already
  virtual void reboot() = 0;        // RebootProgram
  virtual void reconfigure() = 0;
  virtual void shutdown() = 0;
  virtual void log_error(std::string_view line) = 0;
};

}  // namespace muster
