// A host in memory: everything that leaves the controller is recorded, and a test decides when a
// commit or a plan is done.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "builders.h"
#include "controller/ledger/host.h"

namespace muster::controller::test {

using namespace muster::test;

class MemoryHost : public Host {
 public:
  std::vector<Batch> commits;
  std::vector<accounting::AccountingDelta> deltas;
  std::map<std::uint64_t, wire::Answer> replies;  // by request
  std::vector<std::pair<NodeConnection, OutgoingOrder>> orders;
  std::vector<std::string> what;  // "commit 1", "reply 3", "send 101" in order
  std::optional<Cluster> to_plan;
  std::optional<Published> published;
  std::vector<std::string> errors, groups;
  bool commit_waits = false;  // a commit was requested and has not been answered

  void commit(const Batch& batch) override {
    what.push_back("commit " + std::to_string(batch.number));
    commits.push_back(batch);
    EXPECT_FALSE(commit_waits) << "one commit at a time";
    commit_waits = true;
  }
  void publish(Published p) override { published = std::move(p); }
  void account(accounting::AccountingDelta delta) override { deltas.push_back(std::move(delta)); }
  void reply(ReplyTo to, wire::Answer answer) override {
    what.push_back("reply " + std::to_string(to.request));
    replies.insert_or_assign(to.request, std::move(answer));
  }
  void send(NodeConnection to, Epoch, std::vector<OutgoingOrder> list) override {
    what.push_back("send " + std::to_string(to));
    for (OutgoingOrder& order : list) orders.emplace_back(to, std::move(order));
  }
  void start_planning(Cluster cluster, Time, sched::Budget) override {
    to_plan = std::move(cluster);
  }
  bool fails_at_step_key = false;  // as if there were no memory left
  Secret step_key(const Job&, StepId) override {
    if (fails_at_step_key) throw std::bad_alloc();
    return "key";
  }
  std::vector<std::string> groups_of(Uid) override { return groups; }
  bool is_user(std::string_view name) override { return name != "stranger"; }
  std::optional<std::vector<std::string>> users_of_group(std::string_view group) override {
    if (group != "crew") return std::nullopt;
    return std::vector<std::string>{"alice", "bob"};
  }
  void run_program(SiteProgramRun run) override { programs.push_back(std::move(run)); }
  std::vector<SiteProgramRun> programs;
  bool hold_aside = false;
  std::vector<std::function<void()>> aside;
  void run_aside(ReplyTo, Uid, std::function<wire::Answer()> work,
                 std::function<void(wire::Answer)> done) override {
    if (!hold_aside) return done(work());
    aside.push_back([work = std::move(work), done = std::move(done)] { done(work()); });
  }
  void log(std::string_view) override {}
  void log_error(std::string_view line) override { errors.emplace_back(line); }
};

}  // namespace muster::controller::test
