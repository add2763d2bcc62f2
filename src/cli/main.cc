// The one program that contains all commands. The name by which it is called selects one; "muster
// sbatch ..." works too.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "cli/lib/command.h"
#include "cli/lib/terminal.h"

namespace {

using muster::cli::Command;

constexpr auto kCommands = std::to_array<Command>({
    {"sbatch", muster::cli::sbatch_main},   {"srun", muster::cli::srun_main},
    {"salloc", muster::cli::salloc_main},   {"sattach", muster::cli::sattach_main},
    {"scancel", muster::cli::scancel_main}, {"sbcast", muster::cli::sbcast_main},
    {"squeue", muster::cli::squeue_main},   {"sinfo", muster::cli::sinfo_main},
    {"sacct", muster::cli::sacct_main},     {"sacctmgr", muster::cli::sacctmgr_main},
    {"seff", muster::cli::seff_main},       {"scontrol", muster::cli::scontrol_main},
    {"sprio", muster::cli::sprio_main},     {"sreport", muster::cli::sreport_main},
    {"sshare", muster::cli::sshare_main},   {"sstat", muster::cli::sstat_main},
    {"sdiag", muster::cli::sdiag_main},     {"strigger", muster::cli::strigger_main},
    {"muster", muster::cli::muster_main},
});

const Command* find(std::string_view name) {
  for (const Command& command : kCommands)
    if (command.name == name) return &command;
  return nullptr;
}

// Output of tasks and of shells is the user's own, so it is not filtered.
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
