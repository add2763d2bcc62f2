// The variables of site programs: Prolog, Epilog, PrologSlurmctld, EpilogSlurmctld and MailProg.
// They get these variables only; a node adds its own name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace muster::controller {

std::vector<std::string> prolog_environment(const Cluster& cluster, const Job& job,
                                            const Node& node);
std::vector<std::string> epilog_environment(const Cluster& cluster, const Job& job,
                                            const Node& node);
std::vector<std::string> prolog_slurmctld_environment(const Cluster& cluster, const Job& job);
std::vector<std::string> epilog_slurmctld_environment(const Cluster& cluster, const Job& job);

// `about`: "Began", "Ended", ...
std::vector<std::string> mail_environment(const Cluster& cluster, const Job& job,
                                          std::string_view occasion, Time now);

}  // namespace muster::controller
