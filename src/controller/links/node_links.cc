// Keeps the sessions of nodes, and sends their orders. orders.cc decides which orders a node needs.
#include "controller/links/node_links.h"

#include <algorithm>

#include "controller/nodes/health.h"

namespace muster::controller {

NodeLinks::Session* NodeLinks::find(NodeId node) {
  auto found = sessions_.find(node);
  return found == sessions_.end() ? nullptr : &found->second;
}

const NodeLinks::Session* NodeLinks::find(NodeId node) const {
  auto found = sessions_.find(node);
  return found == sessions_.end() ? nullptr : &found->second;
}

std::optional<NodeId> NodeLinks::node_of(NodeConnection connection) const {
  auto found = connections_.find(connection);
  return found == connections_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<NodeConnection> NodeLinks::connections() const {
  std::vector<NodeConnection> all;
  for (const auto& [node, session] : sessions_) all.push_back(session.connection);
  return all;
}

void NodeLinks::open(NodeId node, NodeConnection from, const NodeLoad& load) {
  Session& session = sessions_[node];
  if (session.connection && session.connection != from)
    ledger_.log_error("node " + ledger_.node(node).config.name.str() +
                      " registers over a second connection: the first one counts no more");
  connections_[from] = node;  // first: close() finds the session by it
  if (session.connection && session.connection != from) connections_.erase(session.connection);
  session = Session{.connection = from};
  session.health_round = health_round(ledger_.settings().health_check, node, ledger_.now());
  last_refusal_.erase(node);
  loads_[node] = load;
}

// The node has SlurmdTimeout to come back; its steps run on.
void NodeLinks::close(NodeConnection from) {
  auto connection = connections_.find(from);
  if (connection == connections_.end()) return;
  const Session* session = find(connection->second);
  if (session && session->connection == from) sessions_.erase(connection->second);
  connections_.erase(connection);
}

void NodeLinks::forget(NodeId node) {
  if (const Session* session = find(node)) {
    connections_.erase(session->connection);
    sessions_.erase(node);
  }
  loads_.erase(node);
}

void NodeLinks::forget_nodes_gone_from_configuration() {
  std::erase_if(sessions_,
                [&](const auto& entry) { return !ledger_.cluster().nodes.contains(entry.first); });
}

bool NodeLinks::knows(NodeId node, const wire::StepRef& step) const {
  const Session* session = find(node);
  return session && session->known.contains(step);
}

bool NodeLinks::runs(NodeId node, JobId job, Attempt attempt) const {
  const Session* session = find(node);
  return session && std::ranges::any_of(session->known, [&](const wire::StepRef& step) {
           return step.job == job && step.attempt == attempt;
         });
}

void NodeLinks::note_running(NodeId node, const wire::StepRef& step) {
  if (Session* session = find(node)) session->known.insert(step);
}

void NodeLinks::note_step_end(NodeId node, const wire::StepRef& step) {
  if (Session* session = find(node)) session->known.erase(step);
}

void NodeLinks::note_job_gone(NodeId node, JobId job, Attempt attempt) {
  Session* session = find(node);
  if (!session) return;
  session->ending.erase({job, attempt});
  session->prepared.erase({job, attempt});
  session->ready.erase({job, attempt});
}

void NodeLinks::on_prepared(NodeId node, const wire::PreparedReport& report) {
  sessions_.at(node).ready.insert({report.job, report.attempt});
  const Job* job = ledger_.cluster().jobs.find(report.job);
  if (!job || job->attempt != report.attempt || !is_ready_everywhere(*job)) return;
  if (auto batch = job->run->steps.find(kBatchStep); batch != job->run->steps.end())
    ledger_.touch(batch->second.nodes.front().node);
}

bool NodeLinks::is_ready_everywhere(const Job& job) const {
  return std::ranges::all_of(job.run->allocation, [&](const NodeShare& share) {
    const Session* session = find(share.node);
    return session && session->ready.contains({job.id, job.attempt});
  });
}

void NodeLinks::order_health_checks() {
  const HealthCheck& check = ledger_.settings().health_check;
  if (check.interval.count() == 0) return;
  auto round_of = [&](NodeId id) { return health_round(check, id, ledger_.now()); };
  for (const auto& [id, session] : sessions_)
    if (session.health_round != round_of(id) && wants_health_check(check, ledger_.node(id)))
      ledger_.order(id, wire::HealthCheckOrder{});
  for (auto& [id, session] : sessions_) session.health_round = round_of(id);
}

void NodeLinks::note_load(NodeId node, const wire::HeartbeatReport& report) {
  loads_[node].cpu_load = report.cpu_load;
  loads_[node].free_memory_mib = report.free_memory_mib;
}

Time NodeLinks::last_contact(NodeId node) {
  Time& last = loads_[node].last_contact;
  if (!is_set(last)) last = ledger_.now();
  return last;
}

bool NodeLinks::is_refused(NodeId node) const {
  constexpr Seconds kSomeTries{30};
  auto last = last_refusal_.find(node);
  return last != last_refusal_.end() &&
         ledger_.now() - last->second < std::max(ledger_.settings().slurmd_timeout, kSomeTries);
}

void NodeLinks::on_clock_step(Millis by) {
  for (auto& [id, load] : loads_)
    if (is_set(load.last_contact)) load.last_contact += by;
  for (auto& [id, last] : last_refusal_) last += by;
  for (auto& [id, session] : sessions_)
    session.health_round = health_round(ledger_.settings().health_check, id, ledger_.now());
}

// During the standstill nobody could reach the controller, so no node counts as silent.
void NodeLinks::on_standstill(Millis span) {
  const Time now = ledger_.now();
  for (auto& [id, load] : loads_)
    if (is_set(load.last_contact)) load.last_contact = std::min(load.last_contact + span, now);
  for (auto& [id, last] : last_refusal_) last = std::min(last + span, now);
}

}  // namespace muster::controller
