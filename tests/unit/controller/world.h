// The controller's core with a host in memory: commits happen at once, or when a test says so.
#pragma once

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "builders.h"
#include "controller/core.h"
#include "controller/memory_host.h"
#include "model/accounts/accounting_record.h"
#include "state/invariants.h"

namespace muster::controller::test {

class World {
 public:
  explicit World(ClusterConfig config, StoredState stored = {}) : config_(std::move(config)) {
    EXPECT_TRUE(core.recover(std::move(stored), config_, now));
    run();
  }
  // Nodes n1..nN are registered.
  explicit World(ClusterBuilder builder) : World(builder.config()) {
    for (std::size_t i = 1; i <= config_.nodes.size(); ++i) join(static_cast<std::uint32_t>(i));
    host.what.clear();
    host.commits.clear();
  }

  MemoryHost host;
  Core core{host, {.slurm_user = Uid{64030}}};
  Time now = t0;
  bool hold_commits = false;
  bool hold_plans = false;
  CommitOutcome outcome = CommitOutcome::committed;

  // Delivers everything that is under way.
  void run() {
    for (;;) {
      core.flush(now);
      if (host.commit_waits && !hold_commits) {
        host.commit_waits = false;
        core.on_committed(outcome);
        if (outcome == CommitOutcome::disk_full) return;
      } else if (host.to_plan && !hold_plans) {
        Cluster cluster = std::move(*host.to_plan);
        host.to_plan.reset();
        core.on_planned(sched::plan(cluster, now), now);
        core.on_planner_idle();
      } else {
        break;
      }
    }
    EXPECT_EQ(broken_invariants(core.cluster()), std::vector<std::string>{});
  }
  void finish_commit() {
    ASSERT_TRUE(host.commit_waits);
    host.commit_waits = false;
    core.on_committed(CommitOutcome::committed);
  }

  // Sends a request; returns its number, which is the key of the reply.
  std::uint64_t ask(wire::Request request, Uid uid = kAlice, std::uint64_t connection = 1) {
    core.on_request({connection, ++requests_}, {uid, Gid{100}}, std::move(request), now);
    return requests_;
  }
  wire::Answer answer(wire::Request request, Uid uid = kAlice, std::uint64_t connection = 1) {
    std::uint64_t number = ask(std::move(request), uid, connection);
    run();
    auto found = host.replies.find(number);
    return found == host.replies.end() ? wire::Answer(Error{ErrorCode::failure, "no reply"})
                                       : found->second;
  }
  wire::Answer try_submit(JobRequest spec, Uid uid = kAlice) {
    return answer(wire::SubmitRequest{.spec = Cow(std::move(spec))}, uid);
  }
  std::uint32_t submit(JobRequest spec, Uid uid = kAlice) {
    wire::Answer a = try_submit(std::move(spec), uid);
    if (auto* reply = std::get_if<wire::SubmitReply>(&a)) return reply->job.value;
    ADD_FAILURE() << "refused: " << std::get<Error>(a).text();
    return 0;
  }
  static wire::CancelRequest cancel_of(std::uint32_t id) {
    return {.jobs = {{.job = JobId{id}}}, .filter = std::nullopt};
  }
  wire::CancelReply cancel(std::uint32_t id, Uid uid = kAlice) {
    return std::get<wire::CancelReply>(answer(cancel_of(id), uid));
  }
  wire::CancelReply act(wire::JobAction action, std::uint32_t id, Uid uid = kAlice) {
    wire::JobActionRequest request{.action = action, .jobs = {{.job = JobId{id}}}, .name = {}};
    return std::get<wire::CancelReply>(answer(std::move(request), uid));
  }
  // The first error of an update, or no_error.
  ErrorCode update(std::uint32_t id, std::string key, std::string value, Uid uid = kAlice) {
    wire::UpdateRequest request{.settings = {{"JobId", std::to_string(id)}, {key, value}}};
    wire::Answer a = answer(std::move(request), uid);
    if (auto* error = std::get_if<Error>(&a)) return error->code;
    const auto& reply = std::get<wire::CancelReply>(a);
    return reply.errors.empty() ? ErrorCode{} : reply.errors[0].second.code;
  }

  NodeFacts facts(std::uint32_t node, Text boot = "boot") const {
    const NodeConfig& c = config_.nodes[node - 1];
    return {.boot_id = boot, .cpus = c.cpus, .memory_mib = c.memory_mib};
  }
  static NodeConnection connection(std::uint32_t node) { return 100 + node; }
  void join(std::uint32_t node, std::vector<wire::StepRef> running = {},
            std::vector<wire::StepEnd> ended = {}, Text boot = "boot") {
    wire::RegisterReport report{.name = config_.nodes[node - 1].name,
                                .facts = facts(node, boot),
                                .running = std::move(running),
                                .ended = std::move(ended)};
    heard_.insert(node);
    core.on_report(connection(node), std::move(report), now);
    run();
  }
  void leave(std::uint32_t node) {
    heard_.erase(node);
    core.on_node_closed(connection(node), now);
    run();
  }
  void step_end(std::uint32_t node, wire::StepRef ref, std::uint32_t status = 0, bool oom = false) {
    wire::StepEnd end{.ref = ref, .exit_status = status, .out_of_memory = oom};
    core.on_report(connection(node), wire::StepEndReport{std::move(end)}, now);
    run();
  }
  void gone(std::uint32_t node, std::uint32_t id, std::uint32_t attempt = 1) {
    core.on_report(connection(node), wire::JobGoneReport{JobId{id}, Attempt{attempt}}, now);
    run();
  }
  // The node stays connected and falls silent, until heard() is called.
  void hang(std::uint32_t node) { heard_.erase(node); }
  void hear(std::uint32_t node) {
    heard_.insert(node);
    core.on_report(connection(node), wire::HeartbeatReport{}, now);
    run();
  }
  void pass(Millis span) {
    now += span;
    for (std::uint32_t node : heard_)
      core.on_report(connection(node), wire::HeartbeatReport{}, now);
    core.on_tick(now);
    run();
  }

  const Job& job(std::uint32_t id) const { return core.cluster().jobs.at(JobId{id}); }
  const Node& node(std::uint32_t id) const { return core.cluster().nodes.at(NodeId{id}); }

  // Orders of one kind since the last call for it, with their nodes.
  template <class T>
  std::vector<std::pair<std::uint32_t, T>> take() {
    std::vector<std::pair<std::uint32_t, T>> found;
    for (auto& [to, order] : host.orders)
      if (auto* o = std::get_if<T>(&order.order))
        found.emplace_back(static_cast<std::uint32_t>(to - 100), *o);
    std::erase_if(host.orders,
                  [](const auto& o) { return std::holds_alternative<T>(o.second.order); });
    return found;
  }

  // All rows that were sent to accounting, the latest for each key.
  std::map<std::pair<std::uint32_t, std::uint32_t>, JobRecord> job_rows() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, JobRecord> rows;
    for (const accounting::AccountingDelta& delta : host.deltas)
      for (const AccountingRecord& record : delta.records())
        if (auto* row = std::get_if<JobRecord>(&record))
          rows.insert_or_assign({row->job.value, row->attempt.value}, *row);
    return rows;
  }
  std::vector<StepRecord> step_rows() const {
    std::vector<StepRecord> rows;
    for (const accounting::AccountingDelta& delta : host.deltas)
      for (const AccountingRecord& record : delta.records())
        if (auto* row = std::get_if<StepRecord>(&record)) rows.push_back(*row);
    return rows;
  }
  // The events of one kind in the last batch.
  template <class T>
  std::vector<T> committed_events() const {
    std::vector<T> found;
    for (const Batch& batch : host.commits)
      for (const std::string& bytes : batch.events)
        if (auto entry = decode<EventEntry>(bytes))
          if (auto* e = std::get_if<T>(&entry->event)) found.push_back(*e);
    return found;
  }

 private:
  ClusterConfig config_;
  std::uint64_t requests_ = 0;
  std::set<std::uint32_t> heard_;  // nodes that send heartbeats
};

inline wire::StepRef batch_of(std::uint32_t id, std::uint32_t attempt = 1) {
  return {JobId{id}, Attempt{attempt}, kBatchStep};
}

}  // namespace muster::controller::test
