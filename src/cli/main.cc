// All commands in one program: the name it is called by picks one, "muster sbatch ..." works too.
// Which commands there are comes from the build: MUSTER_HAVE_X is set where X.cc exists.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "cli/lib/command.h"
#include "cli/lib/terminal.h"

namespace {

using muster::cli::Command;

constexpr auto kCommands = std::to_array<Command>({
#ifdef MUSTER_HAVE_SBATCH
    {"sbatch", muster::cli::sbatch_main},
#endif
#ifdef MUSTER_HAVE_SRUN
    {"srun", muster::cli::srun_main},
#endif
#ifdef MUSTER_HAVE_SALLOC
    {"salloc", muster::cli::salloc_main},
#endif
#ifdef MUSTER_HAVE_SATTACH
    {"sattach", muster::cli::sattach_main},
#endif
#ifdef MUSTER_HAVE_SCANCEL
    {"scancel", muster::cli::scancel_main},
#endif
#ifdef MUSTER_HAVE_SBCAST
    {"sbcast", muster::cli::sbcast_main},
#endif
#ifdef MUSTER_HAVE_SQUEUE
    {"squeue", muster::cli::squeue_main},
#endif
#ifdef MUSTER_HAVE_SINFO
    {"sinfo", muster::cli::sinfo_main},
#endif
#ifdef MUSTER_HAVE_SACCT
    {"sacct", muster::cli::sacct_main},
#endif
#ifdef MUSTER_HAVE_SEFF
    {"seff", muster::cli::seff_main},
#endif
#ifdef MUSTER_HAVE_SCONTROL
    {"scontrol", muster::cli::scontrol_main},
#endif
#ifdef MUSTER_HAVE_SPRIO
    {"sprio", muster::cli::sprio_main},
#endif
#ifdef MUSTER_HAVE_SSHARE
    {"sshare", muster::cli::sshare_main},
#endif
#ifdef MUSTER_HAVE_SSTAT
    {"sstat", muster::cli::sstat_main},
#endif
#ifdef MUSTER_HAVE_MUSTER
    {"muster", muster::cli::muster_main},
#endif
});

const Command* find(std::string_view name) {
  for (const Command& command : kCommands)
    if (command.name == name) return &command;
  return nullptr;
}

// What a task writes is the user's own, and so is a shell.
bool shows_what_others_wrote(std::string_view name) {
  return name != "srun" && name != "salloc" && name != "sattach";
}

int run(const Command& command, int argc, char** argv) {
  if (shows_what_others_wrote(command.name)) muster::cli::protect_terminal();
  return command.run(argc, argv);
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

int unknown(std::string_view name) {
  std::fprintf(stderr, "muster: error: no command %.*s; there are:", static_cast<int>(name.size()),
               name.data());
  for (const Command& command : kCommands) std::fprintf(stderr, " %s", command.name.data());
  std::fputc('\n', stderr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view name = argc > 0 ? base_name(argv[0]) : "muster";
  if (name != "muster")
    if (const Command* command = find(name)) return run(*command, argc, argv);
  if (argc > 1 && std::string_view(argv[1]) != "muster")
    if (const Command* command = find(argv[1])) return run(*command, argc - 1, argv + 1);
  if (const Command* command = find("muster")) return run(*command, argc, argv);
  return unknown(argc > 1 ? argv[1] : name);
}
