// Registration and heartbeats: tells the controller which node this is and what runs on it.
#include <algorithm>

#include "node/agent.h"

namespace muster {

NodeAgent::NodeAgent(NodeHost& host, NodeAgentOptions options)
    : host_(host), options_(std::move(options)) {}

void NodeAgent::on_found_running(const wire::StepRef& step) {
  running_.emplace(step, std::nullopt);
}

void NodeAgent::on_found_ended(wire::StepEnd end) {
  wire::StepRef ref = end.ref;
  ended_.insert_or_assign(ref, Ended{std::move(end), Time{}});
}

void NodeAgent::on_connected(Time now) {
  connected_ = true;
  outbox_.clear();  // the registration contains everything

  NodeVitals vitals = host_.vitals();
  wire::RegisterReport report{.name = options_.name,
                              .facts = host_.facts(),
                              .running = {},
                              .ended = {},
                              .cpu_load = vitals.cpu_load,
                              .free_memory_mib = vitals.free_memory_mib,
                              .dynamic = options_.dynamic};
  for (const auto& [step, kill_at] : running_) report.running.push_back(step);
  for (const auto& [step, launch] : held_back_) report.running.push_back(step);
  for (auto& [step, ended] : ended_) {
    report.ended.push_back(ended.end);
    ended.told = now;
  }
  outbox_.emplace_back(std::move(report));
  if (host_leaves_) outbox_.emplace_back(wire::LeavingReport{.host = true});
  next_heartbeat_ = now + options_.heartbeat_every;
}

void NodeAgent::on_disconnected() {
  connected_ = false;
  outbox_.clear();
  refuse_asks(Time::max());
}

void NodeAgent::on_leaving() {
  outbox_.emplace_back(wire::LeavingReport{});
  flush();
}

void NodeAgent::on_host_leaving(Time now) {
  if (!host_leaves_) host_leaves_ = now;
  outbox_.emplace_back(wire::LeavingReport{.host = true});
  flush();
}

bool NodeAgent::may_leave_with_host(Time now) const {
  constexpr Seconds kWithoutController{60};
  if (!host_leaves_) return false;
  if (!connected_ && now - *host_leaves_ >= kWithoutController) return true;
  return running_.empty() && held_back_.empty() && ended_.empty() && ending_.empty();
}

void NodeAgent::on_tick(Time now) {
  do_postponed(now);
  kill_overdue(now);

  for (std::size_t i = 0; i < attaches_.size();) {
    if (now < attaches_[i].until) {
      ++i;
      continue;
    }
    host_.refuse(attaches_[i].id, "no such step on this node");
    attaches_.erase(attaches_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  refuse_asks(now);
  if (!connected_) return;
  for (auto& [step, ended] : ended_)
    if (now - ended.told >= options_.repeat_ends_after) report_end(ended, now);
  if (now >= next_heartbeat_) {
    NodeVitals vitals = host_.vitals();
    outbox_.emplace_back(wire::HeartbeatReport{vitals.cpu_load, vitals.free_memory_mib});
    next_heartbeat_ = now + options_.heartbeat_every;
  }
}

Time NodeAgent::next_due() const {
  Time due = postponed_.empty() ? Time::max() : postponed_.begin()->first;
  for (const auto& [step, kill_at] : running_)
    if (kill_at) due = std::min(due, *kill_at);
  for (const WaitingAttach& attach : attaches_) due = std::min(due, attach.until);
  for (const auto& [ask, until] : asks_) due = std::min(due, until);
  if (!connected_) return due;
  for (const auto& [step, ended] : ended_)
    due = std::min(due, ended.told + options_.repeat_ends_after);
  return std::min(due, next_heartbeat_);
}

void NodeAgent::flush() {
  if (!connected_ || outbox_.empty()) return;
  wire::ReportBatch batch{.reports = std::move(outbox_)};
  outbox_.clear();
  host_.send(batch);
}

namespace {

// Orders to the machine as a whole.
void pass_on(NodeHost& host, const wire::ReconfigureOrder&) { host.reconfigure(); }
void pass_on(NodeHost& host, const wire::ShutdownOrder&) { host.shutdown(); }
void pass_on(NodeHost& host, const wire::HealthCheckOrder&) { host.check_health(); }
void pass_on(NodeHost& host, const wire::RebootOrder&) { host.reboot(); }

}  // namespace

void NodeAgent::on_orders(const wire::OrderBatch& batch, Time now) {
  if (batch.epoch < options_.epoch) {
    host_.log_error("orders of an earlier controller refused: epoch " +
                    std::to_string(batch.epoch.value) + " is below " +
                    std::to_string(options_.epoch.value));
    return;
  }
  if (batch.epoch > options_.epoch) {
    host_.store_epoch(batch.epoch);
    options_.epoch = batch.epoch;
  }
  for (const wire::Order& order : batch.orders)
    std::visit(
        [&](const auto& what) {
          if constexpr (requires { pass_on(host_, what); })
            pass_on(host_, what);
          else
            on_order(what, now);
        },
        order);
}

}  // namespace muster
