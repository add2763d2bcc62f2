// Sets up posix_spawn.
#include "io/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace muster::io {
namespace {

// Owns the two opaque structs of posix_spawn. glibc implements it with vfork, so the page tables of
// a big daemon are not copied.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

void plan_signals_and_session(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

Result<int> memory_file(std::string_view bytes) {
  const int fd = memfd_create("setup", MFD_CLOEXEC);
  if (fd < 0) return fail(fmt::format("memfd_create: {}", std::strerror(errno)));
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      close(fd);
      return fail(fmt::format("a file in memory: {}", std::strerror(error)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return fd;
}

Result<pid_t> spawn(const SpawnRequest& request) {
  constexpr int kFirst = 3;
  const int end = kFirst + static_cast<int>(request.descriptors.size());
  SpawnPlan plan;
  plan_signals_and_session(plan.attributes);
  posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&plan.actions, 1, "/dev/null", O_WRONLY, 0);
  if (request.output >= 0) {
    posix_spawn_file_actions_adddup2(&plan.actions, request.output, 1);
    posix_spawn_file_actions_adddup2(&plan.actions, request.output, 2);
  }

  // A descriptor with one of the target numbers could be overwritten before it is copied, so first
  // copy it above the targets.
  std::vector<int> copies;
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    int from = request.descriptors[i];
    if (from < end) {
      from = fcntl(from, F_DUPFD_CLOEXEC, end);
      if (from >= 0) copies.push_back(from);
    }
    posix_spawn_file_actions_adddup2(&plan.actions, from, kFirst + static_cast<int>(i));
  }
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, end);

  std::vector<char*> argv = pointers(request.argv);
  std::vector<char*> variables;
  if (request.environment) variables = pointers(*request.environment);
  pid_t pid = 0;
  int error = posix_spawn(&pid, request.path.c_str(), &plan.actions, &plan.attributes, argv.data(),
                          request.environment ? variables.data() : environ);
  for (int copy : copies) close(copy);
  if (error != 0)
    return fail(fmt::format("cannot start {}: {}", request.path, std::strerror(error)));
  return pid;
}

}  // namespace muster::io
