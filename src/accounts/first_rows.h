// first_rows: what every site begins with, account root, user root and QOS normal, and what a
// cluster brings when its controller registers.
#pragma once

#include <vector>

#include "accounts/draft.h"
#include "model/accounts/site_rows.h"

namespace muster::accounts {

// The cluster with its root associations; what is there already stays.
void add_first_rows(Draft& draft, const Text& cluster, Time now);

// What a controller says of its cluster.
struct Registration {
  ClusterRow cluster;                       // name, host, port, nodes, resources
  std::vector<std::pair<Qos, Text>> qos;    // of its slurm.conf, and the place of each: "file:line"
  std::vector<std::pair<Text, Text>> tres;  // types and names of what it counts: "gres", "gpu"
};
void register_cluster(Draft& draft, const Registration& registration, Time now);

}  // namespace muster::accounts
