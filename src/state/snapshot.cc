// Writes the cluster as a snapshot, and computes indexes and totals again after reading.
#include "state/snapshot.h"

#include "base/codec/codec.h"
#include "model/job/shared_parts.h"

namespace muster {

namespace {

struct Snapshot {
  Cow<ClusterConfig> config;
  std::vector<Cow<Node>> nodes;
  std::vector<NodeId> node_order;
  std::vector<Partition> partitions;
  std::vector<Cow<Job>> jobs;
  JobId next_job_id;
  NodeId next_node_id;
  Epoch epoch;
  std::vector<Reservation> reservations;
  std::vector<OwedEpilog> owed_epilogs;
  std::vector<Association> associations;
  UsageBook usage;
  IdSet uncounted;
  std::uint32_t last_reservation = 0;
  std::vector<JobOutcome> outcomes;
  template <class V>
  void fields(V& v) {
    v(1, config);
    v(2, nodes);
    v(3, node_order);
    v(4, partitions);
    v(5, jobs);
    v(6, next_job_id);
    v(7, next_node_id);
    v(8, epoch);
    v(9, reservations);
    v(120, owed_epilogs);
    v(140, associations);
    v(141, usage);
    v(142, uncounted);
    v(150, last_reservation);
    v(151, outcomes);
  }
};

// Finds for each array the tasks that have records of their own.
void index_tasks(Cluster& cluster) {
  struct Task {
    JobId array;
    std::uint32_t task;
    JobId job;
  };
  std::vector<Task> tasks;
  auto note = [&](const auto& job) {
    if (job.array_id && job.array_id != job.id && job.task_id != kNoTask)
      tasks.push_back({job.array_id, job.task_id, job.id});
  };
  cluster.jobs.each(note);
  cluster.outcomes.each(note);
  for (const Task& t : tasks) cluster.index_task(t.array, t.task, t.job);
}

}  // namespace

std::string encode_snapshot(const Cluster& cluster) {
  Snapshot s{.config = cluster.config,
             .node_order = *cluster.node_order,
             .partitions = *cluster.partitions,
             .next_job_id = cluster.next_job_id,
             .next_node_id = cluster.next_node_id,
             .epoch = cluster.epoch,
             .reservations = *cluster.reservations,
             .owed_epilogs = *cluster.owed_epilogs,
             .associations = *cluster.associations,
             .usage = *cluster.usage,
             .uncounted = cluster.uncounted,
             .last_reservation = cluster.last_reservation};
  cluster.nodes.each([&](const Node& node) { s.nodes.push_back(cluster.nodes.share(node.id)); });
  cluster.jobs.each([&](const Job& job) { s.jobs.push_back(cluster.jobs.share(job.id)); });
  cluster.outcomes.each([&](const JobOutcome& outcome) { s.outcomes.push_back(outcome); });
  return encode(s);
}

Result<Cluster> decode_snapshot(std::string_view bytes) {
  auto s = decode<Snapshot>(bytes);
  if (!s) return std::unexpected(s.error());
  Cluster cluster;
  if (s->config) cluster.config = s->config;
  for (const Cow<Node>& node : s->nodes) {
    cluster.node_ids.edit()[(*node).config.name] = (*node).id;
    cluster.nodes.put((*node).id, *node);
  }
  cluster.node_order = Cow(std::move(s->node_order));
  cluster.partitions = Cow(std::move(s->partitions));
  cluster.reservations = Cow(std::move(s->reservations));
  cluster.owed_epilogs = Cow(std::move(s->owed_epilogs));
  cluster.associations = Cow(std::move(s->associations));
  cluster.usage = Cow(std::move(s->usage));
  cluster.uncounted = std::move(s->uncounted);
  SharedParts parts;
  for (Cow<Job>& job : s->jobs) {
    parts.share(job.edit());
    if ((*job).state == JobState::pending) cluster.pending.insert((*job).id.value);
    if (is_active((*job).state) || (*job).completing()) cluster.active.insert((*job).id.value);
    cluster.jobs.put((*job).id, *job);
  }
  for (const JobOutcome& outcome : s->outcomes) cluster.outcomes.put(outcome.id, outcome);
  index_tasks(cluster);
  cluster.next_job_id = s->next_job_id;
  cluster.next_node_id = s->next_node_id;
  cluster.epoch = s->epoch;
  cluster.last_reservation = s->last_reservation;
  return cluster;
}

}  // namespace muster
