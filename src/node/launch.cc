// Launches each step once: a repeated order is answered with what is known about the step.
#include "node/agent.h"
#include "wire/step_setup.h"

namespace muster {

void NodeAgent::on_order(const wire::LaunchOrder& order, Time now) {
  const wire::StepRef& ref = order.launch.ref;
  if (running_.contains(ref) || held_back_.contains(ref)) return;
  if (auto known = ended_.find(ref); known != ended_.end()) return report_end(known->second, now);

  if (ending_.contains({ref.job, ref.attempt}))
    return fail_launch(order.launch, "the job is being ended on this node", now);
  if (options_.only_user && *options_.only_user != order.launch.uid)
    return fail_launch(order.launch,
                       "slurmd does not run as root and can run its own user's jobs only", now);

  // Two attempts of a job never run at the same time: the older one is ended first.
  bool older_runs = false;
  for (auto i = running_.lower_bound({ref.job, Attempt{0}, StepId{0}});
       i != running_.end() && i->first.job == ref.job && i->first.attempt < ref.attempt; ++i) {
    host_.signal(i->first, 9, SignalScope::everything);
    older_runs = true;
  }
  if (older_runs) {
    held_back_.emplace(ref, order.launch);
    return;
  }
  launch(order.launch, now);
}

void NodeAgent::launch(const wire::StepLaunch& launch, Time now) {
  const AttemptRef attempt{launch.ref.job, launch.ref.attempt};
  const bool holds_prolog = options_.programs.in_job && launch.ref.step == kExternStep;
  const Progress prolog =
      preparations_.prepare(attempt, launch.prolog_environment, options_.programs);
  if (prolog == Progress::failed && !holds_prolog)
    return fail_launch(launch, "Job prolog failed", now, {.prolog_failed = true});
  Progress ready = holds_prolog ? Progress::succeeded : prolog;
  if (ready == Progress::succeeded) ready = preparations_.initialize(launch, options_.programs);
  if (ready == Progress::failed) {
    fail_launch(launch, "InitScript failed", now);
  } else if (ready == Progress::runs || suspended_.contains(attempt)) {
    held_back_.emplace(launch.ref, launch);
    return;
  } else {
    start(launch, now);
  }
  if (holds_prolog) preparations_.run_prolog_in_job(attempt);
}

void NodeAgent::start(const wire::StepLaunch& launch, Time now) {
  if (Result<void> spawned = host_.spawn(launch); !spawned) {
    const Error& why = spawned.error();
    const bool is_full = why.code == ErrorCode::state_storage_full;
    return fail_launch(launch, is_full ? why.detail : why.text(), now,
                       {.node_fault = is_full ? kSpoolIsFull : std::string_view()});
  }
  running_.emplace(launch.ref, std::nullopt);

  std::erase_if(attaches_, [&](const WaitingAttach& attach) {
    if (attach.step != launch.ref) return false;
    host_.hand_over(attach.id, launch.ref);
    return true;
  });
}

void NodeAgent::start_launches_waiting_for(JobId job, Time now) {
  auto first = held_back_.lower_bound({job, Attempt{0}, StepId{0}});
  if (first == held_back_.end() || first->first.job != job) return;
  auto older = running_.lower_bound({job, Attempt{0}, StepId{0}});
  if (older != running_.end() && older->first.job == job &&
      older->first.attempt < first->first.attempt)
    return;

  const Attempt attempt = first->first.attempt;
  std::vector<wire::StepLaunch> waiting;
  while (first != held_back_.end() && first->first.job == job && first->first.attempt == attempt) {
    waiting.push_back(std::move(first->second));
    first = held_back_.erase(first);
  }
  for (const wire::StepLaunch& each : waiting) launch(each, now);
}

void NodeAgent::fail_launch(const wire::StepLaunch& launch, std::string why, Time now,
                            LaunchFault fault) {
  host_.log_error("step " + std::to_string(launch.ref.job.value) + " not launched: " + why);
  wire::StepEnd end{.ref = launch.ref,
                    .exit_status = kLaunchFailedStatus,
                    .exit_by_rank = {},
                    .out_of_memory = false,
                    .launch_failed = true,
                    .failure = why,
                    .started = now,
                    .ended = now,
                    .usage = {},
                    .prolog_failed = fault.prolog_failed,
                    .not_begun = true,
                    .node_fault = fault.node_fault};
  Ended& ended = ended_.insert_or_assign(launch.ref, Ended{std::move(end), now}).first->second;
  report_end(ended, now);
  std::erase_if(attaches_, [&](const WaitingAttach& attach) {
    if (attach.step != launch.ref) return false;
    host_.refuse(attach.id, why);
    return true;
  });
}

}  // namespace muster
