// The process manager of a step's MPI tasks on this node, selected by srun --mpi.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "io/loop/poll_set.h"
#include "step/logic/task_environment.h"
#include "step/streams/exchange.h"
#include "wire/step_setup.h"

namespace muster::step {

class Mpi {
 public:
  Mpi() = default;
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  virtual ~Mpi() = default;

  // Before the first task.
  virtual Result<void> begin() { return {}; }
  // Adds the variables by which the task finds its process manager. Returns the descriptor that the
  // task inherits, if any; the supervisor closes its copy in task_started().
  virtual Result<int> add_task(std::size_t task, Environment& environment) = 0;
  virtual void task_started(std::size_t) {}
  virtual void watch(io::PollSet& set) = 0;
};

struct MpiHost {
  Exchange& exchange;
  std::function<void(std::string_view)> say;    // a line for the step's standard error
  std::function<void(std::string_view)> abort;  // a task wants to end the whole step
};

// None for a step without MPI. Each program that runs steps has its own: slurmstepd knows PMI-1 and
// PMI-2, slurmstepd-pmix PMIx.
std::unique_ptr<Mpi> make_mpi(const StepSetup& setup, MpiHost host);

}  // namespace muster::step
