// Builders for tests of the pure core: clusters built from real events, and job specifications.
//
//   auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(job().tasks(2)).build();
//
// Job ids count from 1 in the order of the calls; nodes are called n1, n2, ...
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "model/cluster.h"
#include "sched/plan.h"
#include "sched/preempt/gang.h"
#include "state/apply.h"
#include "state/event.h"
#include "state/job_update.h"

namespace muster::test {

inline constexpr Time t0 = from_unix_seconds(1'800'000'000);
inline constexpr Uid kAlice{1001}, kBob{1002}, kRoot{0};

class SpecBuilder {
 public:
  SpecBuilder() {
    spec_.uid = kAlice;
    spec_.gid = Gid{100};
    spec_.user_name = "alice";
    spec_.name = "job";
  }
  operator JobRequest() const { return spec_; }  // NOLINT(google-explicit-constructor)

  SpecBuilder& nodes(std::uint32_t low, std::uint32_t high = 0) {
    spec_.min_nodes = low;
    spec_.max_nodes = high;
    spec_.nodes_given = true;
    return *this;
  }
  SpecBuilder& tasks(std::uint32_t n) { return set(&JobRequest::num_tasks, n); }
  SpecBuilder& cpus_per_task(std::uint32_t n) { return set(&JobRequest::cpus_per_task, n); }
  SpecBuilder& tasks_per_node(std::uint32_t n) { return set(&JobRequest::ntasks_per_node, n); }
  SpecBuilder& memory(std::uint64_t mib) { return set(&JobRequest::memory_per_node_mib, mib); }
  SpecBuilder& memory_per_cpu(std::uint64_t mib) {
    return set(&JobRequest::memory_per_cpu_mib, mib);
  }
  SpecBuilder& minutes(int n) { return set(&JobRequest::time_limit, Minutes{n}); }
  SpecBuilder& gres(Text text) { return set(&JobRequest::gres, std::move(text)); }
  SpecBuilder& gpus(Text text) { return set(&JobRequest::gpus, std::move(text)); }
  SpecBuilder& gpus_per_node(Text text) { return set(&JobRequest::gpus_per_node, std::move(text)); }
  SpecBuilder& gpus_per_task(Text text) { return set(&JobRequest::gpus_per_task, std::move(text)); }
  SpecBuilder& array(Text text) { return set(&JobRequest::array, std::move(text)); }
  SpecBuilder& dependency(const Text& text) {
    return set(&JobRequest::dependency, Dependency(text));
  }
  SpecBuilder& partition(Text text) { return set(&JobRequest::partition, std::move(text)); }
  SpecBuilder& name(Text text) { return set(&JobRequest::name, std::move(text)); }
  SpecBuilder& on(Text hostlist) { return set(&JobRequest::required_nodes, std::move(hostlist)); }
  SpecBuilder& not_on(Text hostlist) {
    return set(&JobRequest::excluded_nodes, std::move(hostlist));
  }
  SpecBuilder& licenses(Text text) { return set(&JobRequest::licenses, std::move(text)); }
  SpecBuilder& features(Text text) { return set(&JobRequest::features, std::move(text)); }
  SpecBuilder& begin(Time at) { return set(&JobRequest::begin, at); }
  SpecBuilder& hold() { return set(&JobRequest::hold, true); }
  SpecBuilder& oversubscribe() { return set(&JobRequest::oversubscribe, true); }
  SpecBuilder& exclusive() { return set(&JobRequest::exclusive, true); }
  SpecBuilder& contiguous() { return set(&JobRequest::contiguous, true); }
  SpecBuilder& allocation() { return set(&JobRequest::kind, JobKind::allocation); }
  SpecBuilder& requeue(bool yes) { return set(&JobRequest::requeue, yes); }
  SpecBuilder& user(Uid uid) {
    spec_.user_name = uid == kAlice ? "alice"
                      : uid == kBob ? "bob"
                                    : "u" + std::to_string(uid.value);
    return set(&JobRequest::uid, uid);
  }
  SpecBuilder& qos(Text text) { return set(&JobRequest::qos, std::move(text)); }
  SpecBuilder& account(Text text) { return set(&JobRequest::account, std::move(text)); }

  template <class M, class Part, class T>  // for members of JobRequest or JobOwn
  SpecBuilder& set(M Part::* member, T value) {
    spec_.*member = std::move(value);
    return *this;
  }

 private:
  JobRequest spec_;
};
inline SpecBuilder job() { return {}; }

// A job as the controller would accept it.
inline Job make_job(JobId id, JobRequest spec, const Cluster& cluster, Time now = t0) {
  Job job;
  job.id = id;
  const Partition* partition = spec.partition.empty()
                                   ? cluster.default_partition()
                                   : cluster.find_partition(spec.partition.view());
  if (partition) job.partitions = partition->name;
  job.account = spec.account.empty() ? Text("root") : spec.account;
  job.qos = spec.qos.empty() ? Text("normal") : spec.qos;
  job.time_limit =
      spec.time_limit.value_or(partition ? partition->max_time.value_or(kUnlimited) : kUnlimited);
  job.submitted = now;
  job.eligible = std::max(now, spec.begin);
  job.hold = spec.hold ? Hold::user : Hold::none;
  if (!spec.hold && spec.dependency.empty()) job.accrues_since = job.eligible;
  job.priority = spec.hold ? 0 : 4294901760u - id.value;
  if (!spec.array.empty()) {
    std::string_view text = spec.array;
    auto percent = text.find('%');
    job.array_id = id;
    job.waiting_tasks = *IdSet::parse(text.substr(0, percent));
    if (percent != text.npos)
      job.task_limit = *parse_number<std::uint32_t>(text.substr(percent + 1));
  }
  job.take_request(std::move(spec));
  return job;
}

inline std::vector<Job> make_components(std::vector<JobRequest> specs, const Cluster& cluster,
                                        Time now = t0) {
  std::vector<Job> jobs;
  const JobId first = cluster.next_job_id;
  for (std::uint32_t i = 0; i < specs.size(); ++i) {
    jobs.push_back(make_job(JobId{first.value + i}, std::move(specs[i]), cluster, now));
    jobs.back().het_id = first;
    jobs.back().het_offset = i;
    jobs.back().het_size = static_cast<std::uint32_t>(specs.size());
  }
  return jobs;
}

// All of a node as the share of one job.
inline NodeShare whole_node(const Node& node) {
  return {.node = node.id,
          .cpus = IdSet::range(0, node.config.cpus - 1),
          .memory_mib = node.config.memory_mib,
          .tasks = 1,
          .gres = {}};
}

class ClusterBuilder {
 public:
  // --- the configuration; call these first ---
  ClusterBuilder& nodes(std::uint32_t count, std::uint32_t cpus = 8, std::uint64_t memory = 16000) {
    first_of_last_ = config_.nodes.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      NodeConfig node;
      node.name = "n" + std::to_string(config_.nodes.size() + 1);
      node.cpus = cpus;
      node.cores_per_socket = cpus;
      node.memory_mib = memory;
      config_.nodes.push_back(std::move(node));
    }
    return *this;
  }
  // For the nodes added last; indices continue through the types.
  ClusterBuilder& gpus(std::uint32_t count, Text type = "v100") {
    return each_last([&](NodeConfig& node) {
      std::uint32_t first = 0;
      for (const GresPool& pool : node.gres)
        if (pool.name == "gpu") first += static_cast<std::uint32_t>(pool.count);
      node.gres.push_back({.name = "gpu",
                           .type = type,
                           .count = count,
                           .indices = IdSet::range(first, first + count - 1),
                           .files = {}});
    });
  }
  ClusterBuilder& counted_gres(Text name, std::uint64_t count) {
    config_.settings.gres_types.push_back(name);
    return each_last([&](NodeConfig& node) {
      node.gres.push_back({.name = name, .type = {}, .count = count, .indices = {}, .files = {}});
    });
  }
  ClusterBuilder& features(std::vector<Text> list) {
    return each_last([&](NodeConfig& node) { node.features = list; });
  }
  ClusterBuilder& sockets(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads) {
    return each_last([&](NodeConfig& node) {
      node.sockets = sockets;
      node.cores_per_socket = cores;
      node.threads_per_core = threads;
      node.cpus = sockets * cores * threads;
    });
  }
  ClusterBuilder& node_config(const std::function<void(NodeConfig&)>& change) {
    return each_last(change);
  }
  ClusterBuilder& weight(std::uint32_t weight) {
    return each_last([&](NodeConfig& node) { node.weight = weight; });
  }
  // With nodes first..last (counted from 1). Without any partition, "main" has all nodes.
  ClusterBuilder& partition(Partition partition, std::uint32_t first, std::uint32_t last) {
    partition.is_default = config_.partitions.empty();
    config_.partitions.push_back(std::move(partition));
    std::vector<Text> names;
    for (std::uint32_t i = first; i <= last; ++i) names.push_back("n" + std::to_string(i));
    config_.partition_nodes.push_back(std::move(names));
    return *this;
  }
  // "MaxJobsPU=1 MaxTRESPU=cpu=2", as in a QoS line.
  ClusterBuilder& qos(Text name, std::string_view settings) {
    config_.qos.push_back(make_qos(std::move(name), settings));
    return *this;
  }
  ClusterBuilder& settings(const std::function<void(Settings&)>& change) {
    change(config_.settings);
    return *this;
  }
  ClusterConfig config() {
    finish_config();
    return config_;
  }

  // --- what happens ---
  ClusterBuilder& event(Event event) {
    load();
    muster::apply(cluster_, event);
    events_.push_back(std::move(event));
    return *this;
  }
  // An account below another one, or a user in an account, with limits as in a QoS line.
  ClusterBuilder& account(Text name, Text parent = {}, std::string_view limits = {},
                          std::uint32_t shares = 1) {
    return association({.key = {.account = std::move(name)},
                        .parent = std::move(parent),
                        .shares = shares,
                        .limits = make_qos({}, limits).limits});
  }
  ClusterBuilder& user(Text account, Text name, std::string_view limits = {},
                       std::uint32_t shares = 1) {
    return association({.key = {.account = std::move(account), .user = std::move(name)},
                        .parent = {},
                        .shares = shares,
                        .limits = make_qos({}, limits).limits});
  }
  ClusterBuilder& association(Association association) {
    return event(AssociationChanged{.association = std::move(association)});
  }
  // What a user of an account has used so far, in CPU seconds.
  ClusterBuilder& used(Text account, Text user, double cpu_seconds, Time at = t0) {
    return charged(
        {.qos = {}, .association = {.account = std::move(account), .user = std::move(user)}},
        cpu_seconds, at);
  }
  ClusterBuilder& charged(UsageOwner owner, double cpu_seconds, Time at = t0) {
    PastUse use{.as_of = at, .raw = cpu_seconds, .wall_s = cpu_seconds, .tres_s = {}};
    use.tres_s["cpu"] = use.tres_s["billing"] = cpu_seconds;
    return event(UsageCounted{.as_of = at, .reset = false, .changed = {{owner, use}}});
  }
  ClusterBuilder& pending(JobRequest spec) {
    load();
    JobId id = cluster_.next_job_id;
    return event(JobSubmitted{make_job(id, std::move(spec), cluster_)});
  }
  // The components of one heterogeneous job.
  ClusterBuilder& pending_together(std::vector<JobRequest> specs) {
    load();
    for (Job& component : make_components(std::move(specs), cluster_))
      event(JobSubmitted{std::move(component)});
    return *this;
  }
  ClusterBuilder& pending(std::uint32_t nodes, int minutes = 60) {
    return pending(job().nodes(nodes).minutes(minutes));
  }
  // Runs on the first unused nodes, and fills them.
  ClusterBuilder& running(std::uint32_t nodes, int minutes = 60) {
    load();
    std::vector<NodeShare> shares;
    cluster_.nodes.each([&](const Node& node) {
      if (node.jobs.empty() && shares.size() < nodes) shares.push_back(whole_node(node));
    });
    return running(job().nodes(nodes).minutes(minutes), std::move(shares));
  }
  ClusterBuilder& running(JobRequest spec, std::vector<NodeShare> shares, Time at = t0) {
    bool batch = spec.kind == JobKind::batch;
    pending(std::move(spec));
    return start(last_job().value, std::move(shares), at, batch);
  }
  ClusterBuilder& start(std::uint32_t id, std::vector<NodeShare> shares, Time at = t0,
                        bool batch = true) {
    const Job& job = cluster_.jobs.at(JobId{id});
    return event(JobStarted{.job = job.id,
                            .attempt = Attempt{job.attempt.value + 1},
                            .partition = first_of(job.partitions),
                            .allocation = std::move(shares),
                            .at = at,
                            .runs_batch = batch,
                            .time_limit = job.time_limit});
  }
  // Ends the run; its nodes are released.
  ClusterBuilder& ended(std::uint32_t id, JobState state, std::uint32_t status = 0, Time at = t0) {
    event(JobEnded{.job = JobId{id},
                   .state = state,
                   .exit_status = status,
                   .at = at,
                   .reason = {},
                   .uncounted = true});
    return released(id);
  }
  ClusterBuilder& released(std::uint32_t id) {
    const Job& job = cluster_.jobs.at(JobId{id});
    std::vector<NodeId> nodes(job.run->unfinished.begin(), job.run->unfinished.end());
    return event(NodesReleased{.job = job.id, .attempt = job.attempt, .nodes = std::move(nodes)});
  }
  ClusterBuilder& split(std::uint32_t array, std::uint32_t task) {
    const Job& record = cluster_.jobs.at(JobId{array});
    JobId id = record.waiting_tasks.size() == 1 ? record.id : cluster_.next_job_id;
    return event(TaskSplit{.array = JobId{array}, .task = task, .id = id});
  }
  ClusterBuilder& updated(std::uint32_t id, const std::function<void(Job&)>& change) {
    load();
    Job after = cluster_.jobs.at(JobId{id});
    change(after);
    auto update = job_update(cluster_.jobs.at(JobId{id}), after);
    return update ? event(std::move(*update)) : *this;
  }
  ClusterBuilder& down(std::uint32_t number) { return event(NodeWentDown{NodeId{number}}); }
  ClusterBuilder& drained(std::uint32_t number) { return event(NodeDrained{NodeId{number}}); }
  ClusterBuilder& silent(std::uint32_t number) { return event(NodeFellSilent{NodeId{number}}); }

  JobId last_job() const { return JobId{cluster_.next_job_id.value - 1}; }
  Cluster build() {
    load();
    return cluster_;
  }
  const std::vector<Event>& events() {
    load();
    return events_;
  }

 private:
  static Qos make_qos(Text name, std::string_view settings) {
    Qos qos{.name = std::move(name)};
    for (std::string_view word : split_words(settings)) {
      auto equals = word.find('=');
      auto known = set_qos_value(qos, word.substr(0, equals), word.substr(equals + 1));
      EXPECT_TRUE(known && *known) << word;
    }
    return qos;
  }
  ClusterBuilder& each_last(const std::function<void(NodeConfig&)>& change) {
    for (std::size_t i = first_of_last_; i < config_.nodes.size(); ++i) change(config_.nodes[i]);
    return *this;
  }
  void finish_config() {
    if (config_.partitions.empty())
      partition({.name = "main"}, 1, static_cast<std::uint32_t>(config_.nodes.size()));
    auto& types = config_.settings.gres_types;
    if (std::find(types.begin(), types.end(), Text("gpu")) == types.end()) types.push_back("gpu");
    config_.settings.cluster_name = "test";
  }
  void load() {
    if (loaded_) return;
    loaded_ = true;
    finish_config();
    event(EpochStarted{Epoch{1}});
    event(ConfigLoaded{Cow(config_)});
    for (NodeId id : std::vector<NodeId>(*cluster_.node_order)) event(NodeCameUp{id});
  }

  ClusterConfig config_;
  std::size_t first_of_last_ = 0;
  bool loaded_ = false;
  Cluster cluster_;
  std::vector<Event> events_;
};

// --- a plan as text, easy to read in a failure ---

// "1 2_0 2_1": the jobs and tasks in the order in which they start.
inline std::string starts(const sched::Plan& plan) {
  std::string out;
  for (const sched::Start& s : plan.starts) {
    if (!out.empty()) out += ' ';
    out += std::to_string(s.job.value);
    if (s.task) out += "_" + std::to_string(*s.task);
  }
  return out;
}
inline std::string reason(const sched::Plan& plan, std::uint32_t id) {
  const auto wait = sched::find_wait(plan, JobId{id});
  if (!wait) return "(no wait)";
  return wait->detail.empty() ? std::string(sched::reason_name(wait->reason)) : wait->detail.str();
}
// Carries out the starts of a plan, as the controller does.
inline void take_over(Cluster& cluster, const sched::Plan& plan, Time now) {
  for (const sched::Start& s : plan.starts) {
    JobId id = s.job;
    for (JobId lender : s.suspends)
      if (!cluster.jobs.at(lender).run->awaits_turn)
        muster::apply(cluster, JobSuspended{.job = lender, .at = now, .by_turn = true});
    if (s.task) {
      if (cluster.jobs.at(s.job).waiting_tasks.size() > 1) id = cluster.next_job_id;
      muster::apply(cluster, TaskSplit{.array = s.job, .task = *s.task, .id = id});
    }
    const Job& job = cluster.jobs.at(id);
    muster::apply(cluster, JobStarted{.job = id,
                                      .attempt = Attempt{job.attempt.value + 1},
                                      .partition = s.partition,
                                      .allocation = s.allocation,
                                      .at = now,
                                      .runs_batch = job.spec->kind == JobKind::batch,
                                      .time_limit = s.time_limit,
                                      .reservation = s.reservation});
  }
}

// The next step of gang scheduling, as the controller does it.
inline sched::Turns take_turns(Cluster& cluster, Time now) {
  sched::Turns turns = sched::next_turns(cluster, now);
  for (JobId id : turns.suspend)
    muster::apply(cluster, JobSuspended{.job = id, .at = now, .by_turn = true});
  for (JobId id : turns.resume)
    muster::apply(cluster, JobSuspended{.job = id, .resumed = true, .at = now, .by_turn = true});
  return turns;
}

}  // namespace muster::test
