// A controller's core with clients and nodes around it that bear what a lack of memory does to
// them: a request that was refused is asked again, a connection that was closed is made again, and
// what the loop of the daemon would call again is called again.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/codec/codec.h"
#include "builders.h"
#include "controller/core.h"
#include "controller/memory_host.h"
#include "memory/scarce.h"
#include "sched/planner.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::controller::test {

using muster::test::Plenty;
using muster::test::Scarce;

// Each call may find no memory, and has done nothing then.
class ScarceHost final : public MemoryHost {
 public:
  std::multiset<std::string> answers;  // all but refusals for want of memory

  void commit(const Batch& batch) override {
    const Plenty plenty;
    MemoryHost::commit(batch);
  }
  void publish(Published p) override {
    const Plenty plenty = take();
    MemoryHost::publish(std::move(p));
  }
  void account(accounting::AccountingDelta delta) override {
    const Plenty plenty = take();
    MemoryHost::account(std::move(delta));
  }
  void reply(ReplyTo to, wire::Answer answer) override {
    const Plenty plenty = take();
    const auto* error = std::get_if<Error>(&answer);
    if (!error || error->code != ErrorCode::too_large)
      answers.insert(encode(wire::ReplyFrame{.answer = answer}));
    MemoryHost::reply(to, std::move(answer));
  }
  void send(NodeConnection to, Epoch epoch, std::vector<OutgoingOrder> list) override {
    const Plenty plenty = take();
    MemoryHost::send(to, epoch, std::move(list));
  }
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override {
    const Plenty plenty = take();
    MemoryHost::start_planning(std::move(cluster), now, budget);
  }
  Secret step_key(const Job& job, StepId step) override {
    const Plenty plenty = take();
    return MemoryHost::step_key(job, step);
  }
  void run_program(SiteProgramRun run) override {
    const Plenty plenty = take();
    MemoryHost::run_program(std::move(run));
  }
  void log_error(std::string_view line) override {
    const Plenty plenty;
    MemoryHost::log_error(line);
  }

 private:
  static Plenty take() {
    if (muster::test::refusals.refuses()) throw std::bad_alloc();
    return {};
  }
};

class Play {
 public:
  explicit Play(ClusterBuilder builder) : config_(builder.config()) {
    EXPECT_TRUE(core_.recover({}, config_, now));
    settle();
    for (std::uint32_t n = 1; n <= config_.nodes.size(); ++n) nodes_[n];
    for (auto& [number, node] : nodes_) join(number);
  }

  Time now = t0;
  ScarceHost host;

  // --- what happens; each with all that follows from it ---
  // Returns the number of the request, which is its connection's as well.
  std::uint64_t put(const wire::Request& request, Uid uid = kAlice) {
    for (;;) {
      ++number_;
      wire::Request copy = request;
      const bool is_taken = attempt(
          [&] { core_.on_request({number_, number_}, {uid, Gid{100}}, std::move(copy), now); });
      settle();
      const auto reply = host.replies.find(number_);
      const auto* error =
          reply == host.replies.end() ? nullptr : std::get_if<Error>(&reply->second);
      if (is_taken && !(error && error->code == ErrorCode::too_large)) return number_;
      client_leaves(number_);
    }
  }
  wire::Answer ask(const wire::Request& request, Uid uid = kAlice) {
    const std::uint64_t number = put(request, uid);
    return host.replies.contains(number) ? host.replies.at(number)
                                         : wire::Answer(Error{ErrorCode::failure, "no answer"});
  }
  std::uint32_t submit(JobRequest spec) {
    const auto answer = ask(wire::SubmitRequest{.spec = Cow(std::move(spec))});
    auto* reply = std::get_if<wire::SubmitReply>(&answer);
    EXPECT_NE(reply, nullptr);
    return reply ? reply->job.value : 0;
  }
  void client_leaves(std::uint64_t number) {
    EXPECT_TRUE(attempt([&] { core_.on_client_closed(number, now); }));
    settle();
  }
  void pass(Millis span) {
    now += span;
    for (auto& [number, node] : nodes_)
      if (node.connection && !node.hangs) report(number, wire::HeartbeatReport{});
    for (bool again = true; again;) {
      host.errors.clear();
      EXPECT_TRUE(attempt([&] { core_.on_tick(now); }));
      again = std::ranges::any_of(host.errors, [](const std::string& line) {
        return line.find("not enough memory") != line.npos;
      });
      settle();
    }
  }
  void step_ends(std::uint32_t number, wire::StepRef ref, std::uint32_t status = 0) {
    FakeNode& node = nodes_.at(number);
    node.running.erase(ref);
    node.ended[ref] = {.ref = ref, .exit_status = status};
    report(number, wire::StepEndReport{node.ended.at(ref)});
    settle();
  }
  void all_steps_end() {
    for (auto& [number, node] : nodes_)
      for (const wire::StepRef& ref : std::set(node.running)) step_ends(number, ref);
  }
  void hang(std::uint32_t number, bool hangs = true) { nodes_.at(number).hangs = hangs; }
  void leave(std::uint32_t number) {
    close(nodes_.at(number));
    settle();
  }
  void join(std::uint32_t number) {
    report(number, std::nullopt);
    settle();
  }
  void programs_end(bool succeeded = true) {
    for (const SiteProgramRun& run : std::exchange(host.programs, {}))
      until_it_happens([&] { core_.on_program_ended(run, succeeded, now); });
    settle();
  }
  void reconfigure(const std::function<void(ClusterConfig&)>& change) {
    change(config_);
    until_it_happens([&] { core_.reconfigure(config_, {}, now); });
    settle();
  }
  void clock_steps(Millis by) {
    now += by;
    until_it_happens([&] { core_.on_clock_step(by, now); });
    settle();
  }

  // --- what came of it ---
  const Cluster& cluster() const { return core_.cluster(); }
  // The state as the journal tells it.
  Cluster replayed() const {
    Cluster cluster;
    for (const Batch& batch : host.commits)
      for (const std::string& bytes : batch.events)
        muster::apply(cluster, decode<EventEntry>(bytes)->event);
    return cluster;
  }
  // Of all batches, the last of each key, as accounting keeps them.
  std::map<std::string, std::string> rows() const {
    std::map<std::string, std::string> rows;
    for (const accounting::AccountingDelta& delta : host.deltas)
      for (const AccountingRecord& record : delta.records())
        std::visit(
            [&]<class Row>(const Row& row) {
              if constexpr (requires { row.state_text; }) {  // of jobs and steps
                std::string key =
                    std::to_string(row.job.value) + "." + std::to_string(row.attempt.value);
                if constexpr (requires { row.step; }) key += "." + std::to_string(row.step.value);
                rows[key] = encode(row);
              }
            },
            record);
    return rows;
  }
  // Which steps were launched, on which node, how many times.
  const std::map<std::pair<std::uint32_t, wire::StepRef>, int>& launches() const {
    return launches_;
  }

 private:
  struct FakeNode {
    NodeConnection connection = 0;
    bool hangs = false;
    std::set<wire::StepRef> running;
    std::map<wire::StepRef, wire::StepEnd> ended;  // until that is confirmed
  };

  template <class Work>
  static bool attempt(Work&& work) {
    try {
      const Scarce scarce;
      work();
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  template <class Work>
  static void until_it_happens(Work&& work) {
    while (!attempt(work)) {
    }
  }
  void close(FakeNode& node) {
    const NodeConnection gone = std::exchange(node.connection, 0);
    EXPECT_TRUE(attempt([&] { core_.on_node_closed(gone, now); }));
  }
  // Hands over the report, or a registration where there is none. A connection that was closed is
  // made again.
  void report(std::uint32_t number, std::optional<wire::Report> report) {
    FakeNode& node = nodes_.at(number);
    for (;;) {
      const bool registers = !node.connection || !report;
      if (registers) node.connection = ++last_connection_;
      wire::Report sent = registers ? wire::Report(registration(number)) : *report;
      if (attempt([&] { core_.on_report(node.connection, std::move(sent), now); })) return;
      close(node);
    }
  }
  wire::RegisterReport registration(std::uint32_t number) const {
    const NodeConfig& config = config_.nodes[number - 1];
    const FakeNode& node = nodes_.at(number);
    wire::RegisterReport report{
        .name = config.name,
        .facts = {.boot_id = "boot", .cpus = config.cpus, .memory_mib = config.memory_mib},
        .running = {node.running.begin(), node.running.end()},
        .ended = {}};
    for (const auto& [ref, end] : node.ended) report.ended.push_back(end);
    return report;
  }

  // What the daemon's loop does until nothing is left to be done.
  void settle() {
    for (;;) {
      until_it_happens([&] { core_.flush(now); });
      if (std::exchange(host.commit_waits, false)) {
        (void)attempt([&] { core_.on_committed(CommitOutcome::committed); });  // flush() goes on
      } else if (host.to_plan) {
        sched::Plan plan = sched::plan(*std::exchange(host.to_plan, std::nullopt), now);
        EXPECT_TRUE(attempt([&] { core_.on_planned(std::move(plan), now); }));
        core_.on_planner_idle();
      } else if (!host.orders.empty()) {
        for (const auto& [connection, order] : std::exchange(host.orders, {}))
          for (auto& [number, node] : nodes_)
            if (node.connection == connection && !node.hangs)
              std::visit([&](const auto& o) { obey(number, node, o); }, order.order);
      } else {
        return;
      }
    }
  }
  void obey(std::uint32_t number, FakeNode& node, const wire::LaunchOrder& order) {
    ++launches_[{number, order.launch.ref}];
    node.running.insert(order.launch.ref);
  }
  void obey(std::uint32_t number, FakeNode& node, const wire::EndJobOrder& order) {
    for (const wire::StepRef& ref : std::set(node.running)) {
      if (ref.job != order.job || ref.attempt != order.attempt) continue;
      node.running.erase(ref);
      node.ended[ref] = {.ref = ref, .exit_status = 15};
      report(number, wire::StepEndReport{node.ended.at(ref)});
    }
    report(number, wire::JobGoneReport{order.job, order.attempt});
  }
  void obey(std::uint32_t, FakeNode& node, const wire::ConfirmOrder& order) {
    for (const wire::StepRef& ref : order.steps) node.ended.erase(ref);
  }
  template <class Other>
  void obey(std::uint32_t, FakeNode&, const Other&) {}

  ClusterConfig config_;
  Core core_{host, {.slurm_user = Uid{64030}}};
  std::map<std::uint32_t, FakeNode> nodes_;
  NodeConnection last_connection_ = 1'000'000;
  std::uint64_t number_ = 0;  // of requests, and of their connections
  std::map<std::pair<std::uint32_t, wire::StepRef>, int> launches_;
};

}  // namespace muster::controller::test
