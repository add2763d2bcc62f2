#include "state/apply.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "state/step_end.h"

namespace muster {

namespace {

GresShare& find_or_add(std::vector<GresShare>& shares, const GresShare& like) {
  for (GresShare& share : shares)
    if (share.name == like.name && share.type == like.type) return share;
  shares.push_back({.name = like.name, .type = like.type});
  return shares.back();
}

void occupy(Node& node, const NodeShare& share, JobId job) {
  node.used_again.add(node.used_cpus.intersect(share.cpus));
  node.used_cpus.merge(share.cpus);
  node.used_cpus.merge(share.left_to_system);
  node.used_memory_mib += share.memory_mib;
  for (const GresShare& gres : share.gres) {
    GresShare& used = find_or_add(node.used_gres, gres);
    used.count += gres.count;
    used.indices.merge(gres.indices);
  }
  node.jobs.insert(job.value);
}

void vacate(Node& node, const NodeShare& share, JobId job) {
  node.used_cpus.subtract(node.used_again.remove(share.cpus));
  node.used_cpus.subtract(share.left_to_system);
  CHECK(node.used_memory_mib >= share.memory_mib);
  node.used_memory_mib -= share.memory_mib;
  for (const GresShare& gres : share.gres) {
    GresShare& used = find_or_add(node.used_gres, gres);
    CHECK(used.count >= gres.count);
    used.count -= gres.count;
    used.indices.subtract(gres.indices);
  }
  std::erase_if(node.used_gres, [](const GresShare& g) { return g.count == 0; });
  node.jobs.erase(job.value);
  node.completing.erase(job.value);
}

void mark_completing(Cluster& cluster, const Job& job) {
  for (NodeId node : job.unfinished)
    if (cluster.nodes.contains(node)) cluster.nodes.edit(node).completing.insert(job.id.value);
}

Step batch_step(const JobStarted& e) {
  const NodeShare& first = e.allocation.at(e.batch_index);
  Step step;
  step.id = kBatchStep;
  step.name = "batch";
  step.nodes = {{.node = first.node, .ranks = {0}, .share = first}};
  step.unfinished = {first.node};
  step.started = e.at;
  return step;
}

struct Applier {
  Cluster& cluster;

  void operator()(const EpochStarted& e) { cluster.epoch = e.epoch; }

  void operator()(const ConfigLoaded& e) {
    cluster.config = e.config;
    const ClusterConfig& config = *e.config;
    cluster.next_job_id = std::max(cluster.next_job_id, JobId{config.settings.first_job_id});
    auto& ids = cluster.node_ids.edit();
    std::map<Text, NodeId> kept;
    cluster.node_order.clear();
    for (const NodeConfig& wanted : config.nodes) {
      auto known = ids.find(wanted.name);
      NodeId id = known == ids.end() ? cluster.next_node_id : known->second;
      if (known == ids.end()) add_node(id, wanted);
      set_node_config(cluster.nodes.edit(id), wanted);
      kept[wanted.name] = id;
      cluster.node_order.push_back(id);
    }
    for (auto& [name, id] : ids)
      if (!kept.contains(name)) cluster.nodes.erase(id);
    ids = std::move(kept);
    load_partitions(config);
  }

  void add_node(NodeId id, const NodeConfig& config) {
    cluster.next_node_id = NodeId{id.value + 1};
    Node node;
    node.id = id;
    node.future = config.state == "FUTURE";
    node.drain = config.state == "DRAIN";
    node.fail = config.state == "FAIL";
    if (config.state == "DOWN") node.health = NodeHealth::down;
    if (config.state == "CLOUD") {  // off until a job needs it
      node.health = NodeHealth::up;
      node.power.phase = PowerPhase::off;
    }
    node.reason = config.reason;
    cluster.nodes.put(id, std::move(node));
  }

  static void set_node_config(Node& node, const NodeConfig& config) {
    bool features_changed = node.config.features != config.features;
    node.config = config;
    add_detected(node.config.gres, node.facts.gres);
    if (features_changed) node.active_features = config.features;
  }

  void load_partitions(const ClusterConfig& config) {
    std::vector<Partition> partitions = config.partitions;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      partitions[i].nodes.clear();
      for (const Text& name : config.partition_nodes[i])
        if (auto id = (*cluster.node_ids).find(name); id != (*cluster.node_ids).end())
          partitions[i].nodes.push_back(id->second);
    }
    cluster.partitions = Cow(std::move(partitions));
  }

  void operator()(const JobSubmitted& e) {
    CHECK(!cluster.jobs.contains(e.job.id));
    Job job = e.job;
    if (const Job* last = cluster.jobs.find(JobId{e.job.id.value - 1}))
      job.spec = shared_with(job.spec, last->spec);
    cluster.jobs.put(e.job.id, std::move(job));
    cluster.pending.insert(e.job.id.value);
    cluster.next_job_id = std::max(cluster.next_job_id, JobId{e.job.id.value + 1});
  }

  void operator()(const TaskSplit& e) {
    Job& record = cluster.jobs.edit(e.array);
    CHECK(record.waiting_tasks.contains(e.task));
    if (e.id == e.array) {
      CHECK(record.waiting_tasks.size() == 1);
      record.task_id = e.task;
      record.waiting_tasks = {};
      return;
    }
    record.waiting_tasks.erase(e.task);
    record.task_jobs.insert(e.id.value);
    ++record.array_exits.left;
    Job task = record;
    task.id = e.id;
    task.task_id = e.task;
    task.waiting_tasks = {};
    task.task_jobs = {};
    task.array_exits = {};
    cluster.jobs.put(e.id, std::move(task));
    cluster.pending.insert(e.id.value);
    cluster.next_job_id = std::max(cluster.next_job_id, JobId{e.id.value + 1});
  }

  void operator()(const JobStarted& e) {
    Job& job = cluster.jobs.edit(e.job);
    CHECK(job.state == JobState::pending && !job.is_array_record());
    job.state = JobState::running;
    job.attempt = e.attempt;
    job.partition = e.partition;
    job.allocation = e.allocation;
    job.time_limit = e.time_limit;
    job.started = e.at;
    job.ended = Time{};
    job.warned = Time{};
    job.mailed &= ~kMailTimeLimits;
    job.turn_since = e.at;
    job.awaits_turn = false;
    job.batch_done = !e.runs_batch;
    job.preparing = e.preparing;
    job.reservation = e.reservation;
    job.waited_for = e.waited_for;
    job.has_preferred = e.has_preferred;
    if (e.priority) job.priority = e.priority;
    job.unfinished.clear();
    if (e.runs_batch) job.steps[kBatchStep] = batch_step(e);
    for (const NodeShare& share : e.allocation) {
      job.unfinished.insert(share.node);
      occupy(cluster.nodes.edit(share.node), share, e.job);
    }
    cluster.pending.erase(e.job.value);
    cluster.active.insert(e.job.value);
  }

  void operator()(const JobsEnding& e) {
    for (std::uint32_t id : e.jobs.ids()) {
      Job& job = cluster.jobs.edit(JobId{id});
      job.ending = e.ending;
      mark_completing(cluster, job);
    }
  }

  void operator()(const PendingJobsEnded& e) {
    for (std::uint32_t id : e.jobs.ids()) {
      Job& job = cluster.jobs.edit(JobId{id});
      CHECK(job.state == JobState::pending);
      job.state = e.state;
      job.started = job.ended = e.at;
      job.end_reason = e.reason;
      job.ending = Ending{.becomes = e.state, .by = e.by, .since = e.at};
      cluster.pending.erase(id);
      if (job.array_id) note_end_of_task(job.array_id, SIGKILL);
    }
  }

  void operator()(const TasksCancelled& e) {
    Job& record = cluster.jobs.edit(e.array);
    record.waiting_tasks.subtract(e.tasks);
    ++record.array_exits.left;
    record.array_exits.add(SIGKILL);
    CHECK(!record.waiting_tasks.empty(), "an array record that loses all its tasks ends instead");
  }

  void operator()(const JobEnded& e) {
    Job& job = cluster.jobs.edit(e.job);
    job.state = e.state;
    job.preparing = false;
    job.exit_status = e.exit_status;
    job.derived_exit_status = e.derived_exit_status;
    job.ended = e.at;
    job.end_reason = e.reason;
    job.queued_steps.clear();
    if (is_set(job.suspended_at)) {
      job.suspended_total += e.at - job.suspended_at;
      job.suspended_at = Time{};
    }
    mark_completing(cluster, job);
    if (e.uncounted) cluster.uncounted.insert(e.job.value);
    retire_if_over(job);
    if (job.array_id) note_end_of_task(job.array_id, e.exit_status);
  }

  void note_end_of_task(JobId array, std::uint32_t status) {
    if (cluster.jobs.contains(array)) cluster.jobs.edit(array).array_exits.add(status);
  }

  void operator()(const NodesReleased& e) {
    Job& job = cluster.jobs.edit(e.job);
    CHECK(job.attempt == e.attempt);
    for (NodeId node : e.nodes) {
      CHECK(job.unfinished.erase(node) == 1);
      auto share = std::find_if(job.allocation.begin(), job.allocation.end(),
                                [&](const NodeShare& s) { return s.node == node; });
      CHECK(share != job.allocation.end());
      if (!cluster.nodes.contains(node)) continue;
      vacate(cluster.nodes.edit(node), *share, e.job);
      if (is_set(e.at)) cluster.nodes.edit(node).last_busy = e.at;
    }
    retire_if_over(job);
  }

  void retire_if_over(const Job& job) {
    if (is_ended(job.state) && job.unfinished.empty()) cluster.active.erase(job.id.value);
  }

  void operator()(const JobRequeued& e) {
    note_requeue(cluster.jobs.at(e.job));
    Job& job = cluster.jobs.edit(e.job);
    CHECK(job.unfinished.empty());
    job.state = JobState::pending;
    job.hold = e.hold;
    if (e.hold != Hold::none) job.priority = 0;
    if (job.ending && job.ending->failure) ++job.failures;
    job.ending.reset();
    job.preemption.reset();
    job.preparing = false;
    job.awaits_turn = false;
    ++job.restarts;
    job.allocation.clear();
    job.reservation = {};
    job.steps.clear();
    job.queued_steps.clear();
    job.next_step = 0;
    job.started = job.ended = job.suspended_at = job.warned = Time{};
    job.suspended_total = {};
    job.exit_status = job.derived_exit_status = 0;
    job.end_reason = e.reason;
    job.eligible = e.eligible;
    job.accrues_since = Time{};
    // It ran in one of the partitions it asked for and may now run in any of them.
    if (job.spec->partition.view().find(',') != std::string_view::npos)
      job.partition = job.spec->partition;
    cluster.active.erase(e.job.value);
    cluster.uncounted.erase(e.job.value);
    cluster.pending.insert(e.job.value);
  }

  void note_requeue(const Job& job) {
    if (!job.array_id || !cluster.jobs.contains(job.array_id)) return;
    const bool had_ended = is_ended(job.state);
    ArrayExits& exits = cluster.jobs.edit(job.array_id).array_exits;
    exits.requeued = true;
    if (had_ended && exits.ended > 0) --exits.ended;
  }

  void operator()(const JobsHeld& e) {
    for (std::uint32_t id : e.jobs.ids()) {
      Job& job = cluster.jobs.edit(JobId{id});
      job.hold = e.hold;
      job.priority = e.priority;
      if (e.hold == Hold::none) job.eligible = std::max(job.eligible, e.at);
      if (job.state == JobState::pending) job.end_reason = e.reason;
    }
  }

  void operator()(const JobSuspended& e) {
    Job& job = cluster.jobs.edit(e.job);
    if (e.resumed) {
      job.state = JobState::running;
      job.suspended_total += e.at - job.suspended_at;
      job.suspended_at = Time{};
      job.turn_since = e.at;
    } else {
      job.state = JobState::suspended;
      job.suspended_at = e.at;
    }
    job.awaits_turn = e.by_turn && !e.resumed;
  }

  void operator()(const JobUpdated& e) {
    Job& job = cluster.jobs.edit(e.job);
    job.spec = e.spec;
    job.priority = e.priority;
    job.partition = e.partition;
    job.account = e.account;
    job.qos = e.qos;
    job.time_limit = e.time_limit;
    job.task_limit = e.task_limit;
    job.eligible = e.eligible;
    job.priority_fixed = e.priority_fixed;
  }

  void operator()(const JobsAccruing& e) {
    for (std::uint32_t id : e.jobs.ids()) {
      Job& job = cluster.jobs.edit(JobId{id});
      job.accrues_since = e.at;
      job.eligible = std::max(job.eligible, e.at);
    }
  }

  void operator()(const PrioritiesReached& e) {
    for (const auto& [id, priority] : e.jobs) cluster.jobs.edit(id).least_priority = priority;
  }

  void operator()(const JobPrepared& e) {
    Job& job = cluster.jobs.edit(e.job);
    CHECK(job.attempt == e.attempt);
    job.preparing = false;
    if (is_set(e.at)) job.started = e.at;
  }

  void operator()(const EpilogOwed& e) { cluster.owed_epilogs.edit().push_back(e.epilog); }
  void operator()(const EpilogEnded& e) {
    std::erase_if(cluster.owed_epilogs.edit(), [&](const OwedEpilog& owed) {
      return owed.job == e.job && owed.attempt == e.attempt;
    });
  }

  void operator()(const JobMailed& e) { cluster.jobs.edit(e.job).mailed |= e.types; }

  void operator()(const JobWarned& e) { cluster.jobs.edit(e.job).warned = e.at; }

  void operator()(const JobsPurged& e) {
    for (std::uint32_t id : e.jobs.ids()) {
      const Job* job = cluster.jobs.find(JobId{id});
      if (!job) continue;
      JobId array = job->array_id;
      cluster.jobs.erase(JobId{id});
      cluster.uncounted.erase(id);
      if (array && array.value != id && cluster.jobs.contains(array))
        cluster.jobs.edit(array).task_jobs.erase(id);
    }
  }

  void operator()(const StepCreated& e) {
    Job& job = cluster.jobs.edit(e.job);
    job.steps[e.step.id] = e.step;
    job.queued_steps.erase(e.step.id);
    if (is_numbered(e.step.id)) job.next_step = std::max(job.next_step, e.step.id.value + 1);
  }

  void operator()(const StepQueued& e) {
    Job& job = cluster.jobs.edit(e.job);
    job.queued_steps[e.step.id] = e.step;
    job.next_step = std::max(job.next_step, e.step.id.value + 1);
  }

  void operator()(const StepDequeued& e) { cluster.jobs.edit(e.job).queued_steps.erase(e.step); }

  void operator()(const StepNodeEnded& e) {
    Job& job = cluster.jobs.edit(e.job);
    CHECK(job.attempt == e.attempt);
    Step& step = job.steps.at(e.step);
    step = with_end(std::move(step), e);
    if (!is_ended(step.state)) return;
    if (e.step == kBatchStep) job.batch_done = true;
    if (stays_after_its_end(e.step)) return;
    job.derived_exit_status = std::max(job.derived_exit_status, step.exit_status);
    job.out_of_memory |= step.out_of_memory;
    job.steps.erase(e.step);
  }

  void operator()(const NodeRegistered& e) {
    Node& node = cluster.nodes.edit(e.node);
    node.facts = e.facts;
    add_detected(node.config.gres, e.facts.gres);
    if (!is_set(node.last_busy)) node.last_busy = e.at;
  }

  void operator()(const NodeChanged& e) {
    Node& node = cluster.nodes.edit(e.node);
    node.health = e.health;
    node.drain = e.drain;
    node.fail = e.fail;
    node.future = e.future;
    node.responding = e.responding;
    node.reason = e.reason;
    node.reason_uid = e.reason_uid;
    node.reason_time = e.reason_time;
    node.comment = e.comment;
    node.active_features = e.active_features;
    node.config.weight = e.weight;
    node.power = e.power;
    node.reboot = e.reboot;
  }

  void operator()(const NodeAdded& e) {
    CHECK(!(*cluster.node_ids).contains(e.config.name));
    const NodeId id = cluster.next_node_id;
    add_node(id, e.config);
    set_node_config(cluster.nodes.edit(id), e.config);
    cluster.node_ids.edit()[e.config.name] = id;
    cluster.node_order.push_back(id);
    cluster.config.edit().nodes.push_back(e.config);
    auto is_member = [&](const Partition& partition) {
      return std::ranges::find(e.partitions, partition.name) != e.partitions.end();
    };
    for (Partition& partition : cluster.partitions.edit())
      if (is_member(partition)) partition.nodes.push_back(id);
    ClusterConfig& config = cluster.config.edit();
    for (std::size_t i = 0; i < config.partitions.size(); ++i)
      if (is_member(config.partitions[i])) config.partition_nodes[i].push_back(e.config.name);
  }

  void operator()(const NodeRemoved& e) {
    const Node& node = cluster.nodes.at(e.node);
    CHECK(node.jobs.empty() && node.config.dynamic);
    const Text name = node.config.name;
    ClusterConfig& config = cluster.config.edit();
    std::erase_if(config.nodes, [&](const NodeConfig& n) { return n.name == name; });
    for (std::vector<Text>& names : config.partition_nodes) std::erase(names, name);
    for (Reservation& r : cluster.reservations.edit()) {
      auto at = std::ranges::find(r.nodes, e.node);
      if (at == r.nodes.end()) continue;
      if (r.has_part_of_nodes()) r.cpus.erase(r.cpus.begin() + (at - r.nodes.begin()));
      r.nodes.erase(at);
    }
    for (Partition& partition : cluster.partitions.edit()) std::erase(partition.nodes, e.node);
    std::erase(cluster.node_order, e.node);
    cluster.node_ids.edit().erase(name);
    cluster.nodes.erase(e.node);
  }

  void operator()(const PartitionChanged& e) {
    auto& partitions = cluster.partitions.edit();
    auto at = std::find_if(partitions.begin(), partitions.end(),
                           [&](const Partition& p) { return p.name == e.partition.name; });
    if (e.removed) {
      if (at != partitions.end()) partitions.erase(at);
      return;
    }
    if (e.partition.is_default)
      for (Partition& other : partitions) other.is_default = false;
    if (at == partitions.end())
      partitions.push_back(e.partition);
    else
      *at = e.partition;
  }

  void operator()(const ReservationChanged& e) {
    auto& all = cluster.reservations.edit();
    std::erase_if(all, [&](const Reservation& r) { return r.name == e.reservation.name; });
    if (e.removed) return;
    auto after = std::upper_bound(
        all.begin(), all.end(), e.reservation,
        [](const Reservation& a, const Reservation& b) { return a.number < b.number; });
    all.insert(after, e.reservation);
    cluster.last_reservation = std::max(cluster.last_reservation, e.reservation.number);
  }

  void operator()(const AssociationChanged& e) {
    auto& all = cluster.associations.edit();
    auto at = std::ranges::lower_bound(all, e.association.key, {}, &Association::key);
    const bool known = at != all.end() && at->key == e.association.key;
    if (known && e.removed)
      all.erase(at);
    else if (known)
      *at = e.association;
    else if (!e.removed)
      all.insert(at, e.association);
  }

  void operator()(const UsageCounted& e) {
    UsageBook& book = cluster.usage.edit();
    book.as_of = e.as_of;
    if (e.reset) book.past.clear();
    for (const auto& [payer, total] : e.changed) book.past[payer] = total;
    cluster.uncounted = {};
  }

  void operator()(const JobPreempted& e) {
    Job& job = cluster.jobs.edit(e.job);
    job.preemption = e.preemption;
    job.preempted_by = e.preemption.by;
  }
};

}  // namespace

void apply(Cluster& cluster, const Event& event) { std::visit(Applier{cluster}, event); }

}  // namespace muster
