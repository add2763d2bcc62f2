// Makes the answer of each query, and divides lists of jobs into parts.
#include "controller/views/query.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "base/codec/rough_size.h"
#include "base/text/strings.h"
#include "controller/ledger/request_rules.h"
#include "controller/views/filter.h"
#include "controller/views/limits_view.h"
#include "controller/views/node_view.h"
#include "controller/views/shares_view.h"
#include "controller/views/view.h"
#include "wire/brief.h"
#include "wire/job_line.h"
#include "wire/parts.h"

namespace muster::controller {

namespace {

// Small, so that the client works on a part while the next one is made.
constexpr std::size_t kLinesBytes = 32u << 10;
constexpr std::size_t kLongLine = 1024;

// A part of a list of jobs, with each specification once.
class JobsPart {
 public:
  JobsPart(Time now, std::size_t at_most, wire::Detail detail, bool hides_nothing)
      : reply_{.now = now,
               .at_most = static_cast<std::uint32_t>(at_most),
               .hides_nothing = hides_nothing},
        whole_specs_(detail == wire::Detail::all) {
    if (detail == wire::Detail::least) reply_.lines.reserve(kLinesBytes + kLongLine);
  }

  // False if there is no room for the job; then `view` is unchanged.
  bool add(wire::JobView& view) {
    const Cow<JobSpec> spec = view.job->spec;
    const auto known = places_.find(&*spec);
    const bool is_new = known == places_.end();
    view.job.edit().spec = {};
    Cow<JobSpec> sent;
    if (is_new) sent = whole_specs_ ? spec : Cow<JobSpec>(wire::brief_of(*spec));
    const std::size_t size = rough_size(view) + (is_new ? rough_size(sent) : 0);
    if (!reply_.jobs.empty() && bytes_ + size > wire::kPartBytes) {
      view.job.edit().spec = spec;
      return false;
    }
    bytes_ += size;
    view.spec_place = is_new ? static_cast<std::uint32_t>(places_.size() + 1) : known->second;
    if (is_new) {
      places_.emplace(&*spec, view.spec_place);
      reply_.specs.push_back(std::move(sent));
    }
    reply_.jobs.push_back(std::move(view));
    return true;
  }

  bool is_full() const { return reply_.lines.size() >= kLinesBytes; }
  void add(const wire::JobLine& line) { lines_.append(line, reply_.lines); }

  wire::JobsReply take() { return std::move(reply_); }

 private:
  wire::JobsReply reply_;
  wire::LineWriter lines_;
  std::unordered_map<const JobSpec*, std::uint32_t> places_;
  std::size_t bytes_ = 0;
  bool whole_specs_ = false;
};

wire::PriorityView priority_view(const sched::Priorities& priorities, const Job& job,
                                 std::string_view partition_name, const Partition* partition) {
  // A fixed priority has no factors.
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
                          .priority = priorities.priority_of(job, partition)};
  for (const sched::TresFactor& tres : f.tres) view.tres.emplace_back(tres.name, tres.factor);
  return view;
}

// A job has one line per partition.
wire::PrioritiesReply priorities_reply(const Published& published, const Visibility& visible,
                                       Time now) {
  const Cluster& cluster = published.cluster;
  wire::PrioritiesReply reply{.weights = cluster.settings().priority, .jobs = {}};
  sched::Priorities priorities(cluster, now);
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.hold != Hold::none || job.eligible > now || !visible.sees(job)) continue;
    for (const Text& name : job.partitions.parsed())
      reply.jobs.push_back(priority_view(priorities, job, name, cluster.find_partition(name)));
  }
  return reply;
}

// To the viewer, private jobs of other users do not exist.
bool known_ids(const Cluster& cluster, const Visibility& visible, const wire::JobFilter& filter) {
  return std::ranges::all_of(filter.jobs, [&](const wire::JobRef& ref) {
    const Job* job = cluster.jobs.find(ref.job);
    return job && visible.sees(*job);
  });
}

// A job is listed if it may start in some partition that is not hidden.
bool is_hidden(const Visibility& visible, const Cluster& cluster, const Job& job) {
  const auto& names = job.partitions.parsed();
  return !names.empty() && std::ranges::all_of(names, [&](const Text& name) {
    const Partition* partition = cluster.find_partition(name);
    return partition && visible.is_hidden(*partition);
  });
}

// Names only plain jobs by number, so that the other jobs need not be looked at.
bool names_plain_jobs(const Cluster& cluster, const wire::JobsRequest& request) {
  const auto& named = request.filter.jobs;
  return !named.empty() && std::ranges::all_of(named, [&](const wire::JobRef& ref) {
    const Job* job = cluster.jobs.find(ref.job);
    return !job || (!job->array_id && !job->is_het());
  });
}

}  // namespace

bool has_short_answer(const Published& published, const wire::Request& query) {
  constexpr std::size_t kFew = 500;
  const Cluster& cluster = published.cluster;
  if (cluster.jobs.size() + cluster.nodes.size() <= kFew) return true;
  auto* jobs = std::get_if<wire::JobsRequest>(&query);
  return jobs && jobs->filter.jobs.size() <= kFew && names_plain_jobs(cluster, *jobs);
}

QueryAnswer::QueryAnswer(std::shared_ptr<const Published> published, Viewer viewer,
                         wire::Request query, Time now)
    : published_(std::move(published)),
      visible_(published_->cluster, std::move(viewer)),
      query_(std::move(query)),
      now_(now),
      facts_(published_->cluster) {}

// All answers except lists of jobs are short: they are made at once, and sent in parts.
void QueryAnswer::begin() {
  const Published& published = *published_;
  const Cluster& cluster = published.cluster;
  const wire::SendPart keep = [&](wire::Answer answer, bool more) {
    made_.push_back({std::move(answer), more});
  };
  if (auto refusal = visible_.refuses(query_)) return keep(std::move(*refusal), false);
  struct Make {
    const Published& published;
    const Visibility& visible;
    Time now;
    wire::NodesReply operator()(const wire::NodesRequest& r) const {
      return nodes_reply(published, visible, r, now);
    }
    wire::PartitionsReply operator()(const wire::PartitionsRequest&) const {
      return partitions_reply(published);
    }
    wire::PrioritiesReply operator()(const wire::PrioritiesRequest&) const {
      return priorities_reply(published, visible, now);
    }
    wire::SharesReply operator()(const wire::SharesRequest&) const {
      return shares_reply(published.cluster, visible, now);
    }
    wire::LimitsReply operator()(const wire::LimitsRequest&) const {
      return limits_reply(published.cluster, visible, now);
    }
    wire::ReservationsReply operator()(const wire::ReservationsRequest&) const {
      wire::ReservationsReply reply{.now = now};
      for (const Reservation& r : *published.cluster.reservations)
        if (visible.sees(r)) reply.reservations.push_back(view_of(published.cluster, r, now));
      return reply;
    }
    wire::TopologyReply operator()(const wire::TopologyRequest&) const {
      return {published.cluster.settings().topology};
    }
  };
  std::visit(
      [&]<class Request>(const Request& request) {
        if constexpr (std::is_same_v<Request, wire::JobsRequest>) {
          // One unknown id is an error; an unknown task of a known array is not. Of several ids the
          // known ones are shown.
          if (request.filter.jobs.size() == 1 && !known_ids(cluster, visible_, request.filter))
            return keep(Error{ErrorCode::invalid_job_id, {}}, false);
          if (request.checks_nodes)
            if (auto ok = check_nodes(cluster, request.filter.nodes); !ok)
              return keep(ok.error(), false);
          if (!names_plain_jobs(cluster, request)) return;
          std::set<JobId> seen;
          named_.emplace();
          for (const wire::JobRef& ref : request.filter.jobs)
            if (seen.insert(ref.job).second) named_->push_back(ref.job);
          std::ranges::reverse(*named_);
        } else if constexpr (std::is_same_v<Request, wire::BudgetRequest>) {
          auto reply = budget_reply(cluster, request, now_);
          if (!reply) return keep(reply.error(), false);
          wire::send_in_parts(std::move(*reply), keep);
        } else if constexpr (RuleOf<Request>::value.by == AnsweredBy::snapshot) {
          wire::send_in_parts(Make{published, visible_, now_}(request), keep);
        } else {
          CHECK(false, "not a query");
        }
      },
      query_);
}

QueryAnswer::Part QueryAnswer::next() {
  if (!std::exchange(has_begun_, true)) begin();
  if (made_.empty()) return next_jobs(std::get<wire::JobsRequest>(query_));
  Part part = std::move(made_.front());
  made_.pop_front();
  return part;
}

QueryAnswer::Part QueryAnswer::next_jobs(const wire::JobsRequest& request) {
  if (!matcher_) matcher_.emplace(request.filter);
  const Cluster& cluster = published_->cluster;
  const bool hides = request.hides && visible_.sees_partitions();
  JobsPart part(now_, named_ ? named_->size() : cluster.jobs.size(), request.detail,
                request.hides && !hides);
  if (!priorities_ && cluster.settings().priority.multifactor) priorities_.emplace(cluster, now_);
  // Returns whether it was added.
  auto add = [&](const Job& job) {
    if (!visible_.sees(job) || !matcher_->matches(cluster, job)) return true;
    if (hides && is_hidden(visible_, cluster, job)) return true;
    if (part.is_full()) return false;
    std::uint32_t priority = job.priority;
    if (priorities_ && !is_ended(job.state))
      priority = priorities_->priority_of(job, cluster.partition_of(job));
    const std::uint32_t least_nodes = job.state == JobState::pending ? facts_.least_nodes(job) : 0;
    if (request.detail == wire::Detail::least) {
      Text detail;
      const std::string_view reason = reason_of(*published_, job, detail);
      const std::string nodes = nodes_of(*published_, job);
      const wire::LineFacts facts{reason, detail, nodes, least_nodes};
      wire::JobLine line = line_from(job, facts, now_);
      line.priority = priority;
      part.add(line);
      return true;
    }
    wire::JobView view = view_of(*published_, job, request.detail);
    view.least_nodes = least_nodes;
    if (priority != job.priority) view.job.edit().priority = priority;
    if (job.state == JobState::pending && priorities_ && job.partitions.parsed().size() > 1)
      for (const Text& name : job.partitions.parsed())
        view.partition_priorities.push_back(
            priorities_->priority_of(job, cluster.find_partition(name)));
    return part.add(view);
  };
  if (named_) {
    for (; !named_->empty(); named_->pop_back())
      if (const Job* job = cluster.jobs.find(named_->back()); job && !add(*job))
        return {part.take(), true};
    return {part.take(), false};
  }
  bool more = false;
  cluster.jobs.each_from(next_job_, [&](const Job& job) {
    next_job_ = job.id;
    more = !add(job);
    return !more;
  });
  return {part.take(), more};
}

}  // namespace muster::controller
