// Cluster: the whole state that the controller decides on. A value: a copy is a snapshot and costs
// a few hundred pointers. Only state/apply changes the controller's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cow.h"
#include "base/ids.h"
#include "base/idset.h"
#include "base/table.h"
#include "base/text.h"
#include "base/time.h"
#include "model/job.h"
#include "model/node.h"
#include "model/partition.h"

namespace muster {

// Programs of the site that run around a job. What they are called is known to whoever runs them.
struct SitePrograms {
  bool prolog = false, epilog = false;  // on the nodes
  bool prolog_at_start = false;  // PrologFlags=Alloc: when the job starts, not its first step
  bool contain = false;          // PrologFlags=Contain: an extern step on every node
  bool prolog_slurmctld = false, epilog_slurmctld = false;
  bool on_nodes() const { return prolog || epilog; }
  bool operator==(const SitePrograms&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, prolog);
    v(2, epilog);
    v(3, prolog_at_start);
    v(4, contain);
    v(5, prolog_slurmctld);
    v(6, epilog_slurmctld);
  }
};

// The settings that decisions depend on; the rest of slurm.conf stays in the daemons.
struct Settings {
  Text cluster_name;
  Seconds kill_wait{30}, min_job_age{300}, slurmd_timeout{300}, inactive_limit{0};
  std::uint32_t first_job_id = 1, max_job_id = 67043328, max_job_count = 10000,
                max_array_size = 1001;
  std::uint32_t return_to_service = 0;
  bool job_requeue = true;           // JobRequeue
  bool memory_is_consumable = true;  // SelectTypeParameters has _Memory
  bool whole_nodes = false;          // select/linear
  bool use_core_granularity = true;
  Text enforce_part_limits;  // NO, ANY, ALL
  std::optional<std::uint64_t> default_memory_per_cpu_mib, default_memory_per_node_mib,
      max_memory_per_cpu_mib, max_memory_per_node_mib;
  std::uint32_t over_time_limit_min = 0;
  bool config_overrides = false;  // SlurmdParameters=config_overrides
  bool kill_on_invalid_dependency = false;
  bool enforce_associations = false, enforce_qos = false;
  std::uint32_t max_step_count = 40000;
  std::vector<Text> gres_types;
  std::vector<std::pair<Text, std::uint32_t>> licenses;
  Seconds complete_wait{0};
  Text job_file_append;  // JobFileAppend
  bool accounting = true;
  SitePrograms programs;
  bool operator==(const Settings&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster_name);
    v(2, kill_wait);
    v(3, min_job_age);
    v(4, slurmd_timeout);
    v(5, inactive_limit);
    v(6, first_job_id);
    v(7, max_job_id);
    v(8, max_job_count);
    v(9, max_array_size);
    v(10, return_to_service);
    v(11, job_requeue);
    v(12, memory_is_consumable);
    v(13, whole_nodes);
    v(14, use_core_granularity);
    v(15, enforce_part_limits);
    v(16, default_memory_per_cpu_mib);
    v(17, default_memory_per_node_mib);
    v(18, max_memory_per_cpu_mib);
    v(19, max_memory_per_node_mib);
    v(20, over_time_limit_min);
    v(21, config_overrides);
    v(22, kill_on_invalid_dependency);
    v(23, enforce_associations);
    v(24, enforce_qos);
    v(25, max_step_count);
    v(26, gres_types);
    v(27, licenses);
    v(28, complete_wait);
    v(29, job_file_append);
    v(30, accounting);
    v(40, programs);
  }
};

// What a configuration file comes to: the content of the event that puts it in force.
struct ClusterConfig {
  Settings settings;
  std::vector<NodeConfig> nodes;      // in the order of the file
  std::vector<Partition> partitions;  // their `nodes` are empty here; node_names says who
  std::vector<std::vector<Text>> partition_nodes;  // parallel to partitions: expanded names
  std::vector<Qos> qos;
  bool operator==(const ClusterConfig&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, settings);
    v(2, nodes);
    v(3, partitions);
    v(4, partition_nodes);
    v(5, qos);
  }
};

struct Cluster {
  Cow<ClusterConfig> config{ClusterConfig{}};
  Table<NodeId, Node> nodes;
  Cow<std::map<Text, NodeId>> node_ids{std::map<Text, NodeId>{}};
  std::vector<NodeId> node_order;  // as in the configuration
  Cow<std::vector<Partition>> partitions{std::vector<Partition>{}};
  Table<JobId, Job> jobs;
  IdSet pending;  // ids of jobs in state pending
  IdSet active;   // ids of jobs that run, are suspended, or are completing
  JobId next_job_id{1};
  NodeId next_node_id{1};
  Epoch epoch;

  const Settings& settings() const { return (*config).settings; }
  const Node* find_node(std::string_view name) const;
  const Partition* find_partition(std::string_view name) const;
  const Partition* default_partition() const;
  // The record that holds this array task: the task's own, or the array's while it waits there.
  const Job* find_task(JobId array, std::uint32_t task) const;

  bool operator==(const Cluster&) const = default;
};

}  // namespace muster
