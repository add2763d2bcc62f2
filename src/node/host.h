// NodeHost: what slurmd's logic needs from its machine. slurmd implements it with processes and
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
using JobAskId = std::uint64_t;

struct NodeVitals {
  double cpu_load = 0;
  std::uint64_t free_memory_mib = 0;
};

// The processes of a step that a signal goes to.
enum class SignalScope : std::uint8_t {
  leader,      // the tasks themselves: for a batch step, the shell
  everything,  // all tasks and their descendants
  notice,      // the same; processes that outlive the tasks may go on until the step is ended
};

// A job's run on this node, to which Prolog and Epilog belong.
struct AttemptRef {
  JobId job;
  Attempt attempt;
  auto operator<=>(const AttemptRef&) const = default;
};

// Site programs around a job on this node. The InitScript runs after a successful Prolog, before
// the private directories are made.
enum class NodeProgram : std::uint8_t { prolog, epilog, init_script };

class NodeHost {
 public:
  virtual ~NodeHost() = default;

  virtual NodeFacts facts() = 0;
  virtual NodeVitals vitals() = 0;

  // Starts a slurmstepd for this launch. Its end is reported to NodeAgent::on_step_ended.
  virtual Result<void> spawn(const wire::StepLaunch& launch) = 0;
  virtual void signal(const wire::StepRef& step, int number, SignalScope scope) = 0;
  virtual void suspend(const wire::StepRef& step, bool resume) = 0;
  // Writes "*** JOB 12 ON n1 CANCELLED AT <now><suffix> ***" (or STEP 12.0) to the step's error
  // output. With ends_step the step also tells its srun that it was ended.
  virtual void announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) = 0;
  virtual void notify(const wire::StepRef& step, std::string_view text) = 0;  // writes there, too
  // Puts the notice where the processes of the job find it, before they get a signal. One without a
  // reason takes it away.
  virtual void post_notice(AttemptRef attempt, const StopNotice& notice) = 0;
  // Answers a process that has asked for something; an empty refusal = it is done.
  virtual void answer_job(JobAskId id, std::string_view refusal, Seconds granted) = 0;
  // The controller has recorded this step's end, so it need not be kept any more.
  virtual void forget(const wire::StepRef& step) = 0;

  virtual void send(const wire::ReportBatch& batch) = 0;
  virtual void store_epoch(Epoch epoch) = 0;  // durable when it returns

  // Hands an srun's connection to the step. If that is impossible, tells the srun why and closes
  // it.
  virtual void hand_over(AttachId id, const wire::StepRef& step) = 0;
  virtual void refuse(AttachId id, std::string_view why) = 0;

  // Runs the program as root with these variables; its end is reported to
  // NodeAgent::on_program_ended. With PrologFlags=RunInJob it runs among the processes of the job's
  // extern step.
  virtual void run_program(NodeProgram program, AttemptRef attempt,
                           const std::vector<std::string>& environment) = 0;
  // Notes whether the Prolog of this attempt has run, for the next slurmd.
  virtual void note_prepared(AttemptRef attempt, bool prepared) = 0;

  // Nothing of this attempt is left here, and its Epilog has run.
  virtual void clean_up(AttemptRef attempt) = 0;
  virtual void check_health() = 0;  // HealthCheckProgram, unless it is running
  virtual void reboot() = 0;        // RebootProgram
  virtual void reconfigure() = 0;
  virtual void shutdown() = 0;
  virtual void log_error(std::string_view line) = 0;
};

}  // namespace muster
