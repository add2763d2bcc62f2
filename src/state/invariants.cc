// Recomputes from the jobs what nodes, indexes and totals must be, and reports every difference.
#include "state/invariants.h"

#include <fmt/format.h>

#include <map>

namespace muster {

namespace {

struct Checker {
  const Cluster& cluster;
  std::vector<std::string> broken;

  template <class... A>
  void require(bool holds, fmt::format_string<A...> text, A&&... args) {
    if (!holds) broken.push_back(fmt::format(text, std::forward<A>(args)...));
  }

  // The sum of what jobs hold on each node.
  struct Held {
    IdSet cpus, jobs, completing;
    CpuOverlap shared_cpus;
    std::vector<std::pair<const Job*, const NodeShare*>> shares;
    std::uint64_t memory_mib = 0;
    std::map<std::pair<Text, Text>, std::pair<std::uint64_t, IdSet>> gres;
  };
  std::map<NodeId, Held> held;

  void check_jobs() {
    cluster.jobs.each([&](const Job& job) {
      std::uint32_t id = job.id.value;
      require(job.id < cluster.next_job_id, "job {} is not below the next id {}", id,
              cluster.next_job_id.value);
      require(cluster.pending.contains(id) == (job.state == JobState::pending),
              "job {} and the set of pending jobs disagree", id);
      bool active = is_active(job.state) || job.completing();
      require(cluster.active.contains(id) == active, "job {} and the set of active jobs disagree",
              id);
      require(!job.is_array_record() || job.state == JobState::pending || is_ended(job.state),
              "array record {} runs", id);
      require(!is_active(job.state) || !job.run->allocation.empty(), "job {} runs on nothing", id);
      require(job.state != JobState::pending || job.run->unfinished.empty(),
              "pending job {} holds nodes", id);
      require(job.run->queued_steps.empty() || is_active(job.state), "job {} has steps that wait",
              id);
      for (const auto& [step, queued] : job.run->queued_steps)
        require(step.value < job.run->next_step && !job.run->steps.contains(step) &&
                    queued.state == JobState::pending && !queued.request.empty(),
                "step {}.{} waits but should not", id, step.value);
      check_component(job);
      for (const NodeShare& share : job.run->allocation)
        if (job.run->unfinished.contains(share.node)) add(job, share);
    });
  }

  void add(const Job& job, const NodeShare& share) {
    Held& h = held[share.node];
    if (IdSet again = h.cpus.intersect(share.held_cpus()); !again.empty()) {
      check_overlap(h, job, share);
      h.shared_cpus.add(std::move(again));
    }
    h.cpus.merge(share.held_cpus());
    h.cpus.merge(share.left_to_system);
    h.shares.emplace_back(&job, &share);
    h.memory_mib += share.memory_mib;
    h.jobs.insert(job.id.value);
    if (job.completing()) h.completing.insert(job.id.value);
    for (const GresShare& gres : share.gres) {
      auto& [count, indices] = h.gres[{gres.name, gres.type}];
      require(!indices.intersects(gres.indices), "{} {} of node {} is held twice, by job {} too",
              gres.name.view(), gres.indices.text(), share.node.value, job.id.value);
      count += gres.count;
      indices.merge(gres.indices);
    }
  }

  // Components wait together and start together.
  void check_component(const Job& job) {
    if (!job.is_het()) return;
    require(job.id.value == job.het_id.value + job.het_offset && job.het_offset < job.het_size,
            "job {} is not component {} of {}", job.id.value, job.het_offset, job.het_id.value);
    // Each is compared with the first only: comparing all pairs could take millions of steps.
    const Job* first = cluster.jobs.find(job.het_id);
    if (!first) return;
    require(first->het_id == job.het_id, "job {} is no component of {}", first->id.value,
            job.het_id.value);
    require((first->state == JobState::pending) == (job.state == JobState::pending),
            "components {} and {} do not wait together", first->id.value, job.id.value);
    require(!is_ended(first->state) || !is_active(job.state) || job.run->ending,
            "component {} goes on without {}", job.id.value, first->id.value);
  }

  // A job has a record or an outcome, not both; and each task with a record is in its array's
  // index.
  void check_outcomes() {
    cluster.outcomes.each([&](const JobOutcome& outcome) {
      require(!cluster.jobs.contains(outcome.id) && is_ended(outcome.state),
              "job {} is remembered but has not gone", outcome.id.value);
      check_index(outcome);
    });
    cluster.jobs.each([&](const Job& job) { check_index(job); });
  }

  void check_index(const auto& task) {
    if (!task.array_id || task.array_id == task.id || task.task_id == kNoTask) return;
    if (!cluster.jobs.contains(task.array_id) && !cluster.outcomes.contains(task.array_id)) return;
    const TaskIndex* index = cluster.task_index(task.array_id);
    const JobId* found = index ? index->find(TaskId{task.task_id}) : nullptr;
    require(found && *found == task.id, "task {} of array {} is not known by its number",
            task.task_id, task.array_id.value);
  }

  // A CPU is held by one running job, or by as many as its partition allows; the CPUs of a resumed
  // job count too.
  void check_overlap(const Held& h, const Job& job, const NodeShare& share) {
    IdSet shared;
    CpuOverlap shared_cpus;
    for (const auto& [other, theirs] : h.shares) {
      IdSet both = theirs->held_cpus().intersect(share.held_cpus());
      if (both.empty() || other->run->awaits_turn || job.run->awaits_turn) continue;
      if (theirs->hold == CpuHold::taken_back || share.hold == CpuHold::taken_back) continue;
      require(other->partition == job.partition && theirs->sharing > 1 && share.sharing > 1,
              "CPUs {} of node {} are held twice, by jobs {} and {}", both.text(), share.node.value,
              other->id.value, job.id.value);
      shared_cpus.add(shared.intersect(both));
      shared.merge(both);
    }
    require(shared_cpus.beyond(std::max(1u, share.sharing) - 1, shared).empty(),
            "CPUs of node {} are shared by too many, job {} among them", share.node.value,
            job.id.value);
  }

  void check_nodes() {
    cluster.nodes.each([&](const Node& node) {
      const Held& h = held[node.id];
      auto name = node.config.name.view();
      require(h.cpus == node.used_cpus, "node {}: used CPUs {} but jobs hold {}", name,
              node.used_cpus.text(), h.cpus.text());
      require(h.shared_cpus == node.shared_cpus, "node {}: what several jobs hold is not known",
              name);
      require(h.memory_mib == node.used_memory_mib, "node {}: used memory {} but jobs hold {}",
              name, node.used_memory_mib, h.memory_mib);
      require(h.jobs == node.jobs, "node {}: jobs {} but {} hold something", name, node.jobs.text(),
              h.jobs.text());
      require(h.completing == node.completing, "node {}: completing {} but should be {}", name,
              node.completing.text(), h.completing.text());
      require(h.memory_mib <= node.config.memory_mib || !cluster.settings().memory_is_consumable,
              "node {}: {} MiB held of {}", name, h.memory_mib, node.config.memory_mib);
      require(h.cpus.empty() || h.cpus.max() < node.config.cpus, "node {}: CPU {} of {}", name,
              h.cpus.empty() ? 0 : h.cpus.max(), node.config.cpus);
      check_gres(node, h);
      require(node.jobs.empty() || node.power.phase != PowerPhase::powering_down,
              "node {} goes off but jobs {} hold it", name, node.jobs.text());
      auto known = (*cluster.node_ids).find(node.config.name);
      require(known != (*cluster.node_ids).end() && known->second == node.id,
              "node {} is not known by its name", name);
    });
    require((*cluster.node_order).size() == (*cluster.node_ids).size(),
            "{} nodes in order, but {} names", (*cluster.node_order).size(),
            (*cluster.node_ids).size());
  }

  void check_gres(const Node& node, const Held& h) {
    std::map<std::pair<Text, Text>, std::pair<std::uint64_t, IdSet>> used;
    for (const GresShare& g : node.used_gres) used[{g.name, g.type}] = {g.count, g.indices};
    require(used == h.gres, "node {}: its used gres are not what jobs hold",
            node.config.name.view());
    for (const auto& [key, sum] : h.gres) {
      std::uint64_t capacity = 0;
      IdSet devices;
      for (const GresPool& pool : node.config.gres)
        if (pool.name == key.first && pool.type == key.second) {
          capacity += pool.count;
          devices.merge(pool.indices);
        }
      require(sum.second.intersect(devices) == sum.second, "node {}: {} {} held but it has {}",
              node.config.name.view(), key.first.view(), sum.second.text(), devices.text());
      check_parts(node, h, key.first);
      require(sum.first <= capacity, "node {}: {} {} held of {}", node.config.name.view(),
              sum.first, key.first.view(), capacity);
    }
  }

  void check_usage() {
    for (std::uint32_t id : cluster.uncounted.ids()) {
      const Job* job = cluster.jobs.find(JobId{id});
      require(job && is_ended(job->state), "job {} is to be counted but has not ended", id);
    }
    const auto& all = *cluster.associations;
    for (std::size_t i = 1; i < all.size(); ++i)
      require(all[i - 1].key < all[i].key, "association {} is not in its place", i);
    for (const auto& [owner, use] : (*cluster.usage).past)
      require(use.raw >= 0 && use.wall_s >= 0 && use.as_of <= (*cluster.usage).as_of,
              "usage of {}{} cannot be", owner.qos.view(), owner.association.user.view());
  }

  // A GPU is used as a whole or in parts, never both.
  void check_parts(const Node& node, const Held& h, const Text& name) {
    for (const GresPool& pool : node.config.gres) {
      if (pool.name != name || !pool.is_part_of_gpus()) continue;
      auto parts = h.gres.find({pool.name, pool.type});
      IdSet parted = parts == h.gres.end() ? IdSet{} : pool.gpus_of(parts->second.second);
      for (const auto& [key, sum] : h.gres)
        require(key.first != "gpu" || !sum.second.intersects(parted),
                "node {}: GPUs {} are held whole and in parts", node.config.name.view(),
                sum.second.intersect(parted).text());
    }
  }
};

}  // namespace

std::vector<std::string> broken_invariants(const Cluster& cluster) {
  Checker checker{cluster, {}, {}};
  checker.check_jobs();
  checker.check_outcomes();
  checker.check_nodes();
  checker.check_usage();
  return checker.broken;
}

}  // namespace muster
