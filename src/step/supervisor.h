// The life of a step on one node: set up, start the tasks, carry their streams, carry out slurmd's
// commands, wait for every process, write down the end. One thread, one poll loop.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "io/cgroup/cgroup.h"
#include "io/stepd/step_socket.h"
#include "step/mpi.h"
#include "step/streams/exchange.h"
#include "step/streams/stdio.h"
#include "step/tasks/files.h"
#include "step/tasks/setup.h"
#include "step/tasks/tasks.h"
#include "step/usage.h"
#include "wire/step_setup.h"

namespace muster::step {

class Supervisor {
 public:
  // `lock`: the held lock of the step's directory. `child_events`: a signalfd of SIGCHLD.
  Supervisor(StepSetup setup, io::StepSocket slurmd, int lock, int child_events);
  void run();

 private:
  void run_extern();

  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;

  Result<void> prepare();
  Result<void> make_group();
  Result<void> start_mpi();
  void abort(std::string_view text);
  void start_tasks();
  Result<void> start_one(std::size_t index);
  std::vector<std::string> task_argv(std::uint32_t rank) const;
  Environment environment_of(const Task& task) const;
  void write_note() const;

  void run_once();  // waits once, and handles what has happened
  int wait_timeout_ms() const;
  void act_on_deadlines();
  void wait_for_children();
  void on_task_exited(Task& task, int status);
  void on_task_ended(Task& task);
  bool all_tasks_ended() const;
  wire::StepUsage measure();

  void watch_slurmd(io::PollSet& set);
  void read_commands(io::StepSocket& socket, bool& gone);
  void carry_out(io::ReceivedCommand received, const io::StepSocket& from);
  void accept(io::ReceivedCommand attach);
  void carry_out(const io::StepSignal& command);
  void carry_out(const io::StepSuspend& command);
  void carry_out(const io::StepAnnounce& command);
  void carry_out(const io::StepNotice& notice) { say(notice.text); }

  // Writes "slurmstepd-n1: error: text" to the step's error output.
  void say(std::string_view text, bool ends_step = false);
  std::string own_name() const;  // "JOB 12" or "STEP 12.0"
  void fail_launch(const Error& why);
  void report_end();
  void finish_streams();

  void signal_all(int number);  // every process of the step
  void send_grace_signals();    // to the batch script and what it runs
  std::vector<pid_t> processes() const;
  bool anything_left() const;  // when the tasks have ended
  bool is_over() const;        // nothing runs, or nobody waits for it any longer
  void give_up();              // although some processes do not end
  bool left_an_srun() const;
  bool saves_work() const;
  void end_leftovers(Clock::time_point now);
  void freeze(bool frozen);
  void kill_if_over_memory();
  void note_out_of_memory();

  bool is_batch() const { return setup_.launch.ref.step == kBatchStep; }

  StepSetup setup_;
  int lock_, child_events_;
  std::list<io::StepSocket> slurmd_;  // usually one
  std::optional<io::StepSocket> listener_;
  std::optional<Files> files_;
  std::string script_path_;
  ErrorFile error_file_;  // a batch step's stderr, owned by files_
  std::string work_dir_warning_;
  Environment environment_{{}};
  std::vector<ResourceLimit> limits_;
  std::vector<Task> tasks_;
  Stdio stdio_;
  Exchange exchange_;
  std::unique_ptr<Mpi> mpi_;
  UsageMeter usage_;
  std::unique_ptr<io::Cgroup> cgroup_;  // none if processes are tracked by their parents
  std::uint64_t oom_kills_ = 0;         // seen so far

  bool started_ = false;  // the tasks were started
  bool children_left_ = false;
  int early_signal_ = 0;  // that arrived before the tasks were started
  bool told_to_end_ = false;
  bool has_notice_ = false;  // the job will end later: until then programs may save their work
  bool was_told_ = false;    // the SIGTERM of the notice has been sent
  Deadline next_sample_, stop_at_, kill_at_, client_due_, drain_due_;
  Deadline leave_by_;       // for processes that a batch script leaves behind
  Deadline unkillable_at_;  // SIGKILL should have ended everything by then
  wire::StepEnd end_;
};

}  // namespace muster::step
