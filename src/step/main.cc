// slurmstepd: slurmd starts one for each step, with the setup in descriptor 3, a socket to slurmd
// in 4 and the lock of the step's file in 5; or the nursery (io/stepd/step_nursery.h) forks it and
// gets these later. It outlives slurmd.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/codec/codec.h"
#include "base/version.h"
#include "io/cgroup/cgroup.h"
#include "io/process/daemonize.h"
#include "io/process/grouped_program.h"
#include "io/process/processes.h"
#include "io/stepd/step_nursery.h"
#include "step/streams/receive_file.h"
#include "step/supervisor.h"

namespace {

constexpr int kSetup = 3, kSlurmd = 4, kLock = 5;

std::string read_setup() {
  std::string bytes;
  lseek(kSetup, 0, SEEK_SET);
  char buffer[16384];
  ssize_t count;
  while ((count = read(kSetup, buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<std::size_t>(count));
  close(kSetup);
  return bytes;
}

int watch_children() {
  // Signals for the step's tasks or from a terminal do not end their supervisor.
  for (int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_IGN);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  return signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
}

// Other processes must not read a step's keys, and the kernel must not kill this process when its
// tasks have used up the memory.
void protect() {
  muster::io::keep_memory_private();
  muster::io::spare_from_oom();
}

// Tasks must not inherit the keyring of the user who started slurmd.
void leave_keyring() { syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

// Turns a forked process into what a newly started slurmstepd would be.
bool become_step(muster::io::GivenStep given, char* title, char* argument) {
  constexpr int kAboveAll = kLock + 1;
  setsid();
  std::signal(SIGCHLD, SIG_DFL);
  // First move them above the targets, so that none is overwritten.
  for (int& fd : given.descriptors) fd = fcntl(fd, F_DUPFD_CLOEXEC, kAboveAll);
  for (std::size_t i = 0; i < given.descriptors.size(); ++i)
    if (dup2(given.descriptors[i], kSetup + static_cast<int>(i)) < 0) return false;
  close_range(kAboveAll, ~0u, 0);
  const std::size_t room = std::strlen(title);
  std::memset(title, 0, room);
  std::memset(argument, 0, std::strlen(argument));
  std::memcpy(title, given.title.data(), std::min(room, given.title.size()));
  return true;
}

// Forks a process for each step, and returns in it. False: slurmd has gone, and the nursery ends.
bool fork_steps(char* title, char* argument) {
  constexpr int kNursery = kSetup;
  std::signal(SIGCHLD, SIG_IGN);  // the nursery does not wait for steps
  while (auto given = muster::io::await_step(kNursery)) {
    const pid_t child = fork();
    // If fork fails, the nursery itself becomes the step; slurmd starts another nursery.
    if (child <= 0) return become_step(std::move(*given), title, argument);
    for (int fd : given->descriptors) close(fd);
  }
  return false;
}

int receive_file() {
  constexpr int kConnection = kSlurmd;
  auto setup = muster::decode<muster::io::FileReceiverSetup>(read_setup());
  if (!setup) return 1;
  std::signal(SIGPIPE, SIG_IGN);
  muster::step::receive_file(std::move(*setup), kConnection);
  return 0;
}

// Executes a site program among the processes of a job.
int run_in_group() {
  auto setup = muster::decode<muster::io::GroupedProgram>(read_setup());
  if (!setup || setup->argv.empty()) return 1;
  auto groups = muster::io::make_cgroup(setup->groups);
  auto entered = groups ? (*groups)->enter() : std::unexpected(groups.error());
  if (!entered) std::fprintf(stderr, "slurmstepd: error: %s\n", entered.error().text().c_str());
  if (!entered) return 1;
  std::vector<char*> argv;
  for (std::string& word : setup->argv) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv.front(), argv.data());
  std::fprintf(stderr, "slurmstepd: error: %s: %s\n", argv.front(), std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts(muster::kVersionLine.data());
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], muster::io::kReceiveFile) == 0) return receive_file();
  if (argc > 1 && std::strcmp(argv[1], muster::io::kRunInGroup) == 0) return run_in_group();
  if (geteuid() == 0) protect();
  // Keep freed memory, because output buffers are allocated and freed in every round.
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
  if (argc > 1 && std::strcmp(argv[1], muster::io::kStepNursery) == 0 &&
      !fork_steps(argv[0], argv[1]))
    return 0;
  if (fcntl(kLock, F_GETFD) < 0) {
    std::fputs("slurmstepd is started by slurmd, not by hand\n", stderr);
    return 1;
  }
  for (int fd : {kSetup, kSlurmd, kLock}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  auto setup = muster::decode<muster::StepSetup>(read_setup());
  if (!setup) {
    std::fputs("slurmstepd: error: slurmd sent a setup that cannot be read\n", stderr);
    return 1;
  }
  leave_keyring();
  if (setup->lock_memory)  // no failure if the limit forbids it
    (void)mlockall(MCL_CURRENT | (setup->lock_future_memory ? MCL_FUTURE : 0));
  muster::step::Supervisor(std::move(*setup), muster::io::StepSocket(kSlurmd), kLock,
                           watch_children())
      .run();
  // Everything has been written, and the kernel frees memory faster than destructors.
  _exit(0);
}
