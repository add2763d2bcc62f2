// Configuration files. They are the site's own, but a typing error must not crash a daemon that
// reads them again.
#include <map>
#include <string>

#include "config/client_settings.h"
#include "config/cluster_config.h"
#include "config/files.h"
#include "config/files/cgroup_conf.h"
#include "config/files/gres_conf.h"
#include "config/files/job_container_conf.h"
#include "config/files/topology_conf.h"
#include "config/lines/dynamic_node.h"
#include "config/slurm_conf.h"
#include "fuzz/target.h"

namespace muster::fuzz {
namespace {

using namespace muster::config;

FileReader only(std::string_view path, std::string_view text) {
  return files({{std::string(path), std::string(text)}});
}

// Each literal of the tests is a part of a file; together with the lines that every file has, it is
// a whole file.
Seeds whole_files() {
  Seeds seeds;
  for (const std::string& part : literals_of({"config"})) seeds.push_back(kHead + part + "\n");
  return seeds;
}

FUZZ_TARGET(slurm_conf, whole_files()) {
  auto conf = load_slurm_conf(only("slurm.conf", bytes), "slurm.conf");
  auto quick = quick_client_settings(bytes, "slurm.conf");
  if (!conf) return;
  conf->show_settings();
  client_settings(*conf);
  (void)cluster_config(*conf, {});
}

FUZZ_TARGET(gres_conf, literals_of({"config"})) {
  auto conf = load_gres_conf(only("gres.conf", bytes), "gres.conf");
  if (!conf) return;
  for (const GresLine& line : conf->lines) line.size();
  NodeConfig node;
  node.name = "n1";
  node.cpus = 8;
  node.gres_text = "gpu:2,shard:4";
  (void)gres_pools(node, *conf);
}

FUZZ_TARGET(topology_conf, literals_of({"config/files/topology_conf_test.cc"})) {
  (void)load_topology_conf(only("topology.conf", bytes), "topology.conf");
}

FUZZ_TARGET(cgroup_conf, literals_of({"config"})) {
  if (auto conf = load_cgroup_conf(only("cgroup.conf", bytes), "cgroup.conf"))
    conf->show_settings();
  (void)load_job_container_conf(only("job_container.conf", bytes), "job_container.conf", "n1");
}

FUZZ_TARGET(node_line, literals_of({"config"})) {
  (void)parse_node_line(std::string(bytes), "scontrol create");
}

}  // namespace
}  // namespace muster::fuzz
