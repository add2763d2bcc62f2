// Makes explanations from the published plan and from further plans.
#include "controller/views/explain.h"

#include "controller/submit/partition_choice.h"
#include "controller/views/filter.h"
#include "controller/views/particulars.h"
#include "controller/views/view.h"
#include "sched/explain.h"

namespace muster::controller {

namespace {

constexpr std::size_t kJobsExplained = 10;

std::vector<const Job*> jobs_named(const Cluster& cluster, const wire::JobRef& ref) {
  const Job* job = cluster.jobs.find(ref.job);
  const bool names_all_of_it = ref.tasks.empty() && !ref.component;
  if (job && names_all_of_it && !job->array_id && !job->is_het()) return {job};
  std::vector<const Job*> found;
  const JobMatcher matcher(wire::JobFilter{.jobs = {ref}, .all_states = true});
  cluster.jobs.each([&](const Job& each) {
    if (matcher.matches(cluster, each)) found.push_back(&each);
  });
  return found;
}

// It was requeued more often than allowed; see requeued_too_often in jobs/ending.cc.
std::string requeued_too_often(const Settings& settings, const Job& job) {
  if (job.hold != Hold::admin) return {};
  auto text = [](std::uint32_t times, std::string_view why) {
    return "It was requeued " + std::to_string(times) + " times because " + std::string(why) +
           "; an administrator has to release it.";
  };
  if (job.failures > settings.max_batch_requeue)
    return text(job.failures, "a node or its launch failed");
  if (settings.max_preempt_requeue && job.preemptions > *settings.max_preempt_requeue)
    return text(job.preemptions, "other jobs preempted it");
  return {};
}

std::string sentence(const Published& published, const Visibility& visible, const Job& job,
                     Time now) {
  if (job.hold != Hold::none && !job.end_reason.empty())
    return "It is held: " + job.end_reason.str() + ".";
  if (const std::string often = requeued_too_often(published.cluster.settings(), job);
      !often.empty())
    return often;
  const auto wait = wait_of(published, job);
  std::string text(sched::reason_sentence(wait ? wait->reason : sched::Reason::none));
  if (wait && !wait->detail.empty()) text += " (" + wait->detail.str() + ")";
  const std::string more =
      wait ? particulars(published.cluster, visible, job, *wait, now) : std::string();
  return more.empty() ? text : text + " " + more;
}

// Other partitions that would admit a job of this owner. Groups are not checked: only the system
// knows them.
std::vector<Text> other_partitions(const Cluster& cluster, const Job& job) {
  std::vector<Text> names;
  const Submitter who{.is_operator = false, .groups = {}, .account = job.account, .qos = job.qos};
  for (const Partition& p : *cluster.partitions)
    if (p.state == PartitionState::up && p.allow_groups.empty() && admits(p, who))
      names.push_back(p.name);
  return names;
}

// The users of jobs ahead; owners of jobs that are private are not named.
std::vector<std::pair<Text, std::uint32_t>> shown_ahead(
    const Visibility& visible, std::vector<std::pair<Text, std::uint32_t>> ahead, const Job& job) {
  if (visible.sees_jobs_of_all()) return ahead;
  std::erase_if(ahead, [&](const auto& one) { return one.first != job.spec->user_name; });
  return ahead;
}

wire::Explanation explanation_of(const Published& published, const Visibility& visible,
                                 const Job& job, Time now) {
  wire::Explanation told{.view = view_of(published, job)};
  if (job.state != JobState::pending) return told;
  const Cluster& cluster = published.cluster;
  told.because = sentence(published, visible, job, now);
  sched::Standing standing = sched::standing_of(cluster, job.id, now);
  told.position = standing.position;
  told.ahead = shown_ahead(visible, std::move(standing.ahead), job);
  sched::AlternativeOptions options;
  options.budget = sched::thorough_budget(cluster);
  if (visible.sees_partitions()) options.partitions = other_partitions(cluster, job);
  sched::Alternatives found = sched::alternatives_of(cluster, job.id, now, options);
  told.tried_all = found.tried_all;
  for (const sched::Alternative& a : found.sooner) told.sooner.push_back({Text(a.change), a.start});
  return told;
}

}  // namespace

wire::Answer explain(const Published& published, const Viewer& viewer,
                     const wire::ExplainRequest& request, Time now) {
  const Visibility visible(published.cluster, viewer);
  std::vector<const Job*> jobs = jobs_named(published.cluster, request.job);
  std::erase_if(jobs, [&](const Job* job) { return !visible.sees(*job); });
  if (jobs.empty()) return Error{ErrorCode::invalid_job_id, {}};
  wire::ExplainReply reply{.now = now};
  for (const Job* job : jobs) {
    if (reply.jobs.size() == kJobsExplained) {
      ++reply.left_out;
      continue;
    }
    reply.jobs.push_back(explanation_of(published, visible, *job, now));
  }
  return reply;
}

}  // namespace muster::controller
