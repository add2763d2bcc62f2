#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec/codec.h"
#include "controller/timekeeper.h"
#include "sim/machines.h"
#include "sim/network.h"
#include "sim/users.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::sim {

namespace {

class World final : public controller::Host {
 public:
  explicit World(const WorldOptions& options)
      : options_(options), config_(configured_for(options)), schedule_(options.seed) {}

  Verdict run() {
    for (const NodeConfig& node : config_.nodes)
      nodes_.push_back(std::make_unique<FakeNode>(
          schedule_, node.name, node.cpus,
          FakeNode::Callbacks{
              .report = [this](FakeNode& n, wire::ReportBatch b) { on_report(n, std::move(b)); },
              .started = [this](FakeNode& n, const wire::StepRef& r) { on_started(n, r); }}));
    start_controller();
    for (auto& node : nodes_) node->start_slurmd();
    keep_connecting();
    plan_submissions();
    if (options_.faults) plan_faults();
    if (options_.clock_faults) plan_clock_faults();
    Time calm = schedule_.now() + options_.troubled;
    schedule_.run_until(calm);
    calm_ = true;
    disk_.full = false;
    clock_ahead_ = Millis{0};
    for (auto& node : nodes_) {
      node->set_clock(Millis{0});
      if (!node->has_power()) node->restore_power();
      node->start_slurmd();
    }
    if (!core_) start_controller();
    come_to_rest(calm + options_.rest);
    check_rest();
    verdict_.batches = disk_.last();
    return std::move(verdict_);
  }

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
        check_state();
        maybe_snapshot();
      }
      core_->flush(current_time());
    });
  }
  void publish(controller::Published) override {}
  void account(accounting::AccountingPortion portion) override {
    if (options_.sabotage.accounting) options_.sabotage.accounting(portion);
    accounting_.account(std::move(portion));
    if (schedule_.chance(20)) accounting_.feed();
  }
  void reply(controller::ReplyTo to, wire::Answer answer) override {
    if (auto* submitted = std::get_if<wire::SubmitReply>(&answer)) {
      acknowledged_.insert(submitted->job);
      ++verdict_.jobs_acknowledged;
    }
    (void)to;
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
    // Mostly with few questions: then plans leave things out, as they do on large clusters.
    if (options_.seed % 4 != 0)
      budget.max_questions = std::min(budget.max_questions, std::uint64_t{400});
    auto plan = sched::plan(cluster, now, budget, plan_memory_);
    if (schedule_.chance(50)) {  // a short one: the daemon makes it at once
      core_->on_planned(std::move(plan), now);
      return core_->on_planner_idle();
    }
    schedule_.after(Millis{schedule_.between(0, 20)}, [this, life = life_, plan = std::move(plan)] {
      if (life != life_) return;
      core_->on_planned(plan, current_time());
      core_->on_planner_idle();
      core_->flush(current_time());
    });
  }
  std::string step_key(const Job&, StepId) override { return "key"; }
  std::vector<std::string> groups_of(Uid) override { return {}; }
  bool is_user(std::string_view) override { return true; }
  std::optional<std::vector<std::string>> users_of_group(std::string_view) override { return {}; }
  void run_program(controller::SiteProgramRun) override {}
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

  // --- clocks ---
  Timeline::Reading clocks() const {
    return {.wall = schedule_.now() + clock_ahead_, .steady = schedule_.now().time_since_epoch()};
  }
  Time current_time() const {
    return timekeeper_->at(clocks().steady);
  }  // as the controller has it

  // --- the controller ---
  void start_controller() {
    ++life_;
    timekeeper_ = std::make_unique<Timekeeper>(clocks());
    core_ = std::make_unique<controller::Core>(*this, controller::CoreOptions{});
    if (auto ok = core_->recover(disk_.load(), config_, current_time(), accounting_.last()); !ok) {
      broken("recovery failed: " + ok.error().text());
      core_.reset();
      return;
    }
    for (JobId id : acknowledged_)
      if (!core_->cluster().jobs.contains(id) && !purged_.contains(id))
        broken(fmt::format("acknowledged job {} is lost", id.value));
    core_->flush(current_time());
    tick(life_);
  }
  void tick(std::uint64_t life) {
    if (life != life_ || !core_) return;
    if (schedule_.now() < sleeps_until_)
      return schedule_.at(sleeps_until_, [this, life] { tick(life); });
    timekeeper_->tick(*core_, clocks());
    core_->flush(current_time());
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
    disk_.write_snapshot(core_->committed_batch(), encode_snapshot(core_->committed()));
  }

  // What the journal says is purged is not lost, even if the controller died before it knew.
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
      if (options_.clock_faults) check_run(entry->event);
    }
  }

  // --- the network ---
  void keep_connecting() {
    for (auto& node : nodes_)
      if (core_ && node->slurmd_runs() && !network_.link_of(*node)) knock(*node);
    schedule_.after(Millis{700}, [this] { keep_connecting(); });
  }
  // Munge refuses credentials whose time is that far off.
  void knock(FakeNode& node) {
    constexpr Seconds kCredentialLife{300};
    const Millis ahead = node.clock_ahead() - clock_ahead_;
    if (std::chrono::abs(ahead) <= kCredentialLife) return network_.connect(node);
    if (!network_.may_connect(node) || schedule_.now() < sleeps_until_) return;
    ++verdict_.refusals;
    core_->on_clock_difference(node.name(), std::chrono::floor<Seconds>(ahead), current_time());
    core_->flush(current_time());
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
    if (schedule_.now() < sleeps_until_)
      return schedule_.at(sleeps_until_,
                          [this, link, batch, life] { take_reports(link, batch, life); });
    for (const wire::Report& report : batch.reports) core_->on_report(link, report, current_time());
    core_->flush(current_time());
  }
  void break_link(FakeNode& node) { on_broken(network_.break_link(node)); }
  void on_broken(Link link) {
    if (!link) return;
    ++verdict_.broken_connections;
    if (!core_) return;
    core_->on_node_closed(link, current_time());
    core_->flush(current_time());
  }

  // --- users ---
  void plan_submissions() {
    for (std::uint32_t i = 0; i < options_.jobs; ++i)
      schedule_.after(Millis{schedule_.between(0, 600'000)}, [this] { submit(); });
    for (std::uint32_t i = 0; i < options_.jobs / 3; ++i)
      schedule_.after(Millis{schedule_.between(0, 800'000)}, [this] { interfere(); });
  }
  void submit() {
    if (core_) ask(some_submission(schedule_, options_.cpus, acknowledged_));
  }
  void interfere() {
    if (core_ && !acknowledged_.empty()) ask(some_interference(schedule_, acknowledged_));
  }
  void ask(wire::Request request) {
    core_->on_request({1, ++request_}, {}, std::move(request), current_time());
    core_->flush(current_time());
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
          node.set_clock(some_clock());
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
    break_link(node);
    node.lose_power();
    schedule_.after(Millis{schedule_.between(1000, 120'000)}, [&node] {
      if (!node.has_power()) node.restore_power();
      node.start_slurmd();
    });
  }
  void fill_disk() {
    disk_.full = true;
    schedule_.after(Millis{schedule_.between(100, 10'000)}, [this] { disk_.full = false; });
  }

  // Nothing of this may cost a job anything.
  void plan_clock_faults() {
    schedule_.after(Millis{schedule_.between(1000, 40'000)}, [this] {
      if (calm_) return;
      FakeNode& node = *nodes_[schedule_.below(nodes_.size())];
      switch (schedule_.below(4)) {
        case 0:
          set_controllers_clock();
          break;
        case 1:
          node.set_clock(some_clock());
          break;
        case 2:
          break_link(node);
          break;
        case 3:
          sleep_a_while();
          break;
      }
      plan_clock_faults();
    });
  }
  // At times for longer than SlurmdTimeout; between two sleeps it has the time for what is due.
  void sleep_a_while() {
    if (schedule_.now() < sleeps_until_ + Seconds{5}) return;
    sleeps_until_ = schedule_.now() + Millis{schedule_.between(1000, 90'000)};
  }
  // Beyond what munge puts up with. Where the controller is restarted as well, jobs have to wait
  // for as long as its clock was ahead.
  Millis some_clock() {
    return Minutes{options_.clock_faults ? 60 : 10} * schedule_.between(-1, 1);
  }
  void set_controllers_clock() {
    ++verdict_.clock_steps;
    clock_ahead_ = some_clock();
  }

  // Once nothing waits or runs any more, nothing else will happen.
  void come_to_rest(Time latest) {
    while (schedule_.now() < latest && !is_at_rest()) {
      release_held();
      schedule_.run_until(std::min(latest, schedule_.now() + Minutes{1}));
    }
  }
  // Jobs that a node could not launch wait for somebody to do so.
  void release_held() {
    if (!core_) return;
    wire::JobActionRequest request{.action = wire::JobAction::release};
    for (std::uint32_t id : core_->committed().pending.ids())
      if (core_->committed().jobs.at(JobId{id}).hold != Hold::none)
        request.jobs.push_back({.job = JobId{id}});
    if (!request.jobs.empty()) ask(std::move(request));
  }
  bool is_at_rest() const {
    if (!core_ || !core_->committed().pending.empty() || !core_->committed().active.empty())
      return false;
    return std::ranges::all_of(nodes_, [](const auto& node) { return node->processes().empty(); });
  }

  // --- checkers ---
  void check_state() {
    for (std::string& what : broken_invariants(core_->committed())) broken(std::move(what));
  }
  // By true time: no clock that was set, and no sleep, ends a job early or lets it run longer.
  void check_run(const Event& event) {
    constexpr Seconds kLate{120};  // the controller may have slept when its time was up
    if (auto* started = std::get_if<JobStarted>(&event)) run_since_[started->job] = schedule_.now();
    auto* ends = std::get_if<JobsEnding>(&event);
    if (!ends) return;
    if (ends->ending.becomes == JobState::node_fail)
      broken(fmt::format("job {} lost a node that was there", ends->jobs.text()));
    if (ends->ending.becomes != JobState::timeout) return;
    for (std::uint32_t id : ends->jobs.ids()) {
      const Job& job = core_->cluster().jobs.at(JobId{id});
      // Its time stood still as well, or that of another component was up.
      if (job.run->suspended_total != Millis{0} || job.is_het()) continue;
      ++verdict_.timeouts;
      const Millis ran = schedule_.now() - run_since_[JobId{id}];
      if (ran + Seconds{1} < job.time_limit || ran > job.time_limit + kLate)
        broken(fmt::format("job {} ran {} s of {} min", id, ran.count() / 1000,
                           job.time_limit.count()));
    }
  }
  // No two attempts of a job run on reachable nodes. Only a node whose connection broke since it
  // started an attempt may still hold it: it is told to end it at first contact.
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
    core_->committed().jobs.each([&](const Job& job) {
      if (!is_ended(job.state) || job.completing())
        broken(fmt::format("job {} never ended: {}{}", job.id.value, state_name(job.state),
                           job.completing() ? ", completing" : ""));
    });
    accounting_.feed();
    for (std::string& what : accounting_.contradictions(core_->committed()))
      broken(std::move(what));
    for (auto& node : nodes_)
      if (!node->processes().empty())
        broken(fmt::format("node {} still runs job {}", node->name().view(),
                           node->processes().begin()->job.value));
    Cluster replayed;
    StoredState stored = disk_.load();
    if (stored.snapshot_number)
      if (auto snapshot = decode_snapshot(stored.snapshot)) replayed = std::move(*snapshot);
    for (const auto& entry : stored.journal)
      for (const std::string& event : entry.events)
        if (auto decoded = decode<EventEntry>(event)) muster::apply(replayed, decoded->event);
    if (encode_snapshot(replayed) != encode_snapshot(core_->committed()))
      broken("the journal does not give the state that was published");
  }

  WorldOptions options_;
  ClusterConfig config_;
  Schedule schedule_;
  Network network_{schedule_};
  FakeDisk disk_;
  FakeAccounting accounting_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  sched::PlanMemory plan_memory_;
  using Timekeeper = controller::Timekeeper;
  std::unique_ptr<Timekeeper> timekeeper_;
  Millis clock_ahead_{0};  // the controller's, of the true time
  Time sleeps_until_;      // its process is stopped
  std::map<JobId, Time> run_since_;
  std::unique_ptr<controller::Core> core_;
  std::uint64_t life_ = 0;
  std::optional<Batch> in_writing_;
  bool calm_ = false;
  bool crashed_at_batch_ = false;
  std::uint64_t request_ = 0;
  std::set<JobId> acknowledged_, purged_;
  std::map<std::pair<FakeNode*, wire::StepRef>, Link>
      started_over_;  // the link at the start of a process
  Verdict verdict_;
};

}  // namespace

Verdict simulate(const WorldOptions& options) { return World(options).run(); }

}  // namespace muster::sim
