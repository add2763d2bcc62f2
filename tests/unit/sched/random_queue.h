// Random clusters, jobs and ends of jobs; a seed repeats them.
#pragma once

#include <string>
#include <vector>

#include "builders.h"
#include "dice.h"

namespace muster::test {

inline ClusterBuilder random_machines(Dice& dice) {
  ClusterBuilder b;
  std::uint32_t nodes = 0;
  for (std::uint32_t kinds = dice.between(1, 3); kinds > 0; --kinds) {
    std::uint32_t count = dice.between(1, 4);
    b.nodes(count, 1u << dice.upto(4), dice.between(1, 16) * 1000).weight(dice.between(1, 2));
    if (dice.one_in(2)) b.gpus(dice.between(1, 4), "v100");
    if (dice.one_in(3)) b.gpus(dice.between(1, 2), "a100");
    nodes += count;
  }
  constexpr const char* kSharing[] = {"NO", "YES:2", "FORCE:2", "FORCE:3"};
  Text sharing = kSharing[dice.upto(3)];
  b.partition({.name = "all", .max_time = Minutes{1000}, .oversubscribe = sharing}, 1, nodes);
  if (dice.one_in(2))
    b.partition({.name = "some",
                 .max_nodes = 2,
                 .oversubscribe = sharing,
                 .priority_tier = dice.between(1, 2)},
                1, dice.between(1, nodes));
  if (dice.one_in(2))
    b.qos("few", "MaxJobsPU=" + std::to_string(dice.between(1, 4)) +
                     " MaxTRESPU=cpu=" + std::to_string(dice.between(1, 30)));
  b.settings([&](Settings& s) {
    s.memory_is_consumable = !dice.one_in(4);
    s.whole_nodes = dice.one_in(8);
    if (dice.one_in(2)) s.default_memory_per_cpu_mib = 100;
    if (dice.one_in(3))
      s.preempt = {.type = PreemptType::partition_priority, .mode = PreemptMode::suspend};
    s.preempt.gang = s.preempt.mode == PreemptMode::suspend || dice.one_in(3);
    s.licenses = {{"matlab", dice.between(1, 4)}};
  });
  for (std::uint32_t n = 1; n <= nodes; ++n) {
    if (dice.one_in(8)) b.down(n);
    if (dice.one_in(10)) b.change_node(n, [](NodeChanged& e) { e.drain = true; });
  }
  return b;
}

inline SpecBuilder random_job(Dice& dice, const Cluster& cluster) {
  const bool second_partition = (*cluster.partitions).size() > 1;
  const bool with_reservations = !(*cluster.reservations).empty();
  const std::uint32_t next_id = cluster.next_job_id.value;
  SpecBuilder spec = job().minutes(static_cast<int>(dice.between(1, 1100)));
  if (dice.one_in(2)) spec.qos("few");  // without QOS it has no effect
  if (dice.one_in(3)) spec.user(kBob);
  if (dice.one_in(3)) {
    std::uint32_t low = dice.between(1, 4);
    spec.nodes(low, dice.one_in(2) ? low + dice.upto(2) : 0);
  }
  if (dice.one_in(2)) spec.tasks(dice.between(1, 10));
  if (dice.one_in(3)) spec.cpus_per_task(dice.between(1, 4));
  if (dice.one_in(5)) spec.tasks_per_node(dice.between(1, 3));
  if (dice.one_in(2)) spec.memory(dice.upto(4000));
  if (dice.one_in(6)) spec.memory_per_cpu(dice.between(1, 800));
  // One way of requesting GPUs at a time.
  switch (dice.upto(9)) {
    case 0:
      spec.gres("gpu:" + std::to_string(dice.between(1, 3)));
      break;
    case 1:
      spec.gres("gpu:a100:1");
      break;
    case 2:
      spec.gpus(std::to_string(dice.between(1, 5)));
      break;
    case 3:
      spec.gpus_per_task("1");
      break;
    case 4:
      spec.gpus_per_node("v100:2");
      break;
    case 5:
      spec.gpus("v100:3,a100:2");
      break;
    case 6:
      spec.gpus_per_task("v100:1,a100:1");
      break;
    case 7:
      spec.gpus("a100:2").gpus_per_node("v100:1");
      break;
    default:
      break;
  }
  if (dice.one_in(6)) spec.licenses("matlab:" + std::to_string(dice.between(1, 2)));
  if (dice.one_in(8)) spec.exclusive();
  if (dice.one_in(3)) spec.oversubscribe();
  if (dice.one_in(8)) spec.contiguous();
  if (dice.one_in(8)) spec.hold();
  if (dice.one_in(8)) spec.begin(t0 + Minutes{dice.upto(2)});
  if (dice.one_in(10)) spec.on("n1");
  if (dice.one_in(10)) spec.not_on("n1");
  if (dice.one_in(5)) spec.array(dice.one_in(2) ? "0-6%2" : "1,4,9-11");
  if (second_partition && dice.one_in(2)) spec.partition("some");
  if (next_id > 1 && dice.one_in(4)) {
    constexpr const char* kKinds[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
    spec.dependency(std::string(kKinds[dice.upto(4)]) + ":" +
                    std::to_string(dice.between(1, next_id - 1)));
  }
  if (dice.one_in(12)) spec.dependency("singleton");
  if (with_reservations && dice.one_in(3)) {
    spec.user(kAlice);  // other users are refused at submission
    spec.set(&JobRequest::reservation, Text(dice.one_in(3) ? "r1,r2" : "r1"));
  }
  return spec;
}

// Reserves whole nodes or some of their cores, now or soon; half of the reservations have a flag.
inline void reserve_some(Cluster& cluster, Dice& dice) {
  for (std::uint32_t n = 1; n <= dice.between(1, 3); ++n) {
    Reservation r{.name = "r" + std::to_string(n), .users = {"alice"}, .number = n};
    r.start = t0 + Minutes{dice.upto(60)} - Minutes{30};
    r.end = r.start + Minutes{dice.between(31, 600)};
    const bool in_part = dice.one_in(2);
    for (NodeId id : *cluster.node_order) {
      if (dice.one_in(2)) continue;
      r.nodes.push_back(id);
      std::uint32_t cpus = cluster.nodes.at(id).config.cpus;
      if (in_part) r.cpus.push_back(IdSet::range(0, dice.upto(cpus - 1)));
    }
    constexpr const char* kFlags[] = {"MAGNETIC", "FLEX", "OVERLAP", "ANY_NODES", "MAINT"};
    if (dice.one_in(2)) r.flags.emplace_back(kFlags[dice.upto(4)]);
    muster::apply(cluster, ReservationChanged{.reservation = std::move(r)});
  }
}

inline void submit_components(Cluster& cluster, Dice& dice) {
  std::vector<JobRequest> specs;
  for (std::uint32_t i = dice.between(2, 3); i > 0; --i)
    specs.push_back(random_job(dice, cluster).array(""));
  for (Job& component : make_components(std::move(specs), cluster))
    muster::apply(cluster, JobSubmitted{std::move(component)});
}

inline void submit_some(Cluster& cluster, Dice& dice, std::uint32_t count, bool with_het_jobs) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (with_het_jobs && dice.one_in(3)) {
      submit_components(cluster, dice);
      continue;
    }
    JobId id = cluster.next_job_id;
    muster::apply(cluster, JobSubmitted{make_job(id, random_job(dice, cluster), cluster)});
  }
}

// Ends some running jobs, wholly or only on some nodes.
inline void end_some(Cluster& cluster, Dice& dice) {
  for (std::uint32_t id : cluster.active.ids()) {
    if (dice.one_in(2)) continue;
    const Job job = cluster.jobs.at(JobId{id});
    JobState state = dice.one_in(3) ? JobState::failed : JobState::completed;
    std::vector<JobId> ending{job.id};
    if (job.is_het() && job.leads())  // the others end with the first one
      for (const Job* component : cluster.components(job)) ending.push_back(component->id);
    for (JobId each : ending)
      if (!is_ended(cluster.jobs.at(each).state))
        muster::apply(cluster, JobEnded{.job = each, .state = state, .at = t0, .reason = {}});
    std::vector<NodeId> gone;
    for (NodeId node : job.run->unfinished)
      if (!dice.one_in(4)) gone.push_back(node);
    if (!gone.empty())
      muster::apply(cluster, NodesReleased{.job = job.id, .attempt = job.attempt, .nodes = gone});
  }
}

}  // namespace muster::test
