// A step on many nodes: counts its messages, and measures the core's time.
#include "sim/wide_step.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/codec/codec.h"
#include "controller/core.h"
#include "sim/fake_node.h"
#include "sim/schedule.h"

namespace muster::sim {

namespace {

constexpr Uid kUser{1000};

ClusterConfig make_config(const WideStepOptions& options) {
  ClusterConfig config;
  config.settings.cluster_name = "wide";
  std::vector<Text> names;
  for (std::uint32_t i = 1; i <= options.nodes; ++i) {
    NodeConfig node;
    node.name = "n" + std::to_string(i);
    node.cpus = node.cores_per_socket = options.tasks_per_node;
    node.memory_mib = 16000;
    names.push_back(node.name);
    config.nodes.push_back(std::move(node));
  }
  config.partitions.push_back({.name = "batch", .is_default = true});
  config.partition_nodes = {names};
  return config;
}

// Without faults, and with a disk that takes no time.
class WideCluster final : public controller::Host {
 public:
  explicit WideCluster(const WideStepOptions& options) : options_(options) {
    CHECK(core_.recover({}, make_config(options), schedule_.now()));
    for (std::uint32_t i = 1; i <= options.nodes; ++i) add_node(i);
    run_until_quiet();
  }

  WideStepReport run() {
    ask(allocation_request());
    report_ = {};
    auto began = Clock::now();
    ask(step_request());
    report_.launch_took = since(began);
    const std::size_t launches = report_.order_messages;
    const std::size_t launch_bytes = report_.order_bytes;
    report_.report_messages = 0;
    began = Clock::now();
    schedule_.run_until(schedule_.now() + Seconds{2});  // meanwhile all nodes end their parts
    run_until_quiet();
    report_.end_took = since(began);
    report_.order_messages = launches;
    report_.order_bytes = launch_bytes;
    const Job& job = core_.cluster().jobs.at(JobId{1});
    CHECK(job.run->steps.empty() && job.run->next_step == 1);
    return report_;
  }

  // --- controller::Host ---
  void commit(const Batch&) override {
    ++report_.commits;
    committing_ = true;
  }
  void publish(controller::Published) override {}
  void account(accounting::AccountingDelta) override {}
  void reply(controller::ReplyTo, wire::Answer answer) override {
    if (auto* error = std::get_if<Error>(&answer)) CHECK(false, error->text().c_str());
  }
  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders) override {
    wire::OrderBatch batch{.epoch = epoch};
    for (auto& order : orders) batch.orders.push_back(std::move(order.order));
    std::string bytes = encode(batch);
    ++report_.order_messages;
    report_.order_bytes += bytes.size();
    inboxes_.emplace_back(to, std::move(bytes));
  }
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override {
    plan_ = sched::plan(cluster, now, budget);
  }
  Secret step_key(const Job&, StepId) override { return std::string(64, 'k'); }
  std::vector<std::string> groups_of(Uid) override { return {}; }
  bool is_user(std::string_view) override { return true; }
  std::optional<std::vector<std::string>> users_of_group(std::string_view) override { return {}; }
  void run_program(controller::SiteProgramRun) override {}
  void log(std::string_view) override {}
  void log_error(std::string_view) override { ++report_.failed_nodes; }

 private:
  using Clock = std::chrono::steady_clock;
  static std::chrono::microseconds since(Clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  }

  void add_node(std::uint32_t number) {
    nodes_.push_back(std::make_unique<FakeNode>(
        schedule_, "n" + std::to_string(number), options_.tasks_per_node,
        FakeNode::Callbacks{
            .report =
                [this, number](FakeNode&, wire::ReportBatch batch) {
                  ++report_.report_messages;
                  for (wire::Report& report : batch.reports)
                    core_.on_report(number, std::move(report), schedule_.now());
                },
            .started = [this](FakeNode&,
                              const wire::StepRef&) { report_.tasks += options_.tasks_per_node; }},
        FakeNode::Behavior{.failing_launches_percent = 0,
                           .failing_steps_percent = 0,
                           .shortest_step = Millis{1},
                           .longest_step = Millis{1000}}));
    nodes_.back()->start_slurmd();
    nodes_.back()->on_connected();
  }

  wire::SubmitRequest allocation_request() const {
    JobRequest spec;
    spec.kind = JobKind::allocation;
    spec.name = "wide";
    spec.uid = kUser;
    spec.min_nodes = options_.nodes;
    spec.num_tasks = options_.nodes * options_.tasks_per_node;
    return {.spec = Cow(std::move(spec))};
  }
  wire::StepRequest step_request() const {
    wire::StepRequest request{.job = JobId{1}, .name = "true"};
    request.num_tasks = options_.nodes * options_.tasks_per_node;
    request.task.argv = {"true"};
    request.environment = {"TEXT=" + std::string(options_.environment_bytes, 'x')};
    return request;
  }

  void ask(wire::Request request) {
    core_.on_request({1, ++requests_}, {kUser, Gid{100}}, std::move(request), schedule_.now());
    run_until_quiet();
  }
  // Until nothing is left to commit, plan or deliver.
  void run_until_quiet() {
    while (true) {
      core_.flush(schedule_.now());
      if (std::exchange(committing_, false)) {
        core_.on_committed(CommitOutcome::committed);
      } else if (plan_) {
        core_.on_planned(*std::exchange(plan_, std::nullopt), schedule_.now());
        core_.on_planner_idle();
      } else if (!inboxes_.empty()) {
        for (auto& [node, bytes] : std::exchange(inboxes_, {}))
          nodes_[node - 1]->on_orders(*decode<wire::OrderBatch>(bytes));
      } else {
        return;
      }
    }
  }

  WideStepOptions options_;
  Schedule schedule_{1};
  controller::Core core_{*this, {.slurm_user = Uid{0}}};
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  std::vector<std::pair<controller::NodeConnection, std::string>> inboxes_;
  std::optional<sched::Plan> plan_;
  bool committing_ = false;
  std::uint64_t requests_ = 0;
  WideStepReport report_;
};

}  // namespace

WideStepReport run_wide_step(const WideStepOptions& options) { return WideCluster(options).run(); }

}  // namespace muster::sim
