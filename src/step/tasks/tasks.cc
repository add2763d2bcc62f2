// Forks a task, and does everything that its process does before it becomes the program.
#include "step/tasks/tasks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/text/strings.h"
#include "io/cgroup/job_namespace.h"
#include "step/tasks/task_programs.h"

namespace muster::step {
namespace {

// The task's ends of the streams, which the supervisor closes after the fork.
struct TaskEnds {
  int in = -1, out = -1, err = -1;
};

class Descriptors {  // closes what start_task opened if it fails half-way
 public:
  ~Descriptors() {
    for (int fd : open_) close(fd);
  }
  int add(int fd) {
    open_.push_back(fd);
    return fd;
  }
  void keep(int fd) { std::erase(open_, fd); }
  bool has(int fd) const { return std::ranges::find(open_, fd) != open_.end(); }

 private:
  std::vector<int> open_;
};

bool open_terminal(Descriptors& owned, TaskPipes& ours, TaskEnds& theirs) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return false;
  owned.add(master);
  char name[128];
  if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0)
    return false;
  int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return false;
  owned.add(slave);
  int reader = fcntl(master, F_DUPFD_CLOEXEC, 0);
  if (reader < 0) return false;
  owned.add(reader);
  ours = {.in = master, .out = reader, .err = -1};
  theirs = {.in = slave, .out = slave, .err = slave};
  return true;
}

bool open_pipe(Descriptors& owned, int& read_end, int& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end = owned.add(ends[0]);
  write_end = owned.add(ends[1]);
  return true;
}

bool open_pipes(const TaskFiles& files, Descriptors& owned, TaskPipes& ours, TaskEnds& theirs) {
  theirs = {files.in, files.out, files.err};
  if (files.in == kToClient && !open_pipe(owned, theirs.in, ours.in)) return false;
  if (files.out == kToClient && !open_pipe(owned, ours.out, theirs.out)) return false;
  if (files.err == kToClient && !open_pipe(owned, ours.err, theirs.err)) return false;
  return true;
}

void restore_signals() {
  for (int number : {SIGPIPE, SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void give_up(const StepSetup& setup, const std::string& what, int error) {
  dprintf(2, "%s: error: %s: %s\n", setup.program.str().c_str(), what.c_str(),
          std::strerror(error));
  _exit(error == 0 ? 1 : error);
}

bool is_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Looks up the program in the task's own PATH. Returns it unchanged if it is not found there.
std::string find_command(const std::string& program, const Environment& environment) {
  if (program.starts_with('.')) {
    std::string here(PATH_MAX, '\0');
    return getcwd(here.data(), here.size()) ? fmt::format("{}/{}", here.c_str(), program) : program;
  }
  const std::string* path = environment.find("PATH");
  if (program.empty() || program.find('/') != std::string::npos || !path) return program;
  std::string found = program;
  for (std::string_view dir : split(std::string_view(*path).substr(5), ':')) {
    std::string candidate = fmt::format("{}/{}", dir.empty() ? "." : dir, program);
    if (!is_file(candidate)) continue;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (found == program) found = std::move(candidate);
  }
  return found;
}

// Returns only on failure.
void execute(const std::vector<std::string>& words, const Environment& environment) {
  std::vector<char*> argv, envp;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : environment.entries())
    envp.push_back(const_cast<char*>(entry.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(argv.front(), argv.data(), envp.data());
}

// What execve() did not find: the program, or the interpreter in its first line.
std::string what_is_missing(const std::string& program, int error) {
  std::ifstream file(program);
  std::string line;
  if (error != ENOENT || !std::getline(file, line) || !line.starts_with("#!")) return program;
  return fmt::format("bad interpreter({})", trim(std::string_view(line).substr(2)));
}

// If the supervisor is killed, its tasks are killed too.
void end_with(pid_t supervisor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);
}

// Opens FIFOs. The task's own process may wait for their other ends.
void open_the_rest(const StepSetup& setup, TaskFiles& files, TaskEnds& ends, pid_t supervisor) {
  const bool in = files.in == kOpenedByTask, out = files.out == kOpenedByTask,
             err = files.err == kOpenedByTask;
  if (!in && !out && !err) return;
  AsUser user(setup);
  end_with(supervisor);
  if (!user.ok() || !open_fifos(files)) give_up(setup, "cannot open a task's streams", errno);
  if (in) ends.in = files.in;
  if (out) ends.out = files.out;
  if (err) ends.err = files.err;
}

[[noreturn]] void run_in_child(const StepSetup& setup, TaskPlan& plan, TaskEnds ends,
                               pid_t supervisor) {
  // A process group of its own within the supervisor's session: in a session of its own it could
  // not be stopped by SIGTSTP. Only a terminal needs a session.
  if (plan.pty)
    setsid();
  else
    setpgid(0, 0);
  restore_signals();
  open_the_rest(setup, plan.files, ends, supervisor);
  if (plan.pty) ioctl(ends.in, TIOCSCTTY, 0);
  if (dup2(ends.in, 0) < 0 || dup2(ends.out, 1) < 0 || dup2(ends.err, 2) < 0) _exit(1);
  if (plan.cgroup)
    if (Result<void> entered = plan.cgroup->enter(); !entered) {
      dprintf(2, "%s: error: %s\n", setup.program.str().c_str(), entered.error().text().c_str());
      _exit(1);
    }
  char here[PATH_MAX] = "/tmp";
  if (!setup.mount_namespace.empty()) {
    if (getcwd(here, sizeof here) == nullptr) std::strcpy(here, "/tmp");
    if (int error = io::enter_job_namespace(setup.mount_namespace.str()); error != 0)
      give_up(setup, "cannot enter the job's private directories", error);
  }
  apply_limits(plan.limits);
  if (!become_user(setup)) give_up(setup, "cannot become the job's user", errno);
  // Only now, as the user: a link in the user's own /tmp could lead to a directory for root only.
  if (!setup.mount_namespace.empty() && chdir(here) != 0 && chdir("/tmp") != 0)
    give_up(setup, "cannot go to a directory", errno);

  end_with(supervisor);
  plan.environment.set("SLURM_TASK_PID", std::to_string(getpid()));
  apply_binding(plan.binding, setup, plan.local_id);
  if (const std::string line = gpu_bind_line(setup.launch, plan.environment, plan.local_id);
      !line.empty())
    dprintf(2, "%s", line.c_str());
  if (!apply_memory_policy(plan.memory, setup, plan.local_id)) _exit(1);
  if (int status = run_task_prologs(setup, plan.environment); status != 0) _exit(status);
  if (plan.inherited_fd >= 0) fcntl(plan.inherited_fd, F_SETFD, 0);
  if (setup.launch.task.stopped) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  plan.argv[0] = find_command(plan.argv[0], plan.environment);
  execute(plan.argv, plan.environment);
  const int error = errno;
  give_up(setup, "execve(): " + what_is_missing(plan.argv[0], error), error);
}

// A traced process stops when its program begins, and stays stopped until a debugger attaches or it
// gets SIGCONT. If it ends before, it is waited for like any other.
void leave_stopped(pid_t pid) {
  siginfo_t seen{};
  while (waitid(P_PID, static_cast<id_t>(pid), &seen, WSTOPPED | WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return;
  if (seen.si_code != CLD_TRAPPED) return;
  waitpid(pid, nullptr, WUNTRACED);
  ptrace(PTRACE_DETACH, pid, nullptr, reinterpret_cast<void*>(SIGSTOP));
}

}  // namespace

Result<StartedTask> start_task(const StepSetup& setup, TaskPlan plan) {
  if (plan.argv.empty()) return fail("a task without a command");
  Descriptors owned;
  TaskPipes ours;
  TaskEnds theirs;
  const bool connected =
      plan.pty ? open_terminal(owned, ours, theirs) : open_pipes(plan.files, owned, ours, theirs);
  if (!connected)
    return fail(fmt::format("cannot connect a task's streams: {}", std::strerror(errno)));

  // A task may open its streams by name (/dev/stderr), which depends on the owner of the pipe.
  if (setup.change_user)
    for (int fd : {theirs.in, theirs.out, theirs.err})
      if (owned.has(fd) && fchown(fd, setup.launch.uid.value, setup.launch.gid.value) != 0)
        return fail(fmt::format("cannot give a task its streams: {}", std::strerror(errno)));

  // Until the child has restored its signals, it ignores what its supervisor ignores. Signals are
  // blocked meanwhile, so that none is lost.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t supervisor = getpid();
  pid_t pid = fork();
  if (pid != 0) sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) run_in_child(setup, plan, theirs, supervisor);
  if (setup.launch.task.stopped) leave_stopped(pid);

  for (int fd : {ours.in, ours.out, ours.err}) {
    if (fd < 0) continue;
    owned.keep(fd);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  const int error_fd = !has_task_epilog(setup) ? -1 : fcntl(theirs.err, F_DUPFD_CLOEXEC, 3);
  return StartedTask{pid, ours, error_fd};
}

}  // namespace muster::step
