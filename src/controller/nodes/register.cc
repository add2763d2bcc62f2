// Nodes: registering, heartbeats, leaving, and what a node's inventory means for jobs.
#include <algorithm>

#include "controller/core.h"
#include "controller/nodes/health.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

struct Core::ReportHandler {
  Core& core;
  NodeId node;
  Time now;

  void operator()(const wire::HeartbeatReport& r) const {
    core.loads_[node].cpu_load = r.cpu_load;
    core.loads_[node].free_memory_mib = r.free_memory_mib;
    if (!core.cluster_.nodes.at(node).responding) core.return_to_service(node, now);
  }
  void operator()(const wire::StepEndReport& r) const { core.on_step_end(node, r.end, now); }
  void operator()(const wire::JobGoneReport& r) const { core.on_job_gone(node, r, now); }
  void operator()(const wire::PrologFailedReport& r) const {
    core.on_prolog_failed(node, r.job, r.attempt, now);
  }
  void operator()(const wire::PreparedReport& r) const { core.on_prepared(node, r); }
  void operator()(const wire::LeavingReport& r) const {
    if (r.host) core.on_host_leaving(node, now);
  }
  void operator()(const wire::RegisterReport&) const {}  // see on_report: the node is not known yet
};

void Core::on_report(NodeConnection from, wire::Report report, Time now) {
  now_ = now;
  if (auto* r = std::get_if<wire::RegisterReport>(&report)) return register_node(from, *r, now);
  auto connection = connections_.find(from);
  if (connection == connections_.end()) return;  // reports before registering are void
  const NodeId node = connection->second;
  loads_[node].last_contact = now;
  std::visit(ReportHandler{*this, node, now}, report);
}

// It was silent, and is heard again over the same connection.
void Core::return_to_service(NodeId id, Time now) {
  const Node& node = cluster_.nodes.at(id);
  auto change = on_registration(cluster_.settings(), node, node.facts, now);
  if (!change) return;
  record(*change);
  touch_node(id);
  want_plan();
}

void Core::on_node_closed(NodeConnection from, Time now) {
  now_ = now;
  auto connection = connections_.find(from);
  if (connection == connections_.end()) return;
  // The node is given SlurmdTimeout to come back; its steps run on.
  if (auto session = sessions_.find(connection->second);
      session != sessions_.end() && session->second.connection == from)
    sessions_.erase(session);
  connections_.erase(connection);
}

namespace {

bool is_host_name(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  return !name.empty() && name.size() <= kLongest && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

// What is wrong with who a node says it is; empty = nothing.
std::string_view fault_of(const wire::RegisterReport& report) {
  if (!is_host_name(report.name.view())) return "its name is not that of a host";
  if (report.dynamic && report.dynamic->name != report.name) return "it has two names";
  return {};
}

}  // namespace

void Core::register_node(NodeConnection from, const wire::RegisterReport& report, Time now) {
  if (std::string_view fault = fault_of(report); !fault.empty())
    return host_.log_error("a node's registration is refused: " + std::string(fault));
  if (report.dynamic && !cluster_.find_node(report.name))
    if (auto added = add_nodes({*report.dynamic}); !added)
      return host_.log_error("node " + report.name.str() + " is refused: " + added.error().text());
  const Node* node = cluster_.find_node(report.name);
  if (!node) {
    host_.log_error("node " + report.name.str() +
                    " is not in slurm.conf: its registration is ignored");
    return;
  }
  NodeId id = node->id;
  bool rebooted = !node->facts.boot_id.empty() && node->facts.boot_id != report.facts.boot_id;

  Session& session = sessions_[id];
  if (session.connection && session.connection != from)
    host_.log_error("node " + report.name.str() +
                    " registers over a second connection: the first one counts no more");
  if (session.connection) connections_.erase(session.connection);
  session = Session{.connection = from};
  session.health_round = health_round(cluster_.settings().health_check, id, now);
  connections_[from] = id;
  wrong_clocks_.erase(id);
  loads_[id] = {
      .cpu_load = report.cpu_load, .free_memory_mib = report.free_memory_mib, .last_contact = now};

  if (rebooted && !node->reboot.issued) lose_node(id, now, "it was rebooted");
  for (const wire::StepEnd& end : report.ended) on_step_end(id, end, now);
  for (const wire::StepRef& ref : report.running)
    if (!is_unallocated(ref.job)) session.known.insert(ref);
  settle_unknown_steps(id, now);

  // By the facts of before: they tell whether it was rebooted.
  auto change = on_registration(cluster_.settings(), cluster_.nodes.at(id), report.facts, now);
  if (cluster_.nodes.at(id).facts != report.facts)
    record(NodeRegistered{.node = id, .facts = report.facts, .at = now});
  if (change) {
    record(*change);
    want_plan();
  }
  const IdSet jobs = cluster_.nodes.at(id).jobs;
  for (std::uint32_t number : jobs.ids()) {
    launch_if_prepared(JobId{number}, now);
    warn_belatedly(id, JobId{number});
    const Job& job = cluster_.jobs.at(JobId{number});
    if (job.run->ending || !is_active(job.state)) continue;
    // What it may have missed while it was away; to steps that heard it this is nothing new.
    const bool has_own_signal =
        job.run->preemption && job.run->warned >= job.run->preemption->since;
    if (job.run->preemption && !has_own_signal)
      tell_to_save(job);
    else if (is_set(job.run->suspended_at) || job.run->suspended_total > Millis{0})
      order(id,
            wire::SuspendOrder{
                .job = job.id, .attempt = job.attempt, .resume = job.state != JobState::suspended});
  }
  touch_node(id);
}

// Numbered steps are launched from memory. One that neither the node nor this controller knows how
// to run any more (the controller was restarted between its creation and its launch) is over.
void Core::settle_unknown_steps(NodeId node, Time now) {
  Session& session = sessions_.at(node);
  std::vector<std::pair<JobId, StepId>> lost;
  for (std::uint32_t job_id : cluster_.nodes.at(node).jobs.ids()) {
    const Job& job = cluster_.jobs.at(JobId{job_id});
    for (const auto& [step_id, step] : job.run->steps)
      if (step_id != kBatchStep && step_id != kExternStep && step.unfinished.contains(node) &&
          !session.known.contains({job.id, job.attempt, step_id}) &&
          !step_launches_.contains({job.id, step_id}))
        lost.emplace_back(job.id, step_id);
  }
  for (auto [job, step] : lost) {
    record(StepNodeEnded{.job = job,
                         .attempt = cluster_.jobs.at(job).attempt,
                         .step = step,
                         .node = node,
                         .exit_status = 9,
                         .at = now});
    settle(job, now);
  }
}

// A node that is connected may be silent all the same: its slurmd, or all of it, hangs.
void Core::watch_nodes(Time now) {
  const Seconds timeout = cluster_.settings().slurmd_timeout;
  std::vector<NodeId> silent;
  cluster_.nodes.each([&](const Node& node) {
    // Of one that is down already only jobs that it should end are waited for.
    if ((node.health != NodeHealth::up && node.jobs.empty()) ||
        node.power.phase != PowerPhase::on || node.reboot.issued)
      return;
    auto [load, fresh] = loads_.try_emplace(node.id);
    if (fresh || !is_set(load->second.last_contact)) load->second.last_contact = now;
    if (now - load->second.last_contact >= timeout && timeout.count() > 0)
      silent.push_back(node.id);
  });
  for (NodeId id : silent) {
    const bool runs_on = knocks(id, now);
    if (cluster_.nodes.at(id).health == NodeHealth::up || !runs_on) set_down(id, now);
    if (!runs_on) lose_node(id, now, "it does not respond");
  }
}

void Core::set_down(NodeId id, Time now) {
  const Node& node = cluster_.nodes.at(id);
  host_.log_error("node " + node.config.name.str() + " not responding, setting DOWN");
  NodeChanged change = current(node);
  change.health = NodeHealth::down;
  change.responding = false;
  if (change.reason.empty()) {
    change.reason = kNotResponding;
    change.reason_uid = options_.slurm_user;
    change.reason_time = now;
  }
  record(change);
  want_plan();
}

}  // namespace muster::controller
