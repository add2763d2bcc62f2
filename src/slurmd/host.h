// Slurmd: connects the node's logic (NodeAgent) with this machine: its steps, sockets and files.
// Everything runs on the thread of one io::Loop, except for site programs, calls that block and the
// removal of directories: these have threads of their own, which post results to the loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/cgroup/job_namespace.h"
#include "io/hardware/hardware.h"
#include "io/loop/loop.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "io/process/program.h"
#include "node/agent.h"
#include "node/confinement.h"
#include "node/host.h"
#include "node/user_quota.h"
#include "slurmd/attaches.h"
#include "slurmd/config.h"
#include "slurmd/gpus.h"
#include "slurmd/job_socket.h"
#include "slurmd/programs.h"
#include "slurmd/steps.h"
#include "slurmd/users.h"
#include "wire/step_messages.h"

namespace muster {

// How slurmstepds and receivers of files reach other nodes.
wire::NodeAccess access_to_nodes(const SlurmdConfig& config);

class Slurmd final : public NodeHost {
 public:
  struct Start {
    SlurmdConfig config;
    io::Hardware hardware;
    std::string stepd_path;
    bool named = false;       // -N: several slurmds may run here, so messages name theirs
    std::string config_path;  // for reading the configuration again
    NodeIdentity identity;
    bool foreground = false;
  };
  // on_stopped is called once, on the loop, after saying goodbye to the controller.
  Slurmd(Start start, std::function<void()> on_stopped);
  ~Slurmd() override;

  // Finds the steps of earlier starts, listens, and begins to connect to the controller. on_ready
  // is called on the loop before any message is handled, so that no process is started before it.
  Result<void> begin(const std::function<void()>& on_ready);
  io::Loop& loop() { return loop_; }

  // --- on the loop ---
  void stop();             // orderly; the steps go on
  void leave_with_host();  // stops when all jobs have left
  void reap_steps() { steps_.reap(); }

  // NodeHost
  NodeFacts facts() override;
  NodeVitals vitals() override;
  Result<void> spawn(const wire::StepLaunch& launch) override;
  void signal(const wire::StepRef& step, int number, SignalScope scope) override;
  void suspend(const wire::StepRef& step, bool resume) override;
  void announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) override;
  void notify(const wire::StepRef& step, std::string_view text) override;
  void post_notice(AttemptRef attempt, const StopNotice& notice) override;
  void answer_job(JobAskId id, std::string_view refusal, Seconds granted) override;
  void forget(const wire::StepRef& step) override;
  void send(const wire::ReportBatch& batch) override;
  void store_epoch(Epoch epoch) override;
  void hand_over(AttachId id, const wire::StepRef& step) override;
  void refuse(AttachId id, std::string_view why) override;
  void run_program(NodeProgram program, AttemptRef attempt,
                   const std::vector<std::string>& environment) override;
  void note_prepared(AttemptRef attempt, bool prepared) override;
  void clean_up(AttemptRef attempt) override;
  void check_health() override;
  void reboot() override;
  void reconfigure() override;
  void shutdown() override;
  void log_error(std::string_view line) override;

 private:
  static constexpr std::size_t kMostCallBytes = 64u << 10;  // for a message of a caller
  Result<void> set_up();
  void find_earlier_steps();
  Result<void> listen();
  Result<void> listen_to_jobs();
  void dial();
  void after_round();  // does what is due, and sends the reports of this round
  Millis time_to_rest(Time now) const;
  void on_client_frame(io::ConnectionId id, const std::string& frame);
  void take_attach(WaitingAttaches::Attach attach);
  // Checks the controller's permission; then another process receives the file.
  void receive_file(wire::FileOffer offer, int fd, io::SessionState session);
  void start_receiver(const wire::FileOffer& offer, int fd, io::SessionState session,
                      const wire::FileGrant& grant);
  void on_controller_frame(const std::string& frame);
  void command(const wire::StepRef& step, const io::StepCommand& command);
  std::string epoch_path() const { return start_.config.spool_dir + "/epoch"; }
  Result<void> set_up_confinement();
  Result<void> set_up_private_directories();
  std::optional<io::ProgramGroups> groups_for_program(AttemptRef attempt) const;
  void sample_gpus(Time now);
  std::string prepared_dir() const { return start_.config.spool_dir + "/prepared"; }

  Start start_;
  Time started_;
  std::function<void()> on_stopped_;
  io::Loop loop_;
  SlurmdSteps steps_;
  SlurmdUsers users_;
  NodeConfinement confinement_;
  std::optional<io::JobNamespaces> namespaces_;
  std::map<AttemptRef, Confinement> extern_groups_;
  SlurmdGpus gpus_;
  Time next_gpu_sample_;
  std::unique_ptr<NodeAgent> agent_;
  std::optional<JobSocket> job_socket_;
  std::unique_ptr<io::Server> server_;
  std::unique_ptr<io::Dialer> dialer_;
  WaitingAttaches attaches_;
  UserQuota receiving_{{.count_of_user = 32, .bytes_of_user = 0, .count_of_all = 512}};
  Time next_retry_;  // for steps that do not listen yet
  bool stopped_ = false, is_over_ = false;
  bool controller_lost_ = false;   // so that it is logged once, not at every attempt
  io::Worker cleaner_{"cleaner"};  // removes directories of ended jobs, which may take long
  SlurmdPrograms programs_;        // last, because its callbacks use the members above
};

}  // namespace muster
