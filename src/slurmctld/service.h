// Service: connects the controller's core with sockets, disks and threads. The threads:
//
//   io           decodes frames and lets the core (controller::Core) decide. When no more input is
//                ready, it commits everything as one batch and sends all answers. It also makes
//                short plans and gives short answers to queries
//   answers      long answers to queries, from the published snapshot; users take turns
//   trials       plans for --test-only, --immediate and muster explain; users take turns
//   sacct        waits for accounting's answers; users take turns
//   loop's pool  names and groups of users
//   store        commits, if the disk is slow
//   planner      long plans, on a copy of the state
//   sender       orders to nodes whose scripts have to be read from the store, or that are behind
//   accounting   writes changes to the accounting file; answers sacct
//   accounts     changes and shows accounts, users and QOS; answers sacctmgr
//   scripts      wait for slurmctld-hooks, which runs the site's submit scripts; users take turns
//   background   state snapshots
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/slurm_conf.h"
#include "controller/core.h"
#include "controller/timekeeper.h"
#include "controller/views/query.h"
#include "controller/views/visibility.h"
#include "io/log_limit.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "io/store/blob_cache.h"
#include "io/wall_clock.h"
#include "slurmctld/accounting_feed.h"
#include "slurmctld/changes.h"
#include "slurmctld/database_link.h"
#include "slurmctld/message_statistics.h"
#include "slurmctld/orders.h"
#include "slurmctld/site_accounts.h"
#include "slurmctld/site_programs.h"
#include "slurmctld/submit_scripts.h"
#include "slurmctld/users/shares.h"
#include "slurmctld/users/users.h"
#include "slurmctld/vetting.h"
#include "state/accounting_store.h"
#include "state/store.h"

namespace muster::daemon {

struct ServiceOptions {
  std::string host_name;
  Uid slurm_user;
  std::optional<Uid> slurmd_user;  // decodes munge credentials for nodes; unset = no munge
  std::string munge_socket;        // empty = munge's own default
  bool foreground = false;
  std::function<Result<Configuration>()> load;       // reads the configuration again
  std::function<void()> stop;                        // asks main to end the daemon
  std::optional<DatabaseLink::Parts> slurmdbd = {};  // where that keeps accounting

  bool is_operator(const io::Peer& peer) const;  // root or SlurmUser
};

class Service final : public controller::Host {
 public:
  Service(ServiceOptions options, Configuration configuration, std::unique_ptr<Store> store,
          std::unique_ptr<AccountingStore> accounting, std::unique_ptr<AccountsStore> accounts,
          Secret secret);
  ~Service() override;

  Result<void> start(io::Loop& loop, const io::ServerOptions& server);
  void advance();      // called when the loop has handled all input
  void reconfigure();  // SIGHUP
  void stop();         // not on the loop's thread

  // controller::Host, called on the loop's thread
  void commit(const Batch& batch) override;
  void publish(controller::Published published) override;
  void account(accounting::AccountingDelta delta) override;
  void reply(controller::ReplyTo to, wire::Answer answer) override;
  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders) override;
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override;
  void run_aside(controller::ReplyTo to, Uid user, std::function<wire::Answer()> work,
                 std::function<void(wire::Answer)> done) override;
  Secret step_key(const Job& job, StepId step) override;
  std::vector<std::string> groups_of(Uid user) override;
  bool is_user(std::string_view name) override;
  std::optional<std::vector<std::string>> users_of_group(std::string_view group) override;
  void run_program(controller::SiteProgramRun run) override;
  void log_event(LogEntry entry) override;
  void log(std::string_view line) override;
  void log_error(std::string_view line) override;

 private:
  // How what is said of accounts reaches the core, whoever keeps them.
  struct AccountsWay {
    Service& service;
    Result<void> start() const;
    Result<void> start_link() const;
    void hear(const AccountsNews& news) const;
  };
  struct DaemonVerbs;  // answers requests that concern the daemon rather than the cluster's state

  void post(std::function<void()> work);  // to the loop's thread; dropped once stopped
  Result<void> listen(const io::ServerOptions& server);
  void on_open(io::ConnectionId id, const io::Peer& peer);
  void on_frame(io::ConnectionId id, std::string frame);
  void refuse(io::ConnectionId id, const io::Peer& peer, std::string_view why);
  void on_close(io::ConnectionId id);
  void on_request(io::ConnectionId id, const io::Peer& peer, wire::RequestFrame frame,
                  std::size_t bytes);
  void on_reports(io::ConnectionId id, const io::Peer& peer, std::string_view frame);
  // Passes the request to the part of the daemon that answers it (request_rules.h). `bytes`: the
  // memory that the request takes.
  void answer(controller::ReplyTo to, const io::Peer& peer, wire::Request request,
              std::size_t bytes);
  void answer_by_daemon(controller::ReplyTo to, const io::Peer& peer, const wire::Request& request);
  void carry_out(controller::ReplyTo to, const io::Peer& peer, wire::Request request,
                 const controller::SiteSays& says = {});
  void on_query(controller::ReplyTo to, const io::Peer& peer, wire::Request query,
                std::size_t bytes);
  void ask_accounting(controller::ReplyTo to, const io::Peer& peer,
                      const wire::AccountingRequest& request);
  void ask_accounts(controller::ReplyTo to, const io::Peer& peer,
                    const wire::AccountsRequest& request);
  void answer_accounts(controller::ReplyTo to, const io::Peer& peer,
                       const wire::AccountsRequest& request);
  void reconfigure(controller::ReplyTo to, std::optional<Uid> by);
  void report_needed_restart(controller::ReplyTo to, const config::SlurmConf& fresh);
  void shut_down(controller::ReplyTo to, bool controller_only);
  void tell_statistics(controller::ReplyTo to, bool reset);
  void send_batch_script(controller::ReplyTo to, const io::Peer& peer, JobId job);
  void grant_broadcast(controller::ReplyTo to, const io::Peer& peer,
                       const wire::BroadcastRequest& request);
  AdminLevel level_of(const io::Peer& peer) const;
  controller::Viewer viewer_of(const io::Peer& peer);
  std::shared_ptr<const controller::Published> published() const;  // on any thread

  void tick();
  Time current_time() const { return timekeeper_.at(io::steady_clock()); }
  void snapshot_if_due();
  CommitOutcome commit_now(const Batch& batch);
  void write_snapshot(BatchNumber number, const Cluster& cluster);
  void rest_after_plan(std::chrono::steady_clock::duration took, bool more_starts);

  ServiceOptions options_;
  std::unique_ptr<Store> store_;
  Secret secret_;
  controller::Timekeeper timekeeper_{io::read_clocks()};  // ticks on the loop's thread
  Time started_;
  const config::SlurmConf at_start_;

  // Used on the loop's thread only, once started:
  Configuration configuration_;
  std::map<io::ConnectionId, io::Peer> connections_;
  mutable std::mutex published_mutex_;  // guards the next member; only the loop writes it
  std::shared_ptr<const controller::Published> published_;  // shared with its readers
  std::unique_ptr<controller::Core> core_;
  std::optional<CommitOutcome> committed_;  // not yet passed to the core
  BatchNumber last_snapshot_ = 0;
  bool snapshot_running_ = false;
  bool plans_aside_ = false;              // a plan is made on the planner's thread
  std::vector<AccountsNews> early_news_;  // of slurmdbd, before the loop may use the core

  io::Loop* loop_ = nullptr;
  std::unique_ptr<io::Server> server_;
  io::LogLimit errors_{100, Millis{10000}}, bad_frames_{20, Millis{10000}};
  // Lines about jobs, which users can cause at will, take no room from the others.
  io::LogLimit job_events_{50'000, Millis{10000}}, other_events_{50'000, Millis{10000}};
  std::atomic<bool> stopping_ = false;
  KnownUsers users_{stopping_};
  MessageStatistics messages_;
  const std::uint32_t clock_latency_us_;

  static constexpr std::size_t kBlobCacheBytes = 512u << 10;
  io::BlobCache blobs_{kBlobCacheBytes};
  sched::PlannerCache planner_cache_;  // for one plan at a time, on either thread
  bool plans_are_short_ = false;       // likewise
  bool commits_are_short_ = true;      // for one commit at a time

  // Declared last, so that they stop before the members they use are destroyed.
  std::optional<FairShares> shares_;  // from listen() on, like the next member
  std::optional<OrderSender> orders_;
  AccountingFeed accounting_;
  SiteAccounts accounts_;
  std::optional<DatabaseLink> link_;
  std::unique_ptr<io::Worker> planner_, store_thread_, background_;
  SitePrograms programs_;
  std::optional<SubmitScripts> scripts_;  // set if JobSubmitPlugins names some
  std::optional<Vetting> vetting_;        // likewise, from listen() on
};

}  // namespace muster::daemon
