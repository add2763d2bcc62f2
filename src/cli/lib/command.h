// One program contains all commands; the name by which it is called selects one.
#pragma once

#include <span>
#include <string_view>

namespace muster::cli {

struct Command {
  std::string_view name;
  int (*run)(int argc, char** argv);
};

int sbatch_main(int argc, char** argv);
int srun_main(int argc, char** argv);
int salloc_main(int argc, char** argv);
int sbcast_main(int argc, char** argv);
int sattach_main(int argc, char** argv);
int scancel_main(int argc, char** argv);
int squeue_main(int argc, char** argv);
int sinfo_main(int argc, char** argv);
int sacct_main(int argc, char** argv);
int sacctmgr_main(int argc, char** argv);
int seff_main(int argc, char** argv);
int scontrol_main(int argc, char** argv);
int sprio_main(int argc, char** argv);
int sreport_main(int argc, char** argv);
int sshare_main(int argc, char** argv);
int sstat_main(int argc, char** argv);
int sdiag_main(int argc, char** argv);
int strigger_main(int argc, char** argv);
int muster_main(int argc, char** argv);

}  // namespace muster::cli
