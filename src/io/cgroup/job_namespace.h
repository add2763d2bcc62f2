// JobNamespaces: private directories of jobs (job_container.conf). Each job has a mount namespace
// with its own /tmp, /dev/shm and so on. The file BASE/JOB/.ns holds the namespace, so that it
// outlives slurmd and all steps can enter it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace muster::io {

class JobNamespaces {
 public:
  JobNamespaces(std::string base, std::vector<std::string> directories)
      : base_(std::move(base)), directories_(std::move(directories)) {}

  // Makes BASE a private mount, so that mounts below it do not propagate. `make_base`: creates the
  // directory first.
  Result<void> set_up(bool make_base) const;
  bool has(JobId job) const;
  // The file that holds the job's namespace; made at the first call for a job.
  Result<std::string> provide(JobId job, Uid uid, Gid gid) const;
  // Frees the namespace, and moves the job's files out of the way of its next run. Returns their
  // new path for remove_tree(), which may take a while; empty if there are none.
  Result<std::string> release(JobId job) const;
  // Files that still must be removed: those that remove_tree() did not reach, and those of
  // namespaces that ended with a reboot.
  std::vector<std::string> leftovers() const;

 private:
  std::string directory_of(JobId job) const { return base_ + "/" + std::to_string(job.value); }
  Result<void> make(const std::string& home, const std::string& file, Uid uid, Gid gid) const;

  std::string base_;
  std::vector<std::string> directories_;
};

// For a task, before it switches to its user: enters the namespace, at its root. Returns 0 or the
// errno. The old working directory may not exist there, and only the user may enter it, so the task
// changes to it later.
int enter_job_namespace(const std::string& file);

}  // namespace muster::io
