#include "controller/view.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "base/hostlist.h"
#include "base/strings.h"
#include "controller/filter.h"
#include "controller/node_view.h"
#include "controller/partition_facts.h"
#include "controller/power.h"
#include "controller/shares_view.h"
#include "sched/amounts.h"
#include "sched/dependency.h"
#include "sched/free.h"
#include "sched/gate.h"
#include "sched/preempt.h"
#include "sched/priority.h"
#include "sched/request.h"
#include "sched/reserved.h"

namespace muster::controller {

namespace {

// A client reads one part while the next is made.
constexpr std::size_t kJobsPerPart = 1000;

// Jobs to be sent, each specification once.
class JobsPart {
 public:
  explicit JobsPart(Time now) : reply_{.now = now} {}

  std::size_t size() const { return reply_.jobs.size(); }

  void add(wire::JobView view) {
    const Cow<JobSpec>& spec = view.job->spec;
    auto [place, is_new] = places_.try_emplace(&*spec, places_.size() + 1);
    if (is_new) reply_.specs.push_back(spec);
    view.spec_place = place->second;
    view.job.edit().spec = {};
    reply_.jobs.push_back(std::move(view));
  }

  wire::JobsReply take() { return std::move(reply_); }

 private:
  wire::JobsReply reply_;
  std::unordered_map<const JobSpec*, std::uint32_t> places_;
};

const sched::Expected* expected_of(const Published& published, JobId job) {
  if (!published.plan) return nullptr;
  if (const auto* e = sched::find_expected(*published.plan, job)) return e;
  const auto* e = published.thorough ? sched::find_expected(*published.thorough, job) : nullptr;
  return e && e->at > published.at ? e : nullptr;
}

wire::Sharing sharing_of(const Cluster& cluster, const Job& job) {
  const JobSpec& spec = *job.spec;
  const Partition* partition = cluster.find_partition(job.partition);
  if (spec.oversubscribe || (partition && partition->sharing(false) > 1)) return wire::Sharing::yes;
  if (spec.exclusive_user) return wire::Sharing::user;
  if (spec.exclusive_mcs) return wire::Sharing::mcs;
  if (spec.exclusive || cluster.settings().whole_nodes ||
      (partition && iequals(partition->oversubscribe, "EXCLUSIVE")))
    return wire::Sharing::no;
  return wire::Sharing::ok;
}

wire::PriorityView priority_view(const sched::Priorities& priorities, const Job& job,
                                 std::string_view partition_name, const Partition* partition) {
  // Factors have no part in a priority that somebody fixed.
  sched::Factors f = job.priority_fixed ? sched::Factors{} : priorities.factors(job, partition);
  f.nice = job.spec->nice;
  wire::PriorityView view{.job = job.id,
                          .uid = job.spec->uid,
                          .user = job.spec->user_name,
                          .partition = Text(partition_name),
                          .account = job.account,
                          .qos = job.qos,
                          .age = f.age,
                          .association = f.association,
                          .fair_share = f.fair_share,
                          .job_size = f.job_size,
                          .partition_factor = f.partition,
                          .qos_factor = f.qos,
                          .tres = {},
                          .nice = f.nice,
                          .site = f.site,
                          .priority = priorities.of(job, partition)};
  for (const sched::TresFactor& tres : f.tres) view.tres.emplace_back(tres.name, tres.factor);
  return view;
}

// A job has a line for each of its partitions.
wire::Answer priorities_reply(const Published& published, const Visibility& visible, Time now) {
  const Cluster& cluster = published.cluster;
  wire::PrioritiesReply reply{.weights = cluster.settings().priority, .jobs = {}};
  sched::Priorities priorities(cluster, now);
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.hold != Hold::none || job.eligible > now || !visible.sees(job)) continue;
    for (std::string_view name : split(job.partition, ','))
      reply.jobs.push_back(priority_view(priorities, job, name, cluster.find_partition(name)));
  }
  return reply;
}

// A job of others that is private is none to the viewer.
bool known_ids(const Cluster& cluster, const Visibility& visible, const wire::JobFilter& filter) {
  return std::ranges::all_of(filter.jobs, [&](const wire::JobRef& ref) {
    const Job* job = cluster.jobs.find(ref.job);
    return job && visible.sees(*job);
  });
}

// By numbers of single jobs, so that the others need not be looked at.
bool names_plain_jobs(const Cluster& cluster, const wire::JobsRequest& request) {
  const auto& named = request.filter.jobs;
  return !named.empty() && std::ranges::all_of(named, [&](const wire::JobRef& ref) {
    const Job* job = cluster.jobs.find(ref.job);
    return !job || (!job->array_id && !job->is_het());
  });
}

void jobs_reply(const Published& published, const Visibility& visible,
                const wire::JobsRequest& request, Time now,
                const std::function<void(wire::Answer, bool)>& part) {
  const Cluster& cluster = published.cluster;
  // A single unknown id is an error, a task that an array does not have is not; in a list the
  // others are shown.
  if (request.filter.jobs.size() == 1 && !known_ids(cluster, visible, request.filter))
    return part(Error{ErrorCode::invalid_job_id, {}}, false);
  JobsPart jobs(now);
  PartitionFacts facts(cluster);
  std::optional<sched::Priorities> priorities;
  if (cluster.settings().priority.multifactor) priorities.emplace(cluster, now);
  const JobMatcher matcher(request.filter);
  auto add = [&](const Job& job) {
    if (!visible.sees(job) || !matcher.matches(cluster, job)) return;
    if (jobs.size() == kJobsPerPart) {
      part(jobs.take(), true);
      jobs = JobsPart(now);
    }
    wire::JobView view = view_of(published, job);
    if (priorities && !is_ended(job.state))
      view.job.edit().priority =
          priorities->of(job, cluster.find_partition(split(job.partition, ',').front()));
    if (job.state == JobState::pending) {
      view.least_nodes = facts.least_nodes(job);
      if (priorities && job.partition.view().contains(','))
        for (std::string_view name : split(job.partition, ','))
          view.partition_priorities.push_back(priorities->of(job, cluster.find_partition(name)));
    }
    jobs.add(std::move(view));
  };
  if (names_plain_jobs(cluster, request)) {
    std::set<JobId> ids;
    for (const wire::JobRef& ref : request.filter.jobs)
      if (ids.insert(ref.job).second)
        if (const Job* job = cluster.jobs.find(ref.job)) add(*job);
  } else {
    cluster.jobs.each(add);
  }
  part(jobs.take(), false);
}

}  // namespace

namespace {

// What a step was asked for with is its owner's alone: the environment is in it.
Cow<Job> without_requests(Cow<Job> job) {
  auto has_request = [](const auto& entry) { return !entry.second.request.empty(); };
  if (job->queued_steps.empty() && std::ranges::none_of(job->steps, has_request)) return job;
  Job shown = *job;
  for (auto& [id, step] : shown.queued_steps) step.request = {};
  for (auto& [id, step] : shown.steps) step.request = {};
  return Cow<Job>(std::move(shown));
}

sched::Reason held_reason(const Job& job) {
  return job.held_by_user() ? sched::Reason::held_user : sched::Reason::held_admin;
}

}  // namespace

Text reason_of(const Published& published, const Job& job, Text& detail) {
  if (is_ended(job.state)) return job.end_reason.empty() ? Text("None") : job.end_reason;
  if (job.state != JobState::pending && job.hold != Hold::none)
    return sched::reason_name(held_reason(job));
  if (job.ending && job.ending->becomes == JobState::timeout)
    return Text(end_reason(JobState::timeout, 0));
  if (job.state != JobState::pending)
    return job.preparing && all_on(published.cluster, job.allocation) ? "Prolog" : "None";
  if (job.hold != Hold::none && !job.end_reason.empty()) return job.end_reason;
  const auto wait = wait_of(published, job);
  if (!wait) return "None";
  detail = wait->detail;
  return sched::reason_name(wait->reason);
}

std::optional<sched::Wait> wait_of(const Published& published, const Job& job) {
  using sched::Reason;
  const Cluster& cluster = published.cluster;
  auto gate = [&] {
    const Partition* partition = cluster.find_partition(split(job.partition, ',').front());
    const sched::Venue venue{partition, sched::choices(cluster, job, published.at).front()};
    return sched::gate(cluster, job, venue, published.at).reason;
  };
  // What holds a job is known before the next plan says so.
  if (job.hold != Hold::none) return sched::Wait{job.id, held_reason(job), {}};
  // Plans do not look at jobs that cannot start yet.
  if (published.plan && !sched::is_eligible(cluster, job, published.at))
    if (const Reason reason = gate(); reason != Reason::none)
      return sched::Wait{job.id, reason, {}};
  // A quick plan has not looked at all jobs: of the others the last thorough one knows more.
  for (const auto& plan : {published.plan, published.thorough})
    if (const sched::Wait* wait = plan ? sched::find_wait(*plan, job.id) : nullptr) {
      if (wait->reason == Reason::held_user || wait->reason == Reason::held_admin)
        return std::nullopt;  // not any more
      return *wait;
    }
  // It came after the last thorough plan, and no quick one has got to it.
  if (!published.plan || published.plan->complete || job.submitted > published.at)
    return std::nullopt;
  const Reason reason = gate();
  return sched::Wait{job.id, reason == Reason::none ? Reason::priority : reason, {}};
}

wire::JobView view_of(const Published& published, const Job& job) {
  wire::JobView view{.job = without_requests(published.cluster.jobs.share(job.id)),
                     .last_evaluated = published.at};
  view.sharing = sharing_of(published.cluster, job);
  view.reason = reason_of(published, job, view.reason_detail);
  view.whole_node_mib = sched::whole_node_mib(published.cluster, job);
  view.preemptable_since = sched::preemptable_since(published.cluster, job);
  if (job.state == JobState::pending)
    if (const sched::Expected* e = expected_of(published, job.id)) {
      std::vector<std::string> names;
      for (NodeId id : e->nodes)
        if (const Node* node = published.cluster.nodes.find(id))
          names.push_back(node->config.name.str());
      view.expected_start = e->at;
      view.scheduled_nodes = compress_hostlist(names);
    }
  if (!job.allocation.empty()) {
    std::vector<std::string> names;
    for (const NodeShare& share : job.allocation) {
      const Node* node = published.cluster.nodes.find(share.node);
      names.push_back(node ? node->config.name.str() : "");
      view.node_names.emplace_back(names.back());
    }
    view.nodes = compress_hostlist(names);
    view.batch_host = names.front();
    if (auto batch = job.steps.find(kBatchStep); batch != job.steps.end())
      if (const Node* node = published.cluster.nodes.find(batch->second.nodes.front().node))
        view.batch_host = node->config.name;
    view.billing = sched::weighted_billing(published.cluster, job);
  }
  if (!job.spec->dependency.empty())
    view.dependency = sched::describe_dependencies(published.cluster, job, published.at);
  return view;
}

// "0-3" for the CPUs of these cores.
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

bool is_query(const wire::Request& request) {
  auto is_any = [&]<class... T>() { return (std::holds_alternative<T>(request) || ...); };
  return is_any.template
  operator()<wire::JobsRequest, wire::NodesRequest, wire::PrioritiesRequest, wire::SharesRequest,
             wire::PartitionsRequest, wire::ReservationsRequest, wire::TopologyRequest>();
}

bool has_short_answer(const Published& published, const wire::Request& query) {
  constexpr std::size_t kFew = 500;
  const Cluster& cluster = published.cluster;
  if (cluster.jobs.size() + cluster.nodes.size() <= kFew) return true;
  auto* jobs = std::get_if<wire::JobsRequest>(&query);
  return jobs && jobs->filter.jobs.size() <= kFew && names_plain_jobs(cluster, *jobs);
}

void answer_query(const Published& published, const Viewer& viewer, const wire::Request& request,
                  Time now, const std::function<void(wire::Answer, bool more)>& part) {
  const Visibility visible(published.cluster, viewer);
  if (auto refusal = visible.refuses(request)) return part(std::move(*refusal), false);
  if (auto* jobs = std::get_if<wire::JobsRequest>(&request)) {
    jobs_reply(published, visible, *jobs, now, part);
  } else if (auto* nodes = std::get_if<wire::NodesRequest>(&request)) {
    part(nodes_reply(published, visible, *nodes, now), false);
  } else if (std::holds_alternative<wire::PrioritiesRequest>(request)) {
    part(priorities_reply(published, visible, now), false);
  } else if (std::holds_alternative<wire::SharesRequest>(request)) {
    part(shares_reply(published.cluster, visible, now), false);
  } else if (std::holds_alternative<wire::PartitionsRequest>(request)) {
    part(partitions_reply(published), false);
  } else if (std::holds_alternative<wire::ReservationsRequest>(request)) {
    wire::ReservationsReply reply{.now = now};
    for (const Reservation& r : *published.cluster.reservations)
      if (visible.sees(r)) reply.reservations.push_back(view_of(published.cluster, r, now));
    part(std::move(reply), false);
  } else if (std::holds_alternative<wire::TopologyRequest>(request)) {
    part(wire::TopologyReply{published.cluster.settings().topology}, false);
  } else {
    CHECK(false, "not a query");
  }
}

}  // namespace muster::controller
