// slurmstepd's process manager: PMI, which needs no library.
#include "step/mpi.h"
#include "step/pmi/pmi_sockets.h"

namespace muster::step {

std::unique_ptr<Mpi> make_mpi(const StepSetup& setup, MpiHost host) {
  if (setup.launch.task.mpi.empty()) return nullptr;
  return std::make_unique<PmiSockets>(setup, std::move(host));
}

}  // namespace muster::step
