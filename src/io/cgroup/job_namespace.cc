// Builds a job's namespace in a child process, and binds it to a file.
#include "io/cgroup/job_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/strings.h"
#include "io/files.h"

namespace muster::io {

namespace {

constexpr long kNsfsMagic = 0x6e736673;
constexpr std::string_view kGone = ".gone";

std::unexpected<Error> failed(std::string_view what, const std::string& path) {
  return fail(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

bool is_mount_point(const std::string& path) {
  auto mounts = read_file("/proc/self/mountinfo");
  if (!mounts) return false;
  return std::ranges::any_of(split(*mounts, '\n'), [&](std::string_view line) {
    auto words = split(line, ' ');
    return words.size() > 4 && words[4] == path;
  });
}

// True if the file holds a namespace; false if it is only a plain file made for one.
bool holds_namespace(const std::string& file) {
  struct statfs info{};
  return statfs(file.c_str(), &info) == 0 && info.f_type == kNsfsMagic;
}

struct PrivateMount {
  std::string source, target;  // no source = a tmpfs
};

// Runs in a forked child, so it does not allocate memory. Exits with the errno of what failed.
[[noreturn]] void build(const std::vector<PrivateMount>& mounts, int ready, int go_on) {
  int error = 0;
  if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    error = errno;
  for (const PrivateMount& m : mounts) {
    if (error != 0) break;
    const bool is_tmpfs = m.source.empty();
    const int done = is_tmpfs
                         ? mount("tmpfs", m.target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, nullptr)
                         : mount(m.source.c_str(), m.target.c_str(), nullptr, MS_BIND, nullptr);
    if (done != 0) error = errno;
  }
  char byte = static_cast<char>(error);
  if (write(ready, &byte, 1) == 1 && error == 0) (void)!read(go_on, &byte, 1);
  _exit(error);
}

}  // namespace

Result<void> JobNamespaces::set_up(bool make_base) const {
  if (make_base)
    if (auto made = make_directories(base_, 0755); !made) return made;
  if (!exists(base_)) return fail(fmt::format("BasePath={}: there is no such directory", base_));
  if (!is_mount_point(base_) && mount(base_.c_str(), base_.c_str(), nullptr, MS_BIND, nullptr) != 0)
    return failed("BasePath cannot be mounted:", base_);
  if (mount(nullptr, base_.c_str(), nullptr, MS_PRIVATE, nullptr) != 0)
    return failed("BasePath cannot be made private:", base_);
  return {};
}

bool JobNamespaces::has(JobId job) const { return holds_namespace(directory_of(job) + "/.ns"); }

Result<std::string> JobNamespaces::provide(JobId job, Uid uid, Gid gid) const {
  const std::string home = directory_of(job);
  const std::string file = home + "/.ns";
  if (holds_namespace(file)) return file;
  if (auto made = make_directories(home, 0700); !made) return std::unexpected(made.error());
  if (auto made = make(home, file, uid, gid); !made) return std::unexpected(made.error());
  return file;
}

Result<void> JobNamespaces::make(const std::string& home, const std::string& file, Uid uid,
                                 Gid gid) const {
  std::vector<PrivateMount> mounts;
  for (const std::string& target : directories_) {
    if (target == "/dev/shm") {
      mounts.push_back({"", target});
      continue;
    }
    std::string name = target;
    std::ranges::replace(name, '/', '_');
    const std::string source = home + "/" + name;
    if (mkdir(source.c_str(), 0700) != 0 && errno != EEXIST) return failed("cannot make", source);
    if (chown(source.c_str(), uid.value, gid.value) != 0)
      return failed("cannot give the job", source);
    mounts.push_back({source, target});
  }
  int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return failed("cannot make", file);
  close(fd);

  int ready[2], go_on[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return failed("pipe for", file);
  if (pipe2(go_on, O_CLOEXEC) != 0) {
    close(ready[0]);
    close(ready[1]);
    return failed("pipe for", file);
  }
  const pid_t child = fork();
  if (child == 0) {
    close(go_on[1]);
    build(mounts, ready[1], go_on[0]);
  }
  close(ready[1]);
  close(go_on[0]);
  char error = 0;
  const bool built = child > 0 && read(ready[0], &error, 1) == 1 && error == 0;
  const std::string source = fmt::format("/proc/{}/ns/mnt", child);
  int bound = -1;
  if (built) bound = mount(source.c_str(), file.c_str(), nullptr, MS_BIND, nullptr);
  const int bind_error = errno;
  close(go_on[1]);
  close(ready[0]);
  if (child > 0)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  if (!built) {
    errno = error != 0 ? error : EAGAIN;
    return failed("cannot mount the private directories of", home);
  }
  errno = bind_error;
  if (bound != 0) return failed("cannot keep the namespace in", file);
  return {};
}

Result<std::string> JobNamespaces::release(JobId job) const {
  const std::string home = directory_of(job);
  const std::string file = home + "/.ns";
  if (!exists(home)) return std::string();
  if (holds_namespace(file) && umount2(file.c_str(), MNT_DETACH) != 0)
    return failed("cannot release", file);
  std::string aside;
  for (int i = 0; aside.empty() || exists(aside); ++i)
    aside = fmt::format("{}.{}{}", home, i, kGone);
  if (rename(home.c_str(), aside.c_str()) != 0) return failed("cannot move", home);
  return aside;
}

std::vector<std::string> JobNamespaces::leftovers() const {
  std::vector<std::string> found;
  auto names = list_directory(base_);
  if (!names) return found;
  for (const std::string& name : *names) {
    const std::string path = base_ + "/" + name;
    const bool of_a_job = parse_number<std::uint32_t>(name).has_value();
    if (name.ends_with(kGone) ||
        (of_a_job && exists(path + "/.ns") && !holds_namespace(path + "/.ns")))
      found.push_back(path);
  }
  return found;
}

int enter_job_namespace(const std::string& file) {
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = setns(fd, CLONE_NEWNS) == 0 ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace muster::io
