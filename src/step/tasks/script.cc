// Writes the batch script before the job starts, and removes it afterwards.
#include "step/tasks/script.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace muster::step {

Result<std::string> spool_script(const StepSetup& setup) {
  const std::string dir = setup.job_dir.str();
  const std::string path = dir + "/slurm_script";
  auto failed = [&] {
    const bool is_full = errno == ENOSPC || errno == EDQUOT;
    return fail(is_full ? ErrorCode::state_storage_full : ErrorCode::failure,
                fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  };
  const uid_t uid = setup.launch.uid.value;
  const gid_t gid = setup.launch.gid.value;

  // The user may read the directory but not write to it: nobody would remove files left there.
  constexpr mode_t kForGroup = 0750;
  if (mkdir(dir.c_str(), kForGroup) != 0 && errno != EEXIST) return failed();
  if (setup.change_user && lchown(dir.c_str(), 0, gid) != 0) return failed();
  if (chmod(dir.c_str(), kForGroup) != 0) return failed();
  unlink(path.c_str());  // of an earlier attempt
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  if (fd < 0) return failed();

  std::string_view rest = setup.launch.script;
  bool ok = fchmod(fd, 0700) == 0 && (!setup.change_user || fchown(fd, uid, gid) == 0);
  while (ok && !rest.empty()) {
    ssize_t count = write(fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    ok = count >= 0;
    if (ok) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (!ok) {
    auto error = failed();
    close(fd);
    return error;
  }
  if (close(fd) != 0) return failed();
  return path;
}

void remove_script(const StepSetup& setup) {
  const std::string dir = setup.job_dir.str();
  unlink((dir + "/slurm_script").c_str());
  rmdir(dir.c_str());
}

}  // namespace muster::step
