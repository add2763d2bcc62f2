// Core: the controller's logic, on one thread and without locks. Handlers validate against the
// working state, apply events to it at once and append them to the open batch; replies, orders and
// the published snapshot of a batch leave only after its commit. One file per verb:
//   submit, cancel, job_action, update_*, step, step_queue, unallocated, register, complete,
//   schedule, preempt, turns, tick, usage, effects, site_programs, mail, health, power, reboot,
//   recover, clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "accounting/changes.h"
#include "controller/host.h"
#include "controller/nodes/power.h"
#include "controller/submit/partition_choice.h"
#include "controller/views/filter.h"
#include "controller/waiter_list.h"
#include "controller/watch_list.h"
#include "model/job/shared_parts.h"
#include "sched/place/free.h"
#include "sched/place/known_fits.h"
#include "state/event.h"

namespace muster::controller {

struct Caller {
  Uid uid;
  Gid gid;
};

struct CoreOptions {
  Uid slurm_user;  // may do what root may
  std::string server_host;
  bool embedded = false;  // one user owns everything
};

class Core {
 public:
  Core(Host& host, CoreOptions options) : host_(host), options_(std::move(options)) {}

  // --- life ---
  // `accounted`: the last batch that accounting knows.
  Result<void> recover(StoredState stored, const ClusterConfig& config, Time now,
                       BatchNumber accounted = 0);
  void reconfigure(const ClusterConfig& config, ReplyTo to, Time now);
  Result<void> can_reconfigure(const ClusterConfig& config) const;

  // --- what happens ---
  // One that would take more memory than there is changes nothing, and is told so.
  void on_request(ReplyTo to, Caller caller, wire::Request request, Time now);
  void on_client_closed(std::uint64_t connection, Time now);
  // Whether a client that says nothing waits for something, or keeps an allocation.
  bool serves(std::uint64_t connection) const;
  void on_report(NodeConnection from, wire::Report report, Time now);
  void on_node_closed(NodeConnection from, Time now);
  void on_committed(CommitOutcome outcome);
  void on_planned(sched::Plan plan, Time now);
  void on_planner_idle() { planning_ = false; }
  void on_program_ended(const SiteProgramRun& run, bool succeeded, Time now);
  void on_tick(Time now);                     // about once a second
  void on_clock_step(Millis by, Time now);    // the clock by which `now` is told was set
  void on_standstill(Millis span, Time now);  // this controller did nothing, and heard nobody
  // A node that munge does not let in: its clock differs from ours.
  void on_clock_difference(const Text& node, Seconds ahead, Time now);
  // Seals the open batch if nothing is being committed. The host calls it after each delivery.
  void flush(Time now);

  const Cluster& cluster() const { return cluster_; }
  const Cluster& committed() const { return committed_; }
  BatchNumber committed_batch() const {
    return in_flight_ && !in_flight_->batch.events.empty() ? next_batch_ - 2 : next_batch_ - 1;
  }
  std::vector<NodeConnection> node_connections() const;
  bool disk_full() const { return disk_full_; }

 private:
  struct Handler;        // gives each request to its verb
  struct ReportHandler;  // the same for reports of nodes
  void handle(ReplyTo to, Caller caller, wire::Request& request, Time now);

  // --- what readers see ---
  Published published() const {
    return {committed_, last_plan_, published_loads_, last_plan_at_, thorough_plan_};
  }

  // --- the open batch ---
  void record(Event event);
  bool waits_for_plan() const;
  void mail_for(const Event& event);
  void answer(ReplyTo to, wire::Answer a) { open_.replies.emplace_back(to, std::move(a)); }
  void touch_node(NodeId node) { open_.touched_nodes.insert(node); }
  void touch_nodes_of(const Job& job);
  // In the output of the script or step that gets the signal.
  static bool is_announced(int signal, bool to_script);
  void order(NodeId node, wire::Order o) { open_.orders.emplace_back(node, std::move(o)); }
  void want_plan() { plan_wanted_ = true; }
  struct OpenMark {  // how far the open batch had come
    std::size_t events, blobs, replies, orders, programs, patient_replies;
  };
  OpenMark mark() const;
  void undo_since(const OpenMark& mark) noexcept;  // where it cannot, a restart does it

  // --- verbs ---
  // Takes specification, script and environment out of the request.
  wire::Answer submit(Caller caller, wire::SubmitRequest& request, Time now);
  Result<void> fits_partition(const Job& job, const Partition& partition, const Submitter& who,
                              std::vector<std::string>& warnings);
  Submitter submitter_of(Caller caller, const JobSpec& spec, const Text& account, const Text& qos,
                         const std::vector<const Partition*>& named) const;
  Result<void> may_use_reservation(const JobSpec& spec, const Text& account) const;
  Result<Job> accept(Caller caller, JobRequest spec, Time now, std::vector<std::string>& warnings);
  Result<std::vector<Job>> accept_all(Caller caller, wire::SubmitRequest& request, Time now,
                                      std::vector<std::string>& warnings);
  static Error refusal(Error error, const std::vector<std::string>& warnings);
  bool fits_limits_of_partition(const Job& job) const;
  bool has_to_wait(const Job& job, Time now) const;
  void take_submission(ReplyTo to, Caller caller, wire::SubmitRequest& request, Time now);
  // Finds out where and when it would start before it is answered, or submitted.
  void try_submission(ReplyTo to, Caller caller, wire::SubmitRequest request, Time now,
                      int trials = 0);
  // Differs from what it was if anything has been recorded since.
  std::pair<BatchNumber, std::size_t> state_version() const {
    return {next_batch_, open_.events.size()};
  }
  Result<void> may_start_at_once(const Job& job, Time now) const;
  wire::Answer cancel(Caller caller, const wire::CancelRequest& request, Time now);
  std::uint32_t drop_waiting_tasks(Caller caller, wire::JobRef& ref,
                                   const std::optional<JobMatcher>& filter, Time now);
  void cancel_pending(const IdSet& jobs, Uid by, Time now);
  wire::Answer job_action(Caller caller, const wire::JobActionRequest& request, Time now);
  wire::Answer update(Caller caller, const wire::UpdateRequest& request, Time now);
  wire::Answer update_job(Caller caller, const wire::UpdateRequest& request, Time now);
  Result<void> change_job(Caller caller, const Job& job, const wire::UpdateRequest& request,
                          Time now);
  Result<Text> admitting_partitions(Caller caller, const JobUpdated& change) const;
  wire::Answer update_node(Caller caller, const wire::UpdateRequest& request, Time now);
  wire::Answer create_nodes(const wire::UpdateRequest& request);
  wire::Answer claim_node(const wire::ClaimNodeRequest& request);
  wire::Answer delete_nodes(const wire::UpdateRequest& request);
  wire::Answer update_partition(const wire::UpdateRequest& request, Time now);
  wire::Answer update_step(Caller caller, const wire::UpdateRequest& request);
  wire::Answer update_reservation(const wire::UpdateRequest& request, Time now);
  // No answer yet where the step has to wait.
  std::optional<wire::Answer> create_step(ReplyTo to, Caller caller, wire::StepRequest request,
                                          Time now);
  // `number`: the one that it was queued with; else the next.
  Result<wire::StepReply> start_step(Caller caller, wire::StepRequest& request,
                                     std::optional<StepId> number, Time now);
  wire::Answer queue_step(Caller caller, wire::StepRequest request, Time now);
  wire::Answer run_unallocated(Caller caller, const wire::StepRequest& request, Time now);
  Result<std::vector<const Node*>> unallocated_nodes(Caller caller,
                                                     const wire::StepRequest& request) const;
  Result<void> has_room_to_wait(const wire::StepRequest& request) const;
  bool is_queued(JobId job, StepId step) const;
  Result<void> cancel_queued_step(const Job& job, StepId step);
  Result<void> recover_queued_steps();
  Result<Step> place_step(Caller caller, const wire::StepRequest& request,
                          const std::set<NodeId>& taken, Time now) const;
  Result<std::vector<Step>> place_parts(Caller caller, std::vector<wire::StepRequest*>& requests,
                                        Time now) const;
  StepId next_step_id(const Job& job) const;
  Result<std::uint32_t> meeting_port(NodeId node, JobId job, StepId step) const;
  Result<IdSet> reserve_ports(const Step& step, JobId job,
                              std::optional<std::uint32_t> asked) const;
  Result<void> can_take_steps(Caller caller, JobId job) const;
  wire::Answer find_step(Caller caller, const wire::AttachStepRequest& request) const;
  void add_places(const Job& job, const Step& step, wire::StepReply& reply) const;
  void start_waiting_steps(Time now);
  void keep_first_step(ReplyTo to, Caller caller, wire::StepRequest request, JobId job);
  void start_first_step(JobId job, Time now);
  void end_impatient_steps(Time now);
  void enforce_step_limits(Time now);
  void end_step(const Job& job, const Step& step, Seconds kill_wait,
                std::string_view message_suffix, bool from_inside = false);
  wire::Answer release(Caller caller, const wire::ReleaseRequest& request, Time now);
  void wait_job(ReplyTo to, Caller caller, const wire::WaitJobRequest& request);
  void answer_waiters(JobId job);
  void answer_waiters_of(const IdSet& changed);  // jobs
  bool is_answered(const Waiter& waiter);
  void adopt(std::uint64_t connection, JobId job);
  void disown(JobId job);
  void end_orphans(Time now);

  Result<void> end_job(const Job& job, Ending ending, std::string_view pending_reason, Time now);
  enum class Requeue : std::uint8_t { plain, held, special_exit };
  Result<void> requeue(Caller caller, const Job& job, Requeue how, JobId asking_job, Time now);
  static bool runs_in(const Job& job, JobId asking);
  Result<void> hold(Caller caller, const Job& job, Hold kind);
  Result<void> suspend(Caller caller, const Job& job, bool resume, Time now);
  Result<void> notify(Caller caller, const Job& job, const Text& message);
  Result<void> move_to_top(Caller caller, const Job& job, Time now);
  Result<void> signal_job(const Job& job, const wire::CancelRequest& request,
                          std::optional<StepId> step);
  void signal_step(const Job& job, const Step& step, int signal);

  // --- selection ---
  bool is_operator(Caller caller) const;
  Hold own_hold(Caller caller) const { return is_operator(caller) ? Hold::admin : Hold::user; }
  bool may_change(Caller caller, const Job& job) const;
  Result<std::vector<JobId>> resolve(
      Caller caller, const wire::JobRef& ref);  // splits waiting tasks that are named
  JobId split_task(const Job& record, std::uint32_t task);
  Result<void> may_split(Caller caller, JobId array, const IdSet& tasks) const;
  JobId next_id() const { return cluster_.next_job_id; }

  // --- runs and their ends ---
  void start_job(const sched::Start& start, Time now);
  Text why_it_waited(JobId job) const;
  void evict(const sched::Eviction& eviction, Time now);
  void give_notice(JobId job, const Preemption& preemption);
  void tell_to_save(const Job& job);
  void warn(JobId job, Time now);
  void warn_on(NodeId node, JobId job);
  void warn_belatedly(NodeId node, JobId job);  // where it was away when the others heard it
  void end_preempted(JobId job, Time now);
  std::optional<Ending> ends_as(const Job& job, Time now) const;
  static Seconds pause_before_next_run(const Job& job, Time now);
  bool still_fit(std::span<const sched::Start> starts) const;
  void start_all_or_none(std::span<const sched::Start> starts, Time now);
  bool is_left_by_reservations(const sched::Start& start, const NodeShare& share) const;
  sched::Free free_for(const sched::Start& start, const Node& node, const NodeShare& share) const;
  void take_turns(Time now);
  void pause(JobId job, Time now);  // until its turn comes
  void set_suspended(JobId job, bool suspended, bool by_turn, Time now);
  void on_step_end(NodeId node, const wire::StepEnd& end, Time now);
  void on_job_gone(NodeId node, const wire::JobGoneReport& report, Time now);
  void on_prolog_failed(NodeId node, JobId job, Attempt attempt, Time now);
  void put_back_held(const Job& job, JobState otherwise, bool requeue, Time now);
  void drain_for_program(NodeId node, std::string_view reason, Time now);
  void forget_launch_if_over(JobId job, StepId step);
  void release_node(JobId job, NodeId node);
  void release_nodes(JobId job, const std::vector<NodeId>& nodes, Time now);
  // A running job goes on with so many of its nodes. What it runs on the others is killed.
  void shrink(JobId job, std::size_t keeps, Time now);
  void create_extern_step(JobId job, Time now);
  void run_program(SiteProgramRun::Which which, const Job& job);
  void run_owed_epilogs();
  void mail_once(JobId job, std::uint32_t types, Time now);
  void mail_begin_of_array(const Job& task, Time now);
  void mail_time_limits(Time now);
  void settle(JobId job, Time now);  // ends, releases and requeues what is over
  void settle_components(JobId job, Time now);
  enum class Reach : std::uint8_t { job, all_components };  // of a heterogeneous job
  void order_end(JobId job, const Ending& ending, Reach reach);
  void end_other_components(JobId leader, Time now);
  void put_back_components(JobId job, Time now);
  bool ends_alone(const Job& job) const;
  void put_back(const Ending& ending, const Job& job, Time now);
  void record_end(JobEnded end);
  void finish(const Job& job, Time now);
  void try_elsewhere(const Job& job, Time now);  // its node, now drained, could not launch it
  bool may_requeue(const Job& job) const;
  void launch_if_prepared(JobId job, Time now);
  void lose_node(NodeId node, Time now, std::string_view why);
  void drop_from_node(const Job& job, NodeId node, std::uint32_t status, Time now);

  // --- nodes ---
  void register_node(NodeConnection from, const wire::RegisterReport& report, Time now);
  void return_to_service(NodeId node, Time now);
  void settle_unknown_steps(NodeId node, Time now);
  struct Session {
    NodeConnection connection = 0;
    std::set<wire::StepRef> known;                 // told to run there, or reported as running
    std::set<std::pair<JobId, Attempt>> ending;    // told to end
    std::set<std::pair<JobId, Attempt>> prepared;  // told to run the Prolog
    std::set<std::pair<JobId, Attempt>> ready;     // ... and said that it has succeeded
    std::int64_t health_round = 0;                 // of HealthCheckInterval: the last one told
  };
  void send_effects(const Cluster& committed, const std::set<NodeId>& nodes);
  std::vector<OutgoingOrder> orders_for(const Cluster& committed, const Node& node,
                                        Session& session);
  void add_launches(const Cluster& committed, const Job& job, const Node& node, Session& session,
                    std::vector<OutgoingOrder>& orders);
  void on_prepared(NodeId node, const wire::PreparedReport& report);
  bool is_ready_everywhere(const Job& job) const;

  // --- time ---
  void enforce_limits(Time now);
  void end_over_limits(Time now);
  void time_out(JobId job, std::string_view why, Time now);
  void count_usage(Time now);
  void count_usage_if_due(Time now);
  void reset_usage_if_told(Time now);
  bool over_time_is_up(const Job& job, Time limit, Time now) const;
  void end_graces(Time now);
  void turn_reservations(Time now);
  void turn_reservation(const Reservation& reservation, Time now);
  void begin_reservation(const Reservation& reservation, Time now);
  void end_reservation(const Reservation& reservation);
  void run_reservation_program(SiteProgramRun::Which which, const Reservation& reservation);
  bool clear_reservation(const Reservation& reservation, Time now);
  void release_waiting_jobs(const Reservation& gone);
  bool is_idle_reservation(const Reservation& reservation, Time now);
  bool is_reservation_used(const Text& name) const;
  Result<void> check_holders(Reservation& reservation);
  wire::Answer remove_reservation(const Reservation& reservation);
  void watch_nodes(Time now);
  bool knocks(NodeId node, Time now) const;
  void set_down(NodeId node, Time now);
  void check_health(Time now);
  void turn_power(Time now);
  void end_power_phases(const PowerRules& rules, Time now);
  void set_power(NodeId node, PowerPhase phase, Time now);
  void power_down(const std::vector<NodeId>& nodes, Time now);
  void power_up(const std::vector<NodeId>& nodes, Time now);
  void run_power_program(SiteProgramRun::Which which, const std::vector<NodeId>& nodes);
  void power_up_for(const Job& job, Time now);
  bool is_wanted(const Node& node) const;
  void power_down_if_left_idle(const Job& job, const std::vector<NodeId>& nodes);
  std::string names_of(const std::vector<NodeId>& nodes) const;
  void power_up_again(const std::vector<NodeId>& nodes, Time now);
  enum class Leave : std::uint8_t { all, with_grace };  // those whose partition or QOS has one
  void clear_node(NodeId node, Leave who, Time now);
  void on_host_leaving(NodeId node, Time now);
  Result<std::vector<NodeId>> named_nodes(const wire::UpdateRequest& request) const;
  void change_node(const NodeChanged& change, Time now);
  void issue_reboots(Time now);
  void issue_reboot(NodeChanged change, Time now);
  bool reboots_first(const Job& job) const;
  void reboot_for(const Job& job, Time now);
  Result<void> add_nodes(const std::vector<NodeConfig>& nodes);
  void purge_old_jobs(Time now);
  void cancel_hopeless(const sched::Plan& plan, Time now);
  void begin_to_accrue(const IdSet& planned, Time now);
  void note_priorities_if_due(Time now);

  Host& host_;
  CoreOptions options_;
  Cluster cluster_;  // the working state: committed, plus the batch in flight, plus the open one
  Cluster committed_;

  struct OpenBatch {
    std::vector<std::string> events;
    std::vector<std::pair<std::string, std::string>> blobs;
    std::vector<std::pair<ReplyTo, wire::Answer>> replies;
    std::vector<std::pair<NodeId, wire::Order>> orders;
    std::set<NodeId> touched_nodes;
    accounting::AccountingChanges changes;
    IdSet changed_jobs;  // in whatever way
    std::vector<SiteProgramRun> programs;
    std::size_t patient_replies = 0;  // of replies: to those who wait for a plan as well
    bool had_its_plan = false;
    bool empty() const {
      return events.empty() && replies.empty() && orders.empty() && touched_nodes.empty() &&
             programs.empty();
    }
  };
  OpenBatch open_;
  struct Flight {
    Batch batch;  // kept for a full disk
    OpenBatch rest;
    Cluster cluster;
  };
  std::optional<Flight> in_flight_;
  BatchNumber next_batch_ = 1;
  bool disk_full_ = false;

  WatchList watch_list_;
  SwitchingRate suspend_rate_, resume_rate_;
  std::map<NodeId, Session> sessions_;
  std::map<NodeConnection, NodeId> connections_;
  std::map<NodeId, NodeLoad> loads_;
  std::map<NodeId, Time> wrong_clocks_;    // nodes refused for their clock: when they last knocked
  std::map<Text, Time> reservation_used_;  // with PURGE_COMP: when a job was last seen
  std::shared_ptr<const std::map<NodeId, NodeLoad>> published_loads_ =
      std::make_shared<std::map<NodeId, NodeLoad>>();

  std::map<std::pair<JobId, StepId>, wire::StepRequest> step_launches_;  // of running steps
  struct WaitingStep {          // does not fit beside the steps that run
    std::optional<ReplyTo> to;  // its srun; none: it is the state that keeps it (--async)
    Caller caller;
    wire::StepRequest request;
    Time until;
    std::optional<StepId> number;  // of a step in the state
  };
  std::vector<WaitingStep> waiting_steps_;    // first come, first tried
  std::map<JobId, WaitingStep> first_steps_;  // to be created when their job starts
  WaiterList waiters_;
  std::map<std::uint64_t, JobId>
      allocation_owners_;            // connection of the command that owns an allocation
  std::map<JobId, Time> orphans_;    // allocations whose owner's connection broke
  std::set<JobId> prologs_running_;  // PrologSlurmctld of these has not ended

  std::shared_ptr<const sched::Plan> last_plan_ = std::make_shared<sched::Plan>();
  std::shared_ptr<const sched::Plan> thorough_plan_ = last_plan_;
  Time last_plan_at_;
  Time last_deep_plan_;
  Time priorities_noted_;  // PriorityFlags=INCR_ONLY
  Time now_;               // of the latest delivery
  bool plan_wanted_ = true;
  bool order_changed_ = true;  // since the last plan, by more than the queue itself can see
  bool planning_ = false;
  sched::KnownFits known_fits_;
  SharedParts shared_parts_;
};

}  // namespace muster::controller
