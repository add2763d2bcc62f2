// slurmstepd-pmix's process manager.
#include "step/mpi.h"
#include "step/pmix/pmix_server.h"

namespace muster::step {

std::unique_ptr<Mpi> make_mpi(const StepSetup& setup, MpiHost host) {
  return std::make_unique<PmixServer>(setup, std::move(host));
}

}  // namespace muster::step
