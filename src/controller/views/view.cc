// Makes views of jobs and reservations.
#include "controller/views/view.h"

#include <algorithm>

#include "accounting/record.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/nodes/power_rules.h"
#include "sched/gate/dependency.h"
#include "sched/gate/gate.h"
#include "sched/place/free.h"
#include "sched/preempt/preempt.h"
#include "sched/request/amounts.h"
#include "sched/request/request.h"
#include "sched/timeline/reserved.h"
#include "wire/brief.h"

namespace muster::controller {

namespace {

const sched::Expected* expected_of(const Published& published, JobId job) {
  if (!published.plan) return nullptr;
  if (const auto* e = sched::find_expected(*published.plan, job)) return e;
  const auto* e = published.thorough ? sched::find_expected(*published.thorough, job) : nullptr;
  return e && e->at > published.at ? e : nullptr;
}

wire::Sharing sharing_of(const Cluster& cluster, const Job& job) {
  const JobSpec& spec = *job.spec;
  const Partition* partition = cluster.partition_of(job);
  if (spec.oversubscribe || (partition && partition->sharing(false) > 1)) return wire::Sharing::yes;
  if (spec.exclusive_user) return wire::Sharing::user;
  if (spec.exclusive_mcs) return wire::Sharing::mcs;
  if (spec.exclusive || cluster.settings().whole_nodes ||
      (partition && iequals(partition->oversubscribe, "EXCLUSIVE")))
    return wire::Sharing::no;
  return wire::Sharing::ok;
}

// The requests of steps contain environments, so only their owner gets them.
Cow<Job> without_requests(Cow<Job> job) {
  auto has_request = [](const auto& entry) { return !entry.second.request.empty(); };
  if (job->run->queued_steps.empty() && std::ranges::none_of(job->run->steps, has_request))
    return job;
  Job shown = *job;
  Run& run = shown.run.edit();
  for (auto& [id, step] : run.queued_steps) step.request = {};
  for (auto& [id, step] : run.steps) step.request = {};
  return Cow<Job>(std::move(shown));
}

sched::Reason held_reason(const Job& job) {
  return job.held_by_user() ? sched::Reason::held_user : sched::Reason::held_admin;
}

}  // namespace

std::string_view reason_of(const Published& published, const Job& job, Text& detail) {
  if (is_ended(job.state)) return job.end_reason.empty() ? "None" : job.end_reason.view();
  if (job.state != JobState::pending && job.hold != Hold::none)
    return sched::reason_name(held_reason(job));
  if (job.run->ending && job.run->ending->becomes == JobState::timeout)
    return end_reason(JobState::timeout, 0);
  if (job.state != JobState::pending)
    return job.run->preparing && all_on(published.cluster, job.run->allocation) ? "Prolog" : "None";
  if (job.hold != Hold::none && !job.end_reason.empty()) return job.end_reason;
  auto wait = wait_of(published, job);
  if (!wait) return "None";
  detail = std::move(wait->detail);
  // Until the scheduler has looked at the whole queue, Slurm shows this reason; scripts know both.
  constexpr Seconds kFirstLook{5};
  if (wait->reason == sched::Reason::partition_too_small &&
      published.at - job.submitted < kFirstLook)
    return "PartitionConfig";
  return sched::reason_name(wait->reason);
}

std::optional<sched::Wait> wait_of(const Published& published, const Job& job) {
  using sched::Reason;
  const Cluster& cluster = published.cluster;
  auto gate = [&] {
    sched::StartTarget target{cluster.partition_of(job)};
    if (!cluster.reservations->empty())
      target.reservation = sched::reservation_choices(cluster, job, published.at).front();
    return sched::gate(cluster, job, target, published.at).reason;
  };
  // A hold is shown at once, without waiting for the next plan.
  if (job.hold != Hold::none) return sched::Wait{job.id, held_reason(job), {}};
  // Plans skip jobs that cannot start yet.
  if (published.plan && !sched::is_eligible(cluster, job, published.at))
    if (const Reason reason = gate(); reason != Reason::none)
      return sched::Wait{job.id, reason, {}};
  // A quick plan skips some jobs; for those the last thorough plan knows more.
  for (const auto& plan : {published.plan, published.thorough})
    if (const auto wait = plan ? sched::find_wait(*plan, job.id) : std::nullopt) {
      if (wait->reason == Reason::held_user || wait->reason == Reason::held_admin)
        return std::nullopt;  // it is not held any more
      return *wait;
    }
  // The job was submitted after the last thorough plan, and quick plans have not reached it.
  if (!published.plan || published.plan->complete || job.submitted > published.at)
    return std::nullopt;
  const Reason reason = gate();
  return sched::Wait{job.id, reason == Reason::none ? Reason::priority : reason, {}};
}

static std::vector<std::string> node_names(const Published& published, const Job& job) {
  std::vector<std::string> names;
  for (const NodeShare& share : job.run->allocation) {
    const Node* node = published.cluster.nodes.find(share.node);
    names.push_back(node ? node->config.name.str() : "");
  }
  return names;
}

std::string nodes_of(const Published& published, const Job& job) {
  if (job.run->allocation.empty()) return {};
  return compress_hostlist(node_names(published, job));
}

// The nodes where it runs or ran.
static void add_nodes(const Published& published, const Job& job, wire::JobView& view) {
  if (job.run->allocation.empty()) return;
  const std::vector<std::string> names = node_names(published, job);
  view.node_names.assign(names.begin(), names.end());
  view.nodes = compress_hostlist(names);
  view.batch_host = names.front();
  if (auto batch = job.run->steps.find(kBatchStep); batch != job.run->steps.end())
    if (const Node* node = published.cluster.nodes.find(batch->second.nodes.front().node))
      view.batch_host = node->config.name;
}

static void add_expected_start(const Published& published, const Job& job, wire::JobView& view) {
  const sched::Expected* e =
      job.state == JobState::pending ? expected_of(published, job.id) : nullptr;
  if (!e) return;
  std::vector<std::string> names;
  for (NodeId id : e->nodes)
    if (const Node* node = published.cluster.nodes.find(id))
      names.push_back(node->config.name.str());
  view.expected_start = e->at;
  view.scheduled_nodes = compress_hostlist(names);
}

wire::JobView view_of(const Published& published, const Job& job, wire::Detail detail) {
  wire::JobView view;
  view.reason = reason_of(published, job, view.reason_detail);
  add_nodes(published, job, view);
  view.job = detail == wire::Detail::brief ? Cow<Job>(wire::brief_of(job))
                                           : without_requests(published.cluster.jobs.share(job.id));
  view.last_evaluated = published.at;
  view.sharing = sharing_of(published.cluster, job);
  if (detail == wire::Detail::all || job.run->allocation.empty()) {
    const Tres requested = accounting::requested_tres(published.cluster, job);
    view.requested_cpus = requested.cpus;
    view.requested_tres = requested.text();
  }
  view.preemptable_since = sched::preemptable_since(published.cluster, job);
  add_expected_start(published, job, view);
  if (!job.run->allocation.empty()) view.billing = sched::weighted_billing(published.cluster, job);
  if (!job.own.dependency.empty())
    view.dependency = sched::describe_dependencies(published.cluster, job, published.at);
  return view;
}

// The numbers of these CPUs' cores, such as "0-3".
static std::string core_numbers(const IdSet& cpus, std::uint32_t threads) {
  IdSet cores;
  for (std::uint32_t cpu : cpus.ids()) cores.insert(cpu / threads);
  return cores.text();
}

wire::ReservationView view_of(const Cluster& cluster, const Reservation& reservation, Time now) {
  wire::ReservationView view{.reservation = reservation};
  view.reservation.start = reservation.start_seen(now);
  view.reservation.end = reservation.end_seen(now);
  std::vector<std::string> names;
  for (NodeId id : reservation.nodes) {
    const Node* node = cluster.nodes.find(id);
    if (!node) continue;
    names.push_back(node->config.name.str());
    const IdSet* part = reservation.cpus_on(id);
    const auto cpus = part ? static_cast<std::uint32_t>(part->size()) : node->config.cpus;
    const std::uint32_t threads = sched::cpus_per_core(*node);
    view.cpus += cpus;
    view.cores += cpus / threads;
    if (part && cpus < node->config.cpus)
      view.node_cores.emplace_back(node->config.name, core_numbers(*part, threads));
  }
  view.nodes = compress_hostlist(names);
  return view;
}

}  // namespace muster::controller
