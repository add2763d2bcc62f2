// What leaves the controller besides replies: orders for nodes, and programs of the site.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "wire/node_messages.h"

namespace muster::controller {

// An order whose script and environment are still in the store, under their hashes.
struct OutgoingOrder {
  wire::Order order;
  Text script_blob, environment_blob;
};

// A program of the site that the controller's machine runs, for a job or for nodes.
struct SiteProgramRun {
  enum class Which : std::uint8_t {
    prolog_slurmctld,
    epilog_slurmctld,
    mail,
    suspend,
    resume,
    resume_fail,
    reservation_prolog,
    reservation_epilog,
  };
  Which which = Which::prolog_slurmctld;
  JobId job;
  Attempt attempt;
  Gid gid;  // the job's group, for SLURM_JOB_GROUP
  std::vector<std::string> environment;
  std::vector<std::string> arguments;
};

}  // namespace muster::controller
