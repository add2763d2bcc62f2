// Submission: checks a request against the cluster and turns it into a job.
#include <algorithm>

#include "base/check.h"
#include "base/duration.h"
#include "base/hostlist.h"
#include "base/strings.h"
#include "controller/core.h"
#include "sched/dependency.h"
#include "sched/place.h"
#include "sched/request.h"

namespace muster::controller {

namespace {

// priority/basic: who comes first has the highest.
constexpr std::uint32_t kHighestPriority = 4294901760u;

struct ArrayRequest {
  IdSet tasks;
  std::uint32_t limit = 0;
};

Result<ArrayRequest> parse_array(std::string_view text, std::uint32_t max_size) {
  ArrayRequest array;
  if (auto percent = text.find('%'); percent != text.npos) {
    auto limit = parse_number<std::uint32_t>(text.substr(percent + 1));
    if (!limit) return fail(ErrorCode::invalid_array);
    array.limit = *limit;
    text = text.substr(0, percent);
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  auto tasks = IdSet::parse(text, max_size == 0 ? 0 : max_size - 1);
  if (!tasks || tasks->empty() || max_size == 0) return fail(ErrorCode::invalid_array);
  array.tasks = std::move(*tasks);
  return array;
}

Result<const Partition*> choose_partition(const Cluster& cluster, std::string_view asked) {
  if (asked.empty()) {
    const Partition* partition = cluster.default_partition();
    if (!partition) return fail(ErrorCode::no_default_partition);
    return partition;
  }
  auto names = split(asked, ',');
  if (names.size() > 1)
    return fail(ErrorCode::not_supported_yet, "--partition with several partitions");
  const Partition* partition = cluster.find_partition(names[0]);
  if (!partition) return fail(ErrorCode::invalid_partition, std::string(names[0]));
  return partition;
}

Minutes effective_limit(const JobSpec& spec, const Partition& partition) {
  if (spec.time_limit && spec.time_limit->count() > 0) return *spec.time_limit;
  if (partition.default_time) return *partition.default_time;
  return partition.max_time.value_or(kUnlimited);
}

}  // namespace

Result<Job> Core::accept(Caller caller, const wire::SubmitRequest& request, Time now,
                         std::vector<std::string>& warnings) {
  if (!request.spec) return fail(ErrorCode::failure, "the request holds no job");
  Job job;
  JobSpec spec = *request.spec;
  if (spec.nice < 0 && !is_operator(caller))
    return fail(ErrorCode::failure, "Invalid --nice value");
  // --priority is the operators'; 0 does not hold: that is what --hold is for.
  if (!is_operator(caller) || spec.priority == 0u) spec.priority.reset();
  if (!is_operator(caller) && spec.uid != caller.uid) return fail(ErrorCode::user_id_missing);
  if (cluster_.jobs.size() >= cluster_.settings().max_job_count)
    return fail(ErrorCode::too_many_jobs);
  auto partition = choose_partition(cluster_, spec.partition);
  if (!partition) return std::unexpected(partition.error());
  const Partition& p = **partition;
  if (p.root_only && !is_operator(caller)) return fail(ErrorCode::access_denied);
  if (p.state == PartitionState::drain || p.state == PartitionState::inactive)
    return fail(ErrorCode::failure, "Required partition not available (inactive or drain)");
  if (spec.begin != Time{} && spec.deadline != Time{} && spec.deadline < spec.begin)
    return fail(ErrorCode::failure, "Incorrect deadline specification");
  if (is_set(spec.deadline) && spec.deadline < now) return fail(ErrorCode::invalid_time_limit);
  if (!spec.array.empty()) {
    auto array = parse_array(spec.array, cluster_.settings().max_array_size);
    if (!array) return std::unexpected(array.error());
    job.waiting_tasks = std::move(array->tasks);
    job.task_limit = array->limit;
  }
  if (!spec.dependency.empty()) {
    auto dependencies = sched::parse_dependencies(spec.dependency);
    if (!dependencies) return std::unexpected(dependencies.error());
  }
  auto wanted = sched::make_request(cluster_, spec, p);
  if (!wanted) return std::unexpected(wanted.error());
  if (auto ok = sched::feasible(cluster_, *wanted, p); !ok) {
    if (ok.error().code == ErrorCode::insufficient_memory)
      warnings.push_back("Memory specification can not be satisfied");
    return fail(ErrorCode::requested_node_config_unavailable);
  }
  job.id = next_id();
  if (job.is_array_record()) job.array_id = job.id;
  job.partition = p.name;
  job.account = spec.account.empty() ? Text("root") : spec.account;
  job.qos = spec.qos.empty() ? Text("normal") : spec.qos;
  job.time_limit = effective_limit(spec, p);
  job.submitted = now;
  job.eligible = std::max(now, spec.begin);
  bool held = spec.hold || (spec.priority && *spec.priority == 0);
  job.hold = held ? Hold::user : Hold::none;
  job.priority =
      held
          ? 0
          : spec.priority.value_or(kHighestPriority - std::min(job.id.value, kHighestPriority - 1));
  job.spec = Cow(std::move(spec));
  return job;
}

wire::Answer Core::submit(Caller caller, const wire::SubmitRequest& request, Time now) {
  wire::SubmitReply reply;
  auto job = accept(caller, request, now, reply.warnings);
  if (!job) {
    Error error = job.error();
    if (error.code == ErrorCode::invalid_partition) {
      error.detail = "invalid partition specified: " + error.detail;
    } else if (!reply.warnings.empty()) {
      error.detail = reply.warnings.front();
    }
    return error;
  }
  if (request.test_only) return try_submission(std::move(*job), now);
  if (request.immediate) {
    wire::Answer tried = try_submission(*job, now);
    auto* when = std::get_if<wire::SubmitReply>(&tried);
    if (!when || when->would_start > now) return Error{ErrorCode::nodes_busy, {}};
  }
  reply.job = job->id;
  for (const auto& [hash, bytes] : {std::pair{job->spec->script_blob, request.script}})
    if (!hash.empty()) open_.blobs.emplace_back(hash.str(), bytes);
  if (!job->spec->environment_blob.empty()) {
    std::string joined;
    for (const std::string& entry : request.environment) joined.append(entry).push_back('\0');
    open_.blobs.emplace_back(job->spec->environment_blob.str(), std::move(joined));
  }
  touch_job(job->id);
  record(JobSubmitted{std::move(*job)});
  want_plan();
  return reply;
}

// When and where it would start: at once if the plan for the queue with it says so, else when the
// running jobs that are in its way have reached their limits.
wire::Answer Core::try_submission(Job job, Time now) {
  wire::SubmitReply reply{.job = job.id};
  const Partition& partition = *cluster_.find_partition(job.partition);
  auto request = sched::make_request(cluster_, *job.spec, partition);
  CHECK(request.has_value());
  auto nodes = sched::candidates(cluster_, *request, partition);
  std::map<NodeId, sched::Free> free;
  for (NodeId id : nodes)
    if (is_available(cluster_.nodes.at(id))) free[id] = sched::free_of(cluster_.nodes.at(id));
  std::vector<std::pair<Time, JobId>> ends{{now, JobId{}}};
  for (std::uint32_t id : cluster_.active.ids())
    ends.emplace_back(cluster_.jobs.at(JobId{id}).end_limit(), JobId{id});
  std::sort(ends.begin() + 1, ends.end());
  for (const auto& [end, id] : ends) {
    if (id)
      for (const NodeShare& share : cluster_.jobs.at(id).allocation)
        if (auto f = free.find(share.node); f != free.end()) {
          f->second.cpus.merge(share.cpus);
          f->second.memory_mib += share.memory_mib;
          for (const GresShare& back : share.gres)
            for (GresShare& g : f->second.gres)
              if (g.name == back.name && g.type == back.type) {
                g.count += back.count;
                g.indices.merge(back.indices);
              }
        }
    auto shares = sched::place(cluster_, *request, nodes, free);
    if (!shares) continue;
    reply.would_start = std::max(std::max(now, job.eligible), end);
    std::vector<std::string> names;
    for (const NodeShare& share : *shares) {
      names.push_back(cluster_.nodes.at(share.node).config.name.str());
      reply.cpus += static_cast<std::uint32_t>(share.cpus.size());
    }
    reply.nodes = compress_hostlist(names);
    reply.partition = partition.name;
    return reply;
  }
  return Error{ErrorCode::requested_node_config_unavailable, {}};
}

}  // namespace muster::controller
