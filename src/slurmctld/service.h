// Service: the controller's core joined with sockets, disks and threads.
//
//   io           decodes frames and lets the core (controller::Core) decide; when it has done what
//                was ready, commits that as one batch and sends all answers. It also makes short
//                plans and gives short answers to queries
//   answers      long answers to queries, from the published snapshot; users take turns
//   trials       plans for --test-only, --immediate and muster explain; users take turns
//   sacct        waits for the accounting's answers; users take turns
//   loop's pool  names and groups of users
//   store        commits, where the disk is slow
//   planner      long plans, on a copy of the state
//   sender       orders to nodes whose scripts have to be read from the store, or that are behind
//   accounting   what has changed -> accounting file; sacct's questions
//   background   state snapshots
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "accounting/waiting_rows.h"
#include "config/slurm_conf.h"
#include "controller/core.h"
#include "controller/rate_limit.h"
#include "controller/timekeeper.h"
#include "controller/views/query.h"
#include "controller/views/visibility.h"
#include "io/log_limit.h"
#include "io/loop/fair_pool.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "io/process/program.h"
#include "io/store/blob_cache.h"
#include "io/users.h"
#include "io/wall_clock.h"
#include "state/accounting_store.h"
#include "state/store.h"

namespace muster::daemon {

struct Configuration {
  config::SlurmConf conf;
  ClusterConfig cluster;
};

struct ServiceOptions {
  std::string host_name;
  Uid slurm_user;
  std::optional<Uid> slurmd_user;  // who reads what munge seals for nodes; none = no munge
  std::string munge_socket;        // empty = munge's own default
  std::function<Result<Configuration>()> load;  // reads the configuration anew
  std::function<void()> stop;                   // asks main to end the daemon
};

class Service final : public controller::Host {
 public:
  Service(ServiceOptions options, Configuration configuration, std::unique_ptr<Store> store,
          std::unique_ptr<AccountingStore> accounting, std::string secret);
  ~Service() override;

  Result<void> start(io::Loop& loop, const io::ServerOptions& server);
  void advance();      // the loop has done what was ready
  void reconfigure();  // SIGHUP
  void stop();         // not on the loop's thread

  // controller::Host, called on the loop's thread
  void commit(const Batch& batch) override;
  void publish(controller::Published published) override;
  void account(accounting::AccountingPortion portion) override;
  void reply(controller::ReplyTo to, wire::Answer answer) override;
  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders) override;
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override;
  void run_aside(controller::ReplyTo to, Uid user, std::function<wire::Answer()> work,
                 std::function<void(wire::Answer)> done) override;
  std::string step_key(const Job& job, StepId step) override;
  std::vector<std::string> groups_of(Uid user) override;
  bool is_user(std::string_view name) override;
  std::optional<std::vector<std::string>> users_of_group(std::string_view group) override;
  void run_program(controller::SiteProgramRun run) override;
  void log(std::string_view line) override;
  void log_error(std::string_view line) override;

 private:
  struct DaemonVerbs;  // answers requests that concern the daemon rather than the cluster's state
  using PartSource = std::function<controller::QueryAnswer::Part()>;
  // Orders that wait until scripts are read, or the node has read what was sent before.
  struct Outbox {
    Epoch epoch;
    std::deque<controller::OutgoingOrder> orders;
  };

  void post(std::function<void()> work);  // to the loop's thread; dropped once stopped
  Result<void> listen(const io::ServerOptions& server);
  void on_open(io::ConnectionId id, const io::Peer& peer);
  void on_frame(io::ConnectionId id, std::string frame);
  void refuse(io::ConnectionId id, const io::Peer& peer, std::string_view why);
  void on_close(io::ConnectionId id);
  void on_request(io::ConnectionId id, const io::Peer& peer, wire::RequestFrame frame,
                  std::size_t bytes);
  bool is_slowed_down(controller::ReplyTo to, const io::Peer& peer, const wire::Request& request);
  void on_reports(io::ConnectionId id, const io::Peer& peer, std::string_view frame);
  // By whom request_rules.h says. The request takes so many bytes of memory.
  void answer(controller::ReplyTo to, const io::Peer& peer, wire::Request request,
              std::size_t bytes);
  void answer_by_daemon(controller::ReplyTo to, const io::Peer& peer, const wire::Request& request);
  void on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                std::size_t bytes);
  void ask_accounting(controller::ReplyTo to, const io::Peer& peer,
                      const wire::AccountingRequest& request);
  void set_debug(controller::ReplyTo to, const wire::DebugRequest& request);
  // Goes on once the user's name and groups are known, which the name service may take long for.
  void when_known(Uid user, std::function<void()> then);
  void go_on(Uid user);
  // Work for one user, among others; nothing else is read from its connection meanwhile. Dropped
  // once the connection has gone; where the user has too much waiting, he is told to slow down.
  void run_fairly(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                  std::function<void()> work);
  // The same, but the work itself says when the connection may go on.
  void begin_fairly(io::FairPool& pool, controller::ReplyTo to, Uid user, std::size_t bytes,
                    std::function<void()> work);
  bool may_answer_here(Uid user);
  void set_limits();
  Result<void> prepare_submission(const io::Peer& peer, wire::SubmitRequest& request);
  void reconfigure(controller::ReplyTo to);
  void tell_needed_restart(controller::ReplyTo to, const config::SlurmConf& fresh);
  void shut_down(controller::ReplyTo to, bool controller_only);
  void send_batch_script(controller::ReplyTo to, const io::Peer& peer, JobId job);
  void grant_broadcast(controller::ReplyTo to, const io::Peer& peer,
                       const wire::BroadcastRequest& request);
  wire::Answer show_config();
  bool is_operator(const io::Peer& peer) const { return is_operator(peer.uid); }
  bool is_operator(Uid user) const;
  controller::Viewer viewer_of(const io::Peer& peer);
  std::shared_ptr<const controller::Published> published() const;  // on any thread
  void send_part(controller::ReplyTo to, wire::Answer answer, bool more);
  void send_in_parts(io::FairPool& pool, controller::ReplyTo to, Uid user,
                     std::shared_ptr<PartSource> source);

  void tick();
  Time current_time() const { return timekeeper_.at(io::steady_clock()); }
  void snapshot_if_due();
  CommitOutcome commit_now(const Batch& batch);
  void write_snapshot(BatchNumber number, const Cluster& cluster);
  void feed_accounting_later();
  enum class Rows : std::uint8_t { due, all };
  bool feed_accounting(Rows which);  // on the accounting's thread; whether it was told
  Result<void> write_accounting();
  std::optional<std::string> blob(const Text& hash);  // on the sender's thread
  void rest_after_plan(std::chrono::steady_clock::duration took, bool more_starts);
  void empty_outbox(controller::NodeConnection to);
  void start_program(const controller::SiteProgramRun& run, io::ProgramRun program);
  void send_mail(const controller::SiteProgramRun& run, io::ProgramRun program);

  ServiceOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<AccountingStore> accounting_;
  std::string secret_;
  controller::Timekeeper timekeeper_{io::read_clocks()};  // its ticks are the loop's thread's
  Time started_;

  // The loop's thread's, once started:
  Configuration configuration_;
  std::map<io::ConnectionId, io::Peer> connections_;
  std::map<Uid, std::vector<std::function<void()>>> unknown_users_;  // who waits for which
  mutable std::mutex published_mutex_;  // guards the next against others: only the loop writes it
  std::shared_ptr<const controller::Published> published_;  // shared with those who read it
  std::set<Uid> answered_here_;                             // in this round, on the loop itself
  controller::RateLimit rate_limit_;
  io::LogLimit rate_log_{20, Millis{10000}};
  std::unique_ptr<controller::Core> core_;
  std::optional<CommitOutcome> committed_;  // the core is still to hear of it
  BatchNumber last_snapshot_ = 0;
  bool snapshot_running_ = false;

  std::mutex unfed_mutex_;  // guards the next
  accounting::AccountingPortion unfed_;

  io::Loop* loop_ = nullptr;
  std::unique_ptr<io::Server> server_;
  io::Users users_;
  io::LogLimit errors_{100, Millis{10000}}, bad_frames_{20, Millis{10000}};
  std::atomic<bool> feed_due_ = false, feeding_ = false;
  std::atomic<bool> stopping_ = false;

  // When to see again whether a slow reader has read.
  static constexpr std::chrono::milliseconds kLookAgain{5};
  static constexpr std::size_t kBlobCacheBytes = 512u << 10;
  io::BlobCache blobs_{kBlobCacheBytes};
  std::mutex outboxes_mutex_;  // guards the next
  std::map<controller::NodeConnection, Outbox> outboxes_;

  accounting::AccountingPortion fed_;     // the accounting's: what it knows, or tries to write
  accounting::WaitingRows waiting_rows_;  // likewise
  sched::PlanMemory plan_memory_;         // whoever plans: one at a time
  bool plans_are_short_ = false;          // likewise
  bool commits_are_short_ = true;         // whoever commits: one at a time

  // Declared last: they stop before what they use is gone.
  std::unique_ptr<io::FairPool> answers_, trials_, sacct_;
  std::unique_ptr<io::Worker> sender_, planner_, store_thread_, accounting_thread_, background_;
  static constexpr std::size_t kMailsAtOnce = 8;
  io::ProgramRunner programs_, mails_{kMailsAtOnce};
};

}  // namespace muster::daemon
