// Steps and allocations: what srun and salloc ask for.
#include <algorithm>
#include <numeric>

#include "base/hostlist.h"
#include "controller/core.h"
#include "controller/view.h"

namespace muster::controller {

namespace {

struct Slot {
  const NodeShare* share;
  std::uint32_t capacity;
  std::uint32_t tasks = 0;
};

Result<std::vector<Slot>> choose_slots(const Cluster& cluster, const Job& job,
                                       const wire::StepRequest& request,
                                       std::uint32_t cpus_per_task) {
  std::vector<std::string> wanted, excluded;
  for (auto [text, names] :
       {std::pair{&request.node_list, &wanted}, std::pair{&request.excluded_nodes, &excluded}}) {
    if (text->empty()) continue;
    auto expanded = expand_hostlist(*text);
    if (!expanded) return fail(ErrorCode::invalid_node_name);
    *names = std::move(*expanded);
  }
  auto lists = [](const std::vector<std::string>& names, const Text& name) {
    return std::find(names.begin(), names.end(), name.view()) != names.end();
  };
  std::vector<Slot> slots;
  for (const NodeShare& share : job.allocation) {
    const Text& name = cluster.nodes.at(share.node).config.name;
    if (!wanted.empty() && !lists(wanted, name)) continue;
    if (lists(excluded, name)) continue;
    slots.push_back(
        {&share, std::max<std::uint32_t>(
                     1, static_cast<std::uint32_t>(share.cpus.size()) / cpus_per_task)});
  }
  if (slots.empty() || (!wanted.empty() && slots.size() < wanted.size()))
    return fail(ErrorCode::requested_node_config_unavailable);
  return slots;
}

// Block layout: every node one task, then node after node is filled up.
Result<void> fill(std::vector<Slot>& slots, std::uint32_t tasks, std::uint32_t per_node) {
  for (Slot& slot : slots) {
    if (per_node) slot.capacity = std::min(slot.capacity, per_node);
    slot.tasks = 1;
  }
  std::uint32_t left = tasks - static_cast<std::uint32_t>(slots.size());
  for (Slot& slot : slots) {
    std::uint32_t n = std::min(left, slot.capacity - 1);
    slot.tasks += n;
    left -= n;
  }
  if (left > 0) return fail(ErrorCode::failure, "More processors requested than permitted");
  return {};
}

}  // namespace

std::optional<wire::Answer> Core::create_step(ReplyTo to, Caller caller, wire::StepRequest request,
                                              Time now) {
  const Job* job = cluster_.jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  if (job->state == JobState::pending) return Error{ErrorCode::job_pending, {}};
  if (is_ended(job->state) || job->ending) return Error{ErrorCode::already_done, {}};
  if (job->state == JobState::suspended) return Error{ErrorCode::job_suspended, {}};
  if (job->next_step >= cluster_.settings().max_step_count)
    return Error{ErrorCode::failure, "Step limit reached for this job"};
  if (job->spec->kind == JobKind::allocation) adopt(to.connection, job->id);

  std::uint32_t cpus_per_task =
      std::max(1u, request.cpus_per_task.value_or(job->spec->cpus_per_task.value_or(1)));
  auto slots = choose_slots(cluster_, *job, request, cpus_per_task);
  if (!slots) return slots.error();
  std::uint32_t per_node = request.ntasks_per_node.value_or(0);
  bool as_job = !request.num_tasks && !request.min_nodes && !per_node &&
                slots->size() == job->allocation.size();
  std::uint32_t own_tasks = 0;
  for (const Slot& slot : *slots) own_tasks += slot.share->tasks;
  if (request.num_tasks && *request.num_tasks == own_tasks &&
      slots->size() == job->allocation.size() && !per_node &&
      (!request.min_nodes || request.min_nodes == slots->size()))
    as_job = true;
  std::uint32_t tasks = 0;
  if (as_job) {
    for (Slot& slot : *slots) slot.tasks = slot.share->tasks, tasks += slot.tasks;
  } else {
    std::uint32_t nodes =
        request.min_nodes ? request.min_nodes : static_cast<std::uint32_t>(slots->size());
    if (nodes > slots->size()) return Error{ErrorCode::requested_node_config_unavailable, {}};
    tasks = request.num_tasks.value_or(nodes * std::max(1u, per_node));
    nodes = std::min(nodes, std::max(1u, tasks));
    slots->resize(nodes);
    if (auto ok = fill(*slots, tasks, per_node); !ok) return ok.error();
  }

  Step step;
  step.id = StepId{job->next_step};
  step.name = request.name;
  step.num_tasks = tasks;
  step.cpus_per_task = cpus_per_task;
  step.started = now;
  step.submit_line = request.submit_line;
  wire::StepReply reply{.step = step.id, .attempt = job->attempt, .num_tasks = tasks};
  std::uint32_t rank = 0;
  for (const Slot& slot : *slots) {
    StepNode place{.node = slot.share->node, .share = *slot.share};
    place.ranks.resize(slot.tasks);
    std::iota(place.ranks.begin(), place.ranks.end(), rank);
    rank += slot.tasks;
    const NodeConfig& node = cluster_.nodes.at(place.node).config;
    reply.places.push_back(
        {node.name, node.address.empty() ? node.name : node.address, node.port, place.ranks});
    step.unfinished.insert(place.node);
    step.nodes.push_back(std::move(place));
  }
  reply.key = host_.step_key(job->id, job->attempt, step.id);
  JobId id = job->id;
  touch_job(id);
  for (NodeId node : step.unfinished) touch_node(node);
  step_launches_[{id, step.id}] = std::move(request);
  record(StepCreated{.job = id, .step = std::move(step)});
  return reply;
}

wire::Answer Core::release(Caller caller, const wire::ReleaseRequest& request, Time now) {
  const Job* job = cluster_.jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  JobId id = job->id;
  std::erase_if(allocation_owners_, [&](const auto& entry) { return entry.second == id; });
  orphans_.erase(id);
  if (job->state == JobState::pending) {
    (void)end_job(*job, {.becomes = JobState::cancelled, .by = caller.uid, .since = now}, "", now);
    return wire::Done{};
  }
  if (is_ended(job->state) || job->ending) return wire::Done{};
  touch_job(id);
  const bool failed = request.exit_status != 0;
  const bool out_of_memory = failed && std::ranges::any_of(job->steps, [](const auto& entry) {
                               return entry.second.out_of_memory;
                             });
  constexpr std::uint32_t kOutOfMemoryStatus = 125;
  record(JobEnded{.job = id,
                  .state = out_of_memory ? JobState::out_of_memory
                           : failed      ? JobState::failed
                                         : JobState::completed,
                  .exit_status = out_of_memory ? kOutOfMemoryStatus : request.exit_status,
                  .derived_exit_status = job->derived_exit_status,
                  .at = now,
                  .reason = out_of_memory ? "OutOfMemory"
                            : failed      ? "NonZeroExitCode"
                                          : "None"});
  if (cluster_.settings().programs.epilog_slurmctld)
    run_program(SiteProgramRun::Which::epilog_slurmctld, cluster_.jobs.at(id));
  settle(id, now);
  return wire::Done{};
}

void Core::adopt(std::uint64_t connection, JobId job) {
  std::erase_if(allocation_owners_, [&](const auto& entry) { return entry.second == job; });
  allocation_owners_[connection] = job;
  orphans_.erase(job);
}

void Core::on_client_closed(std::uint64_t connection, Time now) {
  std::erase_if(waiters_, [&](const Waiter& w) { return w.to.connection == connection; });
  auto owned = allocation_owners_.find(connection);
  if (owned == allocation_owners_.end()) return;
  orphans_[owned->second] = now;
  allocation_owners_.erase(owned);
}

// An allocation whose srun has gone for good serves nobody.
void Core::end_orphans(Time now) {
  constexpr Seconds kPatience{20};
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    const Job* job = cluster_.jobs.find(at->first);
    bool over = !job || is_ended(job->state) || job->ending;
    if (!over && now - at->second < kPatience) {
      ++at;
      continue;
    }
    if (!over)
      (void)end_job(*job, {.becomes = JobState::cancelled, .by = job->spec->uid, .since = now}, "",
                    now);
    at = orphans_.erase(at);
  }
}

void Core::wait_job(ReplyTo to, const wire::WaitJobRequest& request) {
  waiters_.push_back({to, request.job, request.until_started});
  if (allocation_owners_.contains(to.connection) || orphans_.contains(request.job))
    adopt(to.connection, request.job);
  answer_waiters();
}

void Core::answer_waiters() {
  std::erase_if(waiters_, [&](const Waiter& w) {
    const Job* job = committed_.jobs.find(w.job);
    if (!job) {
      if (cluster_.jobs.contains(w.job)) return false;  // about to be committed
      host_.reply(w.to, Error{ErrorCode::invalid_job_id, {}});
      return true;
    }
    bool over = is_ended(job->state) && !job->completing();
    if (!over && !(w.until_started && job->state != JobState::pending)) return false;
    wire::JobsReply reply{.now = now_};
    reply.jobs.push_back(view_of({committed_, last_plan_, published_loads_, last_plan_at_}, *job));
    host_.reply(w.to, std::move(reply));
    return true;
  });
}

}  // namespace muster::controller
