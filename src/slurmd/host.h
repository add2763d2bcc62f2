// Slurmd: joins the node's logic (NodeAgent) with this machine: its steps, its sockets, its files.
#pragma once

#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/cgroup/job_namespace.h"
#include "io/hardware/hardware.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "io/process/program.h"
#include "node/agent.h"
#include "node/confinement.h"
#include "node/host.h"
#include "node/user_quota.h"
#include "slurmd/config.h"
#include "slurmd/gpus.h"
#include "slurmd/loop.h"
#include "slurmd/steps.h"
#include "slurmd/users.h"
#include "wire/step_messages.h"

namespace muster {

// The attempts whose Prolog has run, as noted in this directory.
std::vector<AttemptRef> list_prepared(const std::string& dir);

class Slurmd final : public NodeHost {
 public:
  struct Start {
    SlurmdConfig config;
    io::Hardware hardware;
    std::string stepd_path;
    bool named = false;       // -N: several slurmd may run here, messages name theirs
    std::string config_path;  // to read the configuration again
    NodeIdentity identity;
  };
  explicit Slurmd(Start start);
  ~Slurmd() override;

  // Finds the steps of earlier starts, listens, and starts to call the controller.
  Result<void> begin(io::Loop& io_threads);
  void turn();  // one round of the main loop
  bool stopped() const { return stopped_; }
  void stop();             // cleanly; the steps go on
  void leave_with_host();  // stops when all jobs have left
  void reread_config();
  void reap_steps() { steps_.reap(); }
  SlurmdLoop& loop() { return loop_; }

  // NodeHost
  NodeFacts facts() override;
  NodeVitals vitals() override;
  Result<void> spawn(const wire::StepLaunch& launch) override;
  void signal(const wire::StepRef& step, int number, SignalScope scope) override;
  void suspend(const wire::StepRef& step, bool resume) override;
  void announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) override;
  void notify(const wire::StepRef& step, std::string_view text) override;
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
  void log(std::string_view line) override;

 private:
  static constexpr std::size_t kMostCallBytes = 64u << 10;  // of who calls this slurmd
  struct Attach {
    int fd = -1;
    io::SessionState session;
    wire::AttachRequest request;
    std::size_t bytes = 0;  // that it holds while it waits
  };

  Result<void> listen(io::Loop& io_threads);
  void dial(io::Loop& io_threads);
  void on_client_frame(io::ConnectionId id, const std::string& frame);
  wire::NodeAccess access_to_nodes() const;
  void take_attach(Attach attach);
  std::optional<Attach> drop_attach(AttachId id);
  static void turn_away(Attach attach, std::string_view why);
  // The controller's leave is checked first; a process of its own takes the file then.
  void receive_file(wire::FileOffer offer, int fd, io::SessionState session);
  void start_receiver(const wire::FileOffer& offer, int fd, io::SessionState session,
                      const wire::FileGrant& grant);
  void on_controller_frame(const std::string& frame);
  void command(const wire::StepRef& step, const io::StepCommand& command);
  std::string epoch_path() const { return start_.config.spool_dir + "/epoch"; }
  Result<void> set_up_confinement();
  Result<void> set_up_private_directories();
  void remove_in_background(const std::string& path);
  void check_health(std::function<void()> then);
  void tell_of_unkillable(const wire::StepRef& step);  // UnkillableStepProgram
  io::ProgramRun node_program(const std::string& path) const;
  NodePrograms node_programs() const;
  std::optional<io::ProgramGroups> groups_for_program(AttemptRef attempt) const;
  void run_init_script(AttemptRef attempt, const std::vector<std::string>& environment);
  void when_ended(NodeProgram program, AttemptRef attempt, const io::ProgramEnd& end);
  void sample_gpus(Time now);
  std::string prepared_dir() const { return start_.config.spool_dir + "/prepared"; }

  Start start_;
  Time started_;
  SlurmdLoop loop_;
  SlurmdSteps steps_;
  SlurmdUsers users_;
  NodeConfinement confinement_;
  std::optional<io::JobNamespaces> namespaces_;
  std::map<AttemptRef, Confinement> extern_groups_;
  SlurmdGpus gpus_;
  Time next_gpu_sample_;
  std::unique_ptr<NodeAgent> agent_;
  std::unique_ptr<io::Server> server_;
  std::latch server_set_{1};  // clients may come before listen() has returned
  std::unique_ptr<io::Dialer> dialer_;
  io::Loop* io_threads_ = nullptr;
  std::map<AttachId, Attach> attaches_;  // that wait for their steps
  UserQuota waiting_{{.count_of_user = 256, .bytes_of_user = 16u << 20, .count_of_all = 2048}};
  UserQuota receiving_{{.count_of_user = 32, .bytes_of_user = 0, .count_of_all = 512}};
  AttachId last_attach_ = 0;
  bool stopped_ = false;
  bool checks_health_ = false;
  bool controller_lost_ = false;   // logged once, not with every try
  io::Worker cleaner_{"cleaner"};  // removes what ended jobs left, which may be a lot
  // Last: their callbacks use what is above.
  io::ProgramRunner programs_, programs_in_turn_{1};
};

}  // namespace muster
