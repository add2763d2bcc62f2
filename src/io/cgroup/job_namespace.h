// Private directories of jobs: one mount namespace for each job, in which /tmp, /dev/shm and so on
// are its own. It is held by a file, BASE/JOB/.ns, so that it outlives slurmd and all steps can
// enter it.
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

  // Makes BASE, if that is wanted, a mount of its own that tells nobody what is mounted below it.
  Result<void> set_up(bool make_base) const;
  bool has(JobId job) const;
  // The file that holds the job's namespace; made at the first call for a job.
  Result<std::string> provide(JobId job, Uid uid, Gid gid) const;
  // Frees it and moves what the job left out of the way of another run. Returns where that is, for
  // remove_tree(), which may take a while; empty where there is nothing.
  Result<std::string> release(JobId job) const;
  // What remove_tree() has not got to, and namespaces that a reboot has ended.
  std::vector<std::string> leftovers() const;

 private:
  std::string directory_of(JobId job) const { return base_ + "/" + std::to_string(job.value); }
  Result<void> make(const std::string& home, const std::string& file, Uid uid, Gid gid) const;

  std::string base_;
  std::vector<std::string> directories_;
};

// For a task, before it becomes its user: enters the namespace, at its root. The errno of a
// failure, or 0. Where the task was before is a name of which nothing is known in there: only the
// user himself may go to it.
int enter_job_namespace(const std::string& file);

}  // namespace muster::io
