// Finds a job's place in the queue, and tries out changed requests (Trials).
#include "sched/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "sched/gate/gate.h"
#include "sched/priority/priority.h"
#include "sched/queue.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

namespace {

constexpr std::size_t kAlternativesTold = 5;
constexpr Seconds kWorthTelling{60};

StartTarget first_target(const Cluster& cluster, const Job& job, Time now) {
  return {cluster.partition_of(job), reservation_choices(cluster, job, now).front()};
}

bool is_in_line(const Cluster& cluster, const Job& job, Time now) {
  return job.state == JobState::pending &&
         gate(cluster, job, first_target(cluster, job, now), now).reason == Reason::none;
}

// The job's own request keeps it out of the queue; a different request could be in line.
bool asks_too_much(const Cluster& cluster, const Job& job, Time now) {
  if (job.state != JobState::pending) return false;
  const Reason reason = gate(cluster, job, first_target(cluster, job, now), now).reason;
  return reason == Reason::partition_time_limit || reason == Reason::partition_node_limit ||
         reason == Reason::partition_down || reason == Reason::partition_inactive;
}

// The jobs in line ahead of this one, in order. A job with several partitions is listed once.
std::vector<JobId> jobs_ahead(const Cluster& cluster, JobId job, Time now) {
  std::vector<JobId> ahead;
  Queue queue;
  queue.update_to(cluster, Priorities(cluster, now), now, true);
  std::set<JobId> seen;
  queue.visit_in_order(cluster, [&](const Queue::Entry& entry) {
    if (entry.job == job) return false;
    if (seen.insert(entry.job).second && is_in_line(cluster, cluster.jobs.at(entry.job), now))
      ahead.push_back(entry.job);
    return true;
  });
  return ahead;
}

// One way to change the job's request.
struct Change {
  std::string words;
  std::function<void(Job&, JobSpec&)> make;
};

class Trials {
 public:
  Trials(const Cluster& cluster, JobId job, Time now, const AlternativeOptions& options)
      : cluster_(cluster), id_(job), now_(now), options_(options) {
    // Jobs behind this one do not affect its start, so the trials leave them out.
    IdSet planned;
    for (JobId id : jobs_ahead(cluster, job, now)) planned.insert(id.value);
    ahead_ = planned.size();
    for (const Job* component : cluster.components(cluster.jobs.at(job)))
      planned.insert(component->id.value);
    cluster_.pending = std::move(planned);
  }

  Alternatives run() {
    Alternatives found;
    if (ahead_ > options_.max_ahead) {
      found.tried_all = false;
      return found;
    }
    const std::optional<Time> as_it_is = start_of(cluster_).first;
    if (as_it_is == now_) return found;
    auto tell = [&](std::string words, std::optional<Time> start) {
      const bool told =
          std::ranges::find(found.sooner, words, &Alternative::change) != found.sooner.end();
      if (start && !told && (!as_it_is || *start + kWorthTelling <= *as_it_is))
        found.sooner.push_back({std::move(words), *start});
    };
    try_shorter(tell);
    for (const Change& change : changes()) {
      Cluster changed = cluster_;
      Job& job = changed.jobs.edit(id_);
      JobSpec spec = *job.spec;
      change.make(job, spec);
      job.spec = Cow(std::move(spec));
      tell(change.words, start_of(changed).first);
    }
    std::ranges::stable_sort(found.sooner, {}, &Alternative::start);
    if (found.sooner.size() > kAlternativesTold) found.sooner.resize(kAlternativesTold);
    return found;
  }

 private:
  // When the job starts. The time limit is only set if the job starts now.
  std::pair<std::optional<Time>, Minutes> start_of(const Cluster& cluster) const {
    const Plan plan = sched::plan(cluster, now_, options_.budget);
    for (const Start& start : plan.starts)
      if (start.job == id_) return {now_, start.time_limit};
    if (const Expected* expected = find_expected(plan, id_)) return {expected->at, {}};
    return {};
  }

  // With --time-min=1 the plan itself finds the longest run that fits ahead of the promised jobs.
  template <class Tell>
  void try_shorter(const Tell& tell) const {
    const Job& job = cluster_.jobs.at(id_);
    if (job.time_limit <= Minutes{1} || job.is_het()) return;
    Cluster changed = cluster_;
    Job& edited = changed.jobs.edit(id_);
    JobSpec spec = *edited.spec;
    spec.time_min = Minutes{1};
    edited.spec = Cow(std::move(spec));
    auto [start, limit] = start_of(changed);
    if (start == now_) tell("with --time=" + format_limit(rounded_down(limit)), start);
  }
  static Minutes rounded_down(Minutes limit) {
    for (Minutes unit : {Minutes{60}, Minutes{10}})
      if (limit >= 3 * unit) return limit / unit * unit;
    return limit;
  }

  std::vector<Change> changes() const {
    std::vector<Change> all;
    const Job& job = cluster_.jobs.at(id_);
    add_within_partition(job, all);
    add_smaller(*job.spec, all);
    add_less_choosy(*job.spec, all);
    for (const Text& name : options_.partitions) {
      if (has_name(job.partitions, name)) continue;
      all.push_back(
          {"in partition " + name.str(), [name](Job& j, JobSpec&) { j.partitions = name; }});
    }
    return all;
  }

  // Lowers time limit and node count to the partition's maximum.
  void add_within_partition(const Job& job, std::vector<Change>& all) const {
    const Partition* partition = cluster_.partition_of(job);
    if (partition && partition->max_time && job.time_limit > *partition->max_time)
      all.push_back({"with --time=" + format_limit(*partition->max_time),
                     [most = *partition->max_time](Job& j, JobSpec&) { j.time_limit = most; }});
    if (partition && partition->max_nodes && job.spec->min_nodes > *partition->max_nodes)
      all.push_back({fmt::format("with --nodes={}", *partition->max_nodes),
                     [most = *partition->max_nodes](Job&, JobSpec& s) {
                       s.min_nodes = most;
                       if (s.max_nodes) s.max_nodes = most;
                     }});
  }

  static void add_smaller(const JobSpec& spec, std::vector<Change>& all) {
    if (spec.nodes_given && spec.min_nodes > 1)
      all.push_back({fmt::format("with --nodes={}", spec.min_nodes - 1), [](Job&, JobSpec& s) {
                       --s.min_nodes;
                       if (s.max_nodes) s.max_nodes = std::max(s.min_nodes, s.max_nodes - 1);
                     }});
    add_half(spec.num_tasks, "ntasks", &JobSpec::num_tasks, all);
    add_half(spec.cpus_per_task, "cpus-per-task", &JobSpec::cpus_per_task, all);
    add_half_memory(spec.memory_per_node_mib, "mem", &JobSpec::memory_per_node_mib, all);
    add_half_memory(spec.memory_per_cpu_mib, "mem-per-cpu", &JobSpec::memory_per_cpu_mib, all);
    add_gpu_less(spec.gpus, "gpus", &JobSpec::gpus, all);
    add_gpu_less(spec.gpus_per_node, "gpus-per-node", &JobSpec::gpus_per_node, all);
    if (const GresRequests& asked = requests_in(spec.gres); asked.size() == 1)
      add_gres_less(asked.front(), all);
  }

  template <class Member>
  static void add_half(const std::optional<std::uint32_t>& value, std::string_view option,
                       Member member, std::vector<Change>& all) {
    if (!value || *value < 2) return;
    all.push_back({fmt::format("with --{}={}", option, *value / 2),
                   [member, half = *value / 2](Job&, JobSpec& s) { s.*member = half; }});
  }
  template <class Member>
  static void add_half_memory(const std::optional<std::uint64_t>& value, std::string_view option,
                              Member member, std::vector<Change>& all) {
    if (!value || *value < 2) return;
    all.push_back({fmt::format("with --{}={}M", option, *value / 2),
                   [member, half = *value / 2](Job&, JobSpec& s) { s.*member = half; }});
  }
  static std::string text_of(const GresRequest& g) {
    std::string text;
    for (const Text& part : {g.name, g.type})
      if (!part.empty()) text += part.str() + ":";
    return text + std::to_string(g.count);
  }
  template <class Member>
  static void add_gpu_less(const GpuList& value, std::string_view option, Member member,
                           std::vector<Change>& all) {
    const GresRequests& asked = requests_in(value);
    if (asked.size() != 1 || asked.front().count < 2) return;
    const std::string fewer =
        text_of({.name = {}, .type = asked.front().type, .count = asked.front().count - 1});
    all.push_back({fmt::format("with --{}={}", option, fewer),
                   [member, fewer](Job&, JobSpec& s) { s.*member = fewer; }});
  }
  static void add_gres_less(GresRequest asked, std::vector<Change>& all) {
    if (asked.count < 2) return;
    --asked.count;
    const std::string fewer = text_of(asked);
    all.push_back({"with --gres=" + fewer, [fewer](Job&, JobSpec& s) { s.gres = fewer; }});
  }

  static void add_less_choosy(const JobSpec& spec, std::vector<Change>& all) {
    if (!spec.required_nodes.empty())
      all.push_back({"without --nodelist", [](Job&, JobSpec& s) { s.required_nodes = {}; }});
    if (!spec.excluded_nodes.empty())
      all.push_back({"without --exclude", [](Job&, JobSpec& s) { s.excluded_nodes = {}; }});
    if (!spec.features.empty())
      all.push_back({"without --constraint", [](Job&, JobSpec& s) { s.features = {}; }});
    if (spec.exclusive)
      all.push_back({"without --exclusive", [](Job&, JobSpec& s) { s.exclusive = false; }});
    if (spec.contiguous)
      all.push_back({"without --contiguous", [](Job&, JobSpec& s) { s.contiguous = false; }});
    if (!spec.licenses.empty())
      all.push_back({"without --licenses", [](Job&, JobSpec& s) { s.licenses = {}; }});
  }

  Cluster cluster_;
  JobId id_;
  Time now_;
  const AlternativeOptions& options_;
  std::uint64_t ahead_ = 0;
};

}  // namespace

Standing standing_of(const Cluster& cluster, JobId job, Time now) {
  Standing standing;
  if (!is_in_line(cluster, cluster.jobs.at(job), now)) return standing;
  std::map<Text, std::uint32_t> users;
  const std::vector<JobId> ahead = jobs_ahead(cluster, job, now);
  for (JobId id : ahead) ++users[cluster.jobs.at(id).spec->user_name];
  standing.position = static_cast<std::uint32_t>(ahead.size()) + 1;
  standing.ahead.assign(users.begin(), users.end());
  std::ranges::stable_sort(standing.ahead, std::greater{}, [](const auto& u) { return u.second; });
  return standing;
}

Alternatives alternatives_of(const Cluster& cluster, JobId job, Time now,
                             const AlternativeOptions& options) {
  const Job& asked = cluster.jobs.at(job);
  if (!is_in_line(cluster, asked, now) && !asks_too_much(cluster, asked, now)) return {};
  return Trials(cluster, job, now, options).run();
}

}  // namespace muster::sched
