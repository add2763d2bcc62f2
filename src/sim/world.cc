// The simulated world: the controller's host, faults and checkers.
#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/hostlist.h"
#include "controller/timekeeper.h"
#include "sim/checks.h"
#include "sim/clients.h"
#include "sim/faulty_clock.h"
#include "sim/machines.h"
#include "sim/network.h"
#include "sim/run_times.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::sim {

namespace {

using Machines = std::vector<std::unique_ptr<FakeNode>>;

FakeNode* machine(const Machines& machines, std::string_view name) {
  auto found = std::ranges::find(machines, name, [](const auto& m) { return m->name().view(); });
  return found == machines.end() ? nullptr : found->get();
}

void switch_on(FakeNode& node) {
  if (!node.has_power()) node.restore_power();
  node.start_slurmd();
}

// Unless power saving has switched it off, or is about to switch it on.
bool is_meant_to_run(const Cluster& cluster, const FakeNode& machine) {
  const Node* node = cluster.find_node(machine.name());
  if (!cluster.settings().power.saving) return node != nullptr;
  return node && node->power.phase == PowerPhase::on && !node->reboot.issued;
}

class World final : public controller::Host, public Clients::ControllerAccess {
 public:
  explicit World(const WorldOptions& options)
      : options_(options), config_(configured_for(options)), schedule_(options.seed) {}

  Verdict run() {
    for (const NodeConfig& node : config_.nodes)
      if (node.state != "FUTURE") nodes_.push_back(make_node(node));
    start_controller();
    for (auto& node : nodes_) node->start_slurmd();
    keep_connecting();
    clients_.plan_requests(config_);
    if (options_.faults) plan_faults();
    if (options_.clock_faults) plan_clock_faults();
    Time calm = schedule_.now() + options_.troubled;
    schedule_.run_until(calm);
    calm_ = true;
    clients_.calm_down();
    disk_.full = false;
    clock_.set_right();
    if (!core_) start_controller();
    for (auto& node : nodes_) {
      node->set_clock(Millis{0});
      if (core_ && is_meant_to_run(core_->committed(), *node)) switch_on(*node);
    }
    come_to_rest(calm + options_.rest);
    check_rest();
    verdict_.batches = disk_.last();
    verdict_.timeouts = run_times_.timeouts();
    return std::move(verdict_);
  }

  // --- Clients::ControllerAccess ---
  controller::Core* controller() override { return core_.get(); }
  Time controllers_time() const override { return timekeeper_->at(clock_.read().steady); }

  // --- controller::Host ---
  void commit(const Batch& batch) override {
    if (options_.crash_at_batch == batch.number && !crashed_at_batch_) {
      crashed_at_batch_ = true;
      if (schedule_.chance(50)) write(batch);
      schedule_.after(Millis{0}, [this] { crash_controller(); });
      return;
    }
    in_writing_ = batch;
    schedule_.after(Millis{schedule_.between(0, 3)}, [this, life = life_, batch] {
      if (life != life_) return;
      in_writing_.reset();
      if (disk_.full) {
        core_->on_committed(CommitOutcome::disk_full);
      } else {
        write(batch);
        for (const std::string& event : batch.events) note(event);
        core_->on_committed(CommitOutcome::committed);
        check_state(batch);
        maybe_snapshot();
      }
      core_->flush(controllers_time());
    });
  }
  void publish(controller::Published published) override { plan_ = std::move(published.plan); }
  void account(accounting::AccountingDelta delta) override {
    if (options_.sabotage.accounting) options_.sabotage.accounting(delta);
    accounting_.account(std::move(delta));
    if (schedule_.chance(20)) accounting_.feed();
  }
  void reply(controller::ReplyTo to, wire::Answer answer) override {
    clients_.on_reply(to, answer);
  }
  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders) override {
    wire::OrderBatch batch{.epoch = epoch};
    for (auto& o : orders) batch.orders.push_back(std::move(o.order));
    if (options_.sabotage.orders) options_.sabotage.orders(batch);
    network_.deliver(
        to, [this, to, batch = std::move(batch)] { network_.node_behind(to)->on_orders(batch); });
  }
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override {
    // Usually with few probes, so that plans leave out jobs as on large clusters.
    if (options_.seed % 4 != 0) budget.max_probes = std::min(budget.max_probes, std::uint64_t{400});
    auto plan = sched::plan(cluster, now, budget, planner_cache_);
    if (schedule_.chance(50)) {  // a short one: slurmctld makes it at once
      core_->on_planned(std::move(plan), now);
      return core_->on_planner_idle();
    }
    schedule_.after(Millis{schedule_.between(0, 20)}, [this, life = life_, plan = std::move(plan)] {
      if (life != life_) return;
      core_->on_planned(plan, controllers_time());
      core_->on_planner_idle();
      core_->flush(controllers_time());
    });
  }
  Secret step_key(const Job&, StepId) override { return "key"; }
  std::vector<std::string> groups_of(Uid) override { return {}; }
  bool is_user(std::string_view) override { return true; }
  std::optional<std::vector<std::string>> users_of_group(std::string_view) override { return {}; }
  void run_program(controller::SiteProgramRun run) override {
    ++verdict_.programs[run.which];
    if (run.which == SiteProgramKind::suspend || run.which == SiteProgramKind::resume)
      if (calm_ || schedule_.chance(85)) switch_machines(run);
    const bool hangs = !calm_ && schedule_.chance(4);  // until it is killed
    const bool succeeded = calm_ || (!hangs && schedule_.chance(92));
    const Millis takes = hangs ? Seconds{120} : Millis{schedule_.between(0, 6000)};
    schedule_.after(takes, [this, life = life_, run = std::move(run), succeeded] {
      if (life != life_ || !core_) return;
      core_->on_program_ended(run, succeeded, controllers_time());
      core_->flush(controllers_time());
    });
  }
  void log(std::string_view) override {}
  void log_error(std::string_view) override {}

 private:
  void broken(std::string what) {
    if (verdict_.broken.size() < 10)
      verdict_.broken.push_back(fmt::format("[seed {}, {} s] {}", options_.seed,
                                            unix_seconds(schedule_.now()) - 1'000'000'000, what));
  }
  void note(std::string_view bytes) {
    for (char c : bytes)
      verdict_.fingerprint = verdict_.fingerprint * 1099511628211u + static_cast<unsigned char>(c);
  }

  // --- the controller ---
  void start_controller() {
    ++life_;
    timekeeper_ = std::make_unique<Timekeeper>(clock_.read());
    core_ = std::make_unique<controller::Core>(*this, controller::Authority{});
    if (auto ok = core_->recover(disk_.load(), config_, controllers_time(), accounting_.last());
        !ok) {
      broken("recovery failed: " + ok.error().text());
      core_.reset();
      return;
    }
    for (JobId id : clients_.acknowledged())
      if (!core_->cluster().jobs.contains(id) && !purged_.contains(id))
        broken(fmt::format("acknowledged job {} is lost", id.value));
    core_->flush(controllers_time());
    tick(life_);
  }
  void tick(std::uint64_t life) {
    if (life != life_ || !core_) return;
    if (clock_.sleeps()) return schedule_.at(clock_.sleeps_until(), [this, life] { tick(life); });
    timekeeper_->tick(*core_, clock_.read());
    core_->flush(controllers_time());
    schedule_.after(Timekeeper::kTickEvery, [this, life] { tick(life); });
  }
  void crash_controller() {
    if (!core_) return;
    ++verdict_.crashes;
    if (in_writing_ && !disk_.full && schedule_.chance(50)) write(*in_writing_);
    in_writing_.reset();
    ++life_;
    core_.reset();
    accounting_.crash();
    network_.break_all();
    schedule_.after(Millis{schedule_.between(50, 20'000)}, [this] {
      if (!core_) start_controller();
    });
  }
  void maybe_snapshot() {
    if (!schedule_.chance(3)) return;
    accounting_.feed();
    disk_.write_snapshot(core_->ledger().committed_batch(), encode_snapshot(core_->committed()));
  }

  // Jobs that the journal says were purged are not lost, even if the controller crashed just then.
  void write(Batch batch) {
    if (options_.sabotage.disk) options_.sabotage.disk(batch);
    disk_.write(batch);
    for (const std::string& bytes : batch.events) {
      auto entry = decode<EventEntry>(bytes);
      if (!entry) {
        broken("an event that was just encoded cannot be decoded");
        continue;
      }
      if (auto* purged = std::get_if<JobsPurged>(&entry->event))
        for (const IdSet* gone : {&purged->jobs, &purged->remembered})
          for (std::uint32_t id : gone->ids()) purged_.insert(JobId{id});
      verdict_.events.insert(entry->event.index());
      if (!options_.clock_faults) continue;
      for (std::string& what : run_times_.check(entry->event, core_->cluster(), schedule_.now()))
        broken(std::move(what));
    }
  }

  // --- the network ---
  void keep_connecting() {
    for (auto& node : nodes_)
      if (core_ && node->slurmd_runs() && !network_.link_of(*node)) connect_or_refuse(*node);
    schedule_.after(Millis{700}, [this] { keep_connecting(); });
  }
  // munge refuses credentials whose time is too far off.
  void connect_or_refuse(FakeNode& node) {
    constexpr Seconds kCredentialLife{300};
    const Millis ahead = node.clock_ahead() - clock_.ahead();
    if (std::chrono::abs(ahead) <= kCredentialLife) return network_.connect(node);
    if (!network_.may_connect(node) || clock_.sleeps()) return;
    ++verdict_.refusals;
    core_->on_clock_difference(node.name(), std::chrono::floor<Seconds>(ahead), controllers_time());
    core_->flush(controllers_time());
  }
  void on_report(FakeNode& node, wire::ReportBatch batch) {
    const Link link = network_.link_of(node);
    if (!link) return;
    if (options_.sabotage.reports) options_.sabotage.reports(batch);
    network_.deliver(link,
                     [this, link, batch = std::move(batch)] { take_reports(link, batch, life_); });
  }
  void take_reports(Link link, const wire::ReportBatch& batch, std::uint64_t life) {
    if (!core_ || life != life_ || !network_.node_behind(link)) return;
    if (clock_.sleeps())
      return schedule_.at(clock_.sleeps_until(),
                          [this, link, batch, life] { take_reports(link, batch, life); });
    for (const wire::Report& report : batch.reports)
      core_->on_report(link, report, controllers_time());
    core_->flush(controllers_time());
  }
  void break_link(FakeNode& node) { on_broken(network_.break_link(node)); }
  void on_broken(Link link) {
    if (!link) return;
    ++verdict_.broken_connections;
    if (!core_) return;
    core_->on_node_closed(link, controllers_time());
    core_->flush(controllers_time());
  }

  // --- machines ---
  std::unique_ptr<FakeNode> make_node(const NodeConfig& node) {
    FakeNode::Behavior behavior;
    if (options_.is_rich())
      behavior.programs = {.prolog = config_.settings.programs.prolog,
                           .epilog = config_.settings.programs.epilog};
    return std::make_unique<FakeNode>(
        schedule_, node.name, node.cpus,
        FakeNode::Callbacks{
            .report = [this](FakeNode& n, wire::ReportBatch b) { on_report(n, std::move(b)); },
            .started = [this](FakeNode& n, const wire::StepRef& r) { on_started(n, r); },
            .reboot = [this](FakeNode& n) { switch_off_and_on(n); }},
        behavior);
  }
  void switch_off(FakeNode& node) {
    break_link(node);
    node.lose_power();
  }
  // While faults happen, some nodes stay off.
  void switch_off_and_on(FakeNode& node) {
    switch_off(node);
    if (!calm_ && schedule_.chance(10)) return;
    schedule_.after(Millis{schedule_.between(1000, 60'000)}, [&node] { switch_on(node); });
  }
  // The node's part of SuspendProgram and ResumeProgram.
  void switch_machines(const controller::SiteProgramRun& run) {
    const auto names = expand_hostlist(run.arguments.front());
    if (!names) return broken("a program was given no list of nodes");
    for (const std::string& name : *names) {
      FakeNode* node = machine(nodes_, name);
      if (!node) continue;
      schedule_.after(Millis{schedule_.between(0, 10'000)}, [this, node, which = run.which] {
        if (which == SiteProgramKind::suspend)
          switch_off(*node);
        else
          switch_off_and_on(*node);
      });
    }
  }

  // --- faults ---
  void plan_faults() {
    if (calm_) return;
    schedule_.after(Millis{schedule_.between(1000, 40'000)}, [this] {
      if (calm_) return;
      FakeNode& node = *nodes_[schedule_.below(nodes_.size())];
      switch (schedule_.below(8)) {
        case 0:
          crash_controller();
          break;
        case 1:
          break_link(node);
          break;
        case 2:
          on_broken(network_.cut_off(node, Millis{schedule_.between(1000, 150'000)}));
          break;
        case 3:
          restart_slurmd(node);
          break;
        case 4:
          power_cycle(node);
          break;
        case 5:
          fill_disk();
          break;
        case 6:
          set_controllers_clock();
          break;
        case 7:
          node.set_clock(clock_.some());
          break;
      }
      plan_faults();
    });
  }
  void restart_slurmd(FakeNode& node) {
    break_link(node);
    node.stop_slurmd();
    schedule_.after(Millis{schedule_.between(10, 90'000)}, [&node] { node.start_slurmd(); });
  }
  void power_cycle(FakeNode& node) {
    ++verdict_.node_losses;
    switch_off(node);
    schedule_.after(Millis{schedule_.between(1000, 120'000)}, [&node] { switch_on(node); });
  }
  void fill_disk() {
    disk_.full = true;
    schedule_.after(Millis{schedule_.between(100, 10'000)}, [this] { disk_.full = false; });
  }

  // None of these faults may cost a job anything.
  void plan_clock_faults() {
    schedule_.after(Millis{schedule_.between(1000, 40'000)}, [this] {
      if (calm_) return;
      FakeNode& node = *nodes_[schedule_.below(nodes_.size())];
      switch (schedule_.below(4)) {
        case 0:
          set_controllers_clock();
          break;
        case 1:
          node.set_clock(clock_.some());
          break;
        case 2:
          break_link(node);
          break;
        case 3:
          clock_.sleep_a_while();
          break;
      }
      plan_clock_faults();
    });
  }
  void set_controllers_clock() {
    ++verdict_.clock_steps;
    clock_.set();
  }

  // Once nothing waits or runs any more, nothing else will happen.
  void come_to_rest(Time latest) {
    while (schedule_.now() < latest && !is_at_rest()) {
      repair();
      schedule_.run_until(std::min(latest, schedule_.now() + Minutes{1}));
    }
  }
  // Releases jobs that a node could not launch, and resumes nodes.
  void repair() {
    if (!core_) return;
    clients_.repair();
    for (auto& node : nodes_)
      if (!node->slurmd_runs() && is_meant_to_run(core_->committed(), *node)) switch_on(*node);
  }
  bool is_at_rest() const {
    if (!core_ || !core_->committed().pending.empty() || !core_->committed().active.empty())
      return false;
    return std::ranges::all_of(nodes_, [](const auto& node) { return node->processes().empty(); });
  }

  // --- checkers ---
  void check_state(const Batch& batch) {
    for (std::string& what : broken_invariants(core_->committed()))
      broken(std::move(what) + ", after events" + kinds_of(batch));
  }
  // No two attempts of a job run on reachable nodes. Only a node that lost its connection after it
  // started an attempt may still hold it: at first contact it is told to end it.
  void on_started(FakeNode& node, const wire::StepRef& ref) {
    ++verdict_.starts;
    note(fmt::format("{}:{}.{}@{}", node.name().view(), ref.job.value, ref.attempt.value,
                     unix_seconds(schedule_.now())));
    started_over_[{&node, ref}] = network_.link_of(node);
    for (auto& other : nodes_) {
      const Link link = network_.link_of(*other);
      if (!link) continue;
      for (const wire::StepRef& running : other->processes())
        if (running.job == ref.job && running.attempt != ref.attempt &&
            started_over_[{other.get(), running}] == link)
          broken(fmt::format("attempts {} and {} of job {} run at once", running.attempt.value,
                             ref.attempt.value, ref.job.value));
    }
  }
  void check_rest() {
    if (!core_) return broken("the controller is not up at the end");
    for (std::string& what : broken_invariants(core_->committed())) broken(std::move(what));
    for (std::string& what : jobs_not_ended(core_->committed(), plan_.get()))
      broken(std::move(what));
    accounting_.feed();
    for (std::string& what : accounting_.contradictions(core_->committed(), clients_.allocations()))
      broken(std::move(what));
    for (auto& node : nodes_)
      if (!node->processes().empty())
        broken(fmt::format("node {} still runs job {}", node->name().view(),
                           node->processes().begin()->job.value));
    if (!leads_to(disk_.load(), core_->committed()))
      broken("the journal does not give the state that was published");
  }

  WorldOptions options_;
  ClusterConfig config_;
  Schedule schedule_;
  Network network_{schedule_};
  FakeDisk disk_;
  FakeAccounting accounting_;
  Machines nodes_;
  sched::PlannerCache planner_cache_;
  using Timekeeper = controller::Timekeeper;
  std::unique_ptr<Timekeeper> timekeeper_;
  FaultyClock clock_{schedule_, Minutes{options_.clock_faults ? 60 : 10}};
  RunTimes run_times_;
  std::unique_ptr<controller::Core> core_;
  std::shared_ptr<const sched::Plan> plan_;  // the last one
  std::uint64_t life_ = 0;
  std::optional<Batch> in_writing_;
  bool calm_ = false;
  bool crashed_at_batch_ = false;
  std::set<JobId> purged_;
  std::map<std::pair<FakeNode*, wire::StepRef>, Link>
      started_over_;  // the link at the start of a process
  Verdict verdict_;
  Clients clients_{*this, options_, schedule_, verdict_};
};

}  // namespace

Verdict simulate(const WorldOptions& options) { return World(options).run(); }

}  // namespace muster::sim
