// The course of a step: prepare, wait for the srun, start the tasks, run until everything has
// ended, report.
#include "step/supervisor.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "io/stepd/step_file.h"
#include "io/wall_clock.h"
#include "step/signals.h"
#include "step/tasks/login_environment.h"
#include "step/tasks/script.h"

namespace muster::step {
namespace {

using namespace std::chrono_literals;

constexpr auto kWaitForClient = 60s;
constexpr auto kWaitForDrain = 10s;  // then the end is reported, even if an srun does not read
constexpr auto kWaitForFarewell = 5s;
constexpr int kRepeatKillMs = 20;

}  // namespace

Supervisor::Supervisor(StepSetup setup, io::StepSocket slurmd, int lock, int child_events)
    : setup_(std::move(setup)),
      lock_(lock),
      child_events_(child_events),
      stdio_(
          setup_, [this](int number) { carry_out(io::StepSignal{number, false}); },
          [this] { return measure(); }),
      exchange_(setup_,
                [this](const Error& why) {
                  say(why.code == ErrorCode::too_large
                          ? "the tasks cannot exchange messages: " + why.text()
                          : "the tasks wait for each other, but their srun is gone");
                  signal_all(SIGKILL);
                }),
      usage_(setup_.launch.share.node) {
  slurmd_.push_back(std::move(slurmd));
  end_.ref = setup_.launch.ref;
  end_.started = io::wall_clock();
}

// The extern step has no task. It contains processes of the user's logins on the node, and lasts
// until the job is told to end.
void Supervisor::run_extern() {
  write_note();
  if (Result<void> made = make_group(); !made) return fail_launch(made.error());
  while (early_signal_ == 0) run_once();
  started_ = true;
  while (!is_over()) run_once();
  report_end();
}

void Supervisor::run() {
  if (!setup_.track_by_group) adopt_orphans();
  if (setup_.launch.ref.step == kExternStep) return run_extern();
  umask(setup_.launch.task.umask);
  if (Result<void> prepared = prepare(); !prepared) {
    fail_launch(prepared.error());
    return finish_streams();
  }

  if (setup_.launch.waits_for_client) {
    client_due_ = Clock::now() + kWaitForClient;
    while (!stdio_.had_client() && early_signal_ == 0 && client_due_) run_once();
    if (!stdio_.had_client() && early_signal_ == 0) {
      fail_launch({ErrorCode::failure, "no srun attached to the step"});
      return finish_streams();
    }
  }
  if (!work_dir_warning_.empty()) say(work_dir_warning_);  // now that an srun can print it
  if (early_signal_ != 0) {
    end_.exit_status = static_cast<std::uint32_t>(early_signal_);
  } else if (Result<void> begun = start_mpi(); !begun) {
    fail_launch(begun.error());
    return finish_streams();
  } else {
    start_tasks();
  }

  while (started_ && !is_over()) run_once();

  // Output first, so that an srun has all of it when the controller learns of the end.
  drain_due_ = Clock::now();  // processes that do not end do not close their streams either
  if (!end_.unkillable) *drain_due_ += kWaitForDrain;
  while (!stdio_.drained() && drain_due_) run_once();
  report_end();
  finish_streams();
}

Result<void> Supervisor::prepare() {
  write_note();
  WorkDir work_dir = enter_work_dir(setup_);
  files_.emplace(setup_, work_dir.exists);
  environment_ = node_environment(setup_);
  environment_.set_if_missing("PATH",
                              setup_.launch.uid == Uid{0}
                                  ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                                  : "/usr/local/bin:/usr/bin:/bin");
  if (setup_.launch.get_user_env) add_login_environment(environment_, setup_);
  limits_ = take_limits(environment_);

  if (setup_.launch.ranks.empty()) setup_.launch.ranks = {0};
  for (std::uint32_t rank : setup_.launch.ranks)
    tasks_.push_back({.local_id = static_cast<std::uint32_t>(tasks_.size()), .rank = rank});

  if (!setup_.launch.waits_for_client) {
    // Opened before the script is stored, so that a failure here is reported for the output file.
    Result<TaskFiles> files = files_->open_for(tasks_.front().rank);
    if (!files) return std::unexpected(files.error());
    error_file_ = ErrorFile(*files);
  }
  if (is_batch()) {
    Result<std::string> script = spool_script(setup_);
    if (!script && script.error().code == ErrorCode::state_storage_full) {
      end_.node_fault = kSpoolIsFull;
      return fail(script.error().detail);
    }
    if (!script) return std::unexpected(script.error());
    script_path_ = std::move(*script);
  }
  work_dir_warning_ = std::move(work_dir.warning);
  return make_group();
}

void Supervisor::write_note() const {
  io::StepNote note{.pid = static_cast<std::uint32_t>(getpid()),
                    .boot_id = setup_.boot_id.str(),
                    .sessions = {},
                    .started = end_.started,
                    .groups = {.groups = setup_.confinement.groups,
                               .mountpoint = setup_.confinement.mountpoint,
                               .job_path = setup_.confinement.job_path,
                               .step_path = setup_.confinement.step_path}};
  note.uid = setup_.launch.uid;
  for (const Task& task : tasks_) {
    if (task.pid <= 0) continue;
    const auto session = static_cast<std::uint32_t>(task.pid);
    note.sessions.insert(session);
    if (auto leader = io::read_process(task.pid)) note.leaders[session] = leader->started_ticks;
  }
  // Only a restarting slurmd needs the note; a full disk must not keep the job from running.
  (void)io::write_step_note(lock_, note);
}

wire::StepUsage Supervisor::measure() {
  usage_.sample(tasks_);
  wire::StepUsage measured{.usage = usage_.total(), .pids = {}, .ranks = {}};
  for (const Task& task : tasks_) {
    if (task.pid == 0 || task.ended) continue;
    measured.pids.push_back(static_cast<std::uint32_t>(task.pid));
    measured.ranks.push_back(task.rank);
    for (pid_t pid : io::descendants(task.pid)) {
      measured.pids.push_back(static_cast<std::uint32_t>(pid));
      measured.ranks.push_back(wire::kNoRank);
    }
  }
  return measured;
}

bool Supervisor::all_tasks_ended() const {
  return std::ranges::all_of(tasks_, [](const Task& task) { return task.ended; });
}

bool Supervisor::is_over() const {
  return end_.unkillable || (all_tasks_ended() && !anything_left());
}

void Supervisor::run_once() {
  io::PollSet set;
  set.add(child_events_, POLLIN, [this](short) { wait_for_children(); });
  watch_slurmd(set);
  stdio_.watch(set);
  exchange_.watch(set);
  if (mpi_) mpi_->watch(set);
  set.wait(wait_timeout_ms());
  act_on_deadlines();
}

int Supervisor::wait_timeout_ms() const {
  if (started_ && all_tasks_ended() && anything_left()) return kRepeatKillMs;
  Clock::time_point next = Clock::time_point::max();
  for (const Deadline& deadline :
       {next_sample_, stop_at_, kill_at_, client_due_, drain_due_, unkillable_at_})
    if (deadline) next = std::min(next, *deadline);
  if (next == Clock::time_point::max()) return -1;
  auto left = std::chrono::ceil<Millis>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void Supervisor::act_on_deadlines() {
  const Clock::time_point now = Clock::now();
  auto due = [&](Deadline& deadline) {
    if (!deadline || now < *deadline) return false;
    deadline.reset();
    return true;
  };
  if (due(next_sample_)) {
    usage_.sample(tasks_);
    kill_if_over_memory();
    next_sample_ = now + setup_.sample_every;
  }
  if (due(stop_at_)) freeze(true);
  if (due(kill_at_)) signal_all(SIGKILL);
  due(client_due_);
  if (due(drain_due_)) stdio_.drop_output();
  if (started_ && all_tasks_ended() && anything_left()) end_leftovers(now);
  if (due(unkillable_at_) && started_ && !is_over()) give_up();
}

// No process survives its step. The sruns of a batch script may stay until their tasks have ended:
// for the job's grace time if the job is being ended, and until srun has ended them if the script
// has exited.
void Supervisor::end_leftovers(Clock::time_point now) {
  if (saves_work()) return wait_for_children();
  if (is_batch() && !leave_by_ && (told_to_end_ || left_an_srun())) {
    leave_by_ = now + setup_.kill_wait;
    if (!told_to_end_) signal_all(SIGTERM);
  } else if (!leave_by_ || now >= *leave_by_) {
    signal_all(SIGKILL);
  }
  wait_for_children();
}

void Supervisor::fail_launch(const Error& why) {
  end_.launch_failed = true;
  end_.failure = why.text();
  end_.exit_status = kLaunchFailedStatus;
  say(why.text());
  if (!started_) report_end();
}

void Supervisor::say(std::string_view text, bool ends_step) {
  std::string line = fmt::format("{}: error: {}", setup_.program.view(), text);
  if (error_file_.is_set())
    error_file_.write_line(setup_, std::move(line));
  else
    stdio_.say(line, ends_step);
}

void Supervisor::report_end() {
  mpi_.reset();
  end_.ended = io::wall_clock();
  end_.usage = usage_.total();
  for (const Task& task : tasks_) {
    if (task.pid == 0) continue;
    end_.exit_by_rank[task.rank] = task.wait_status;
    end_.exit_status = std::max(end_.exit_status, task.wait_status);
  }
  note_out_of_memory();
  if (end_.out_of_memory) end_.exit_status = kOutOfMemoryStatus;
  if (cgroup_) cgroup_->remove();
  if (is_batch()) remove_script(setup_);
  // The end must not be lost: if the disk is full, wait for room before telling slurmd.
  while (!io::write_step_end(lock_, end_)) std::this_thread::sleep_for(1s);
  slurmd_.clear();  // slurmd reads the end when this socket closes
  listener_.reset();
}

void Supervisor::finish_streams() {
  if (!stdio_.has_client()) return;
  stdio_.finish();
  // Let the srun close first. If this end closed while input still arrives, the connection would be
  // reset, and output that srun has not read would be lost.
  Deadline give_up;
  while (stdio_.has_client() && (!give_up || Clock::now() < *give_up)) {
    io::PollSet set;
    stdio_.watch(set);
    exchange_.watch(set);  // nodes below may still exchange messages
    set.wait(200);
    const bool all_sent = stdio_.drained() && stdio_.flushed() && !stdio_.relays();
    if (all_sent && !give_up) give_up = Clock::now() + kWaitForFarewell;
  }
}

}  // namespace muster::step
