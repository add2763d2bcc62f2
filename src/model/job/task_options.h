// TaskOptions: what the tasks of a step run, and how. srun fills it from its options, and it is
// passed unchanged through the controller and slurmd to slurmstepd. What the controller decides
// (the number of tasks, their CPUs and variables) is next to it in wire::StepLaunch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "model/job/job_spec.h"

namespace muster {

struct TaskOptions {
  std::vector<std::string> argv;  // of a batch script: its arguments
  std::map<std::uint32_t, std::vector<std::string>> argv_by_rank;  // --multi-prog
  Text work_dir;
  Text std_in, std_out, std_err;  // patterns for files that the nodes open; empty = to srun
  OpenMode open_mode = OpenMode::unset;
  std::uint32_t umask = 022;
  bool pty = false;
  bool kill_on_bad_exit = false;
  Text cpu_bind, mem_bind, gpu_bind;  // as written
  Text task_prolog, task_epilog;      // srun's own, besides the cluster's
  Text mpi;                           // --mpi; empty = none
  bool rendezvous = false;            // tasks get RANK, LOCAL_RANK and so on
  bool label = false;                 // lines in files begin with their task's rank
  bool stopped = false;               // tasks wait for a debugger before they begin
  template <class V>
  void fields(V& v) {
    v(1, argv);
    v(2, argv_by_rank);
    v(3, work_dir);
    v(4, std_in);
    v(5, std_out);
    v(6, std_err);
    v(7, open_mode);
    v(8, umask);
    v(9, pty);
    v(10, kill_on_bad_exit);
    v(11, cpu_bind);
    v(12, mem_bind);
    v(13, gpu_bind);
    v(14, task_prolog);
    v(15, task_epilog);
    v(16, mpi);
    v(17, rendezvous);
    v(18, label);
    v(19, stopped);
  }
};

}  // namespace muster
