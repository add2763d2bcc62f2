// muster: subcommands for which Slurm has no command. Each has a file of its own.
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "base/install_paths.h"
#include "cli/lib/command.h"
#include "cli/lib/errors.h"
#include "cli/muster/embedded.h"
#include "cli/options/usage.h"

namespace muster::cli {

namespace {

struct Subcommand {
  std::string_view name, usage, help;
  int (*run)(std::vector<std::string_view> args);
};

constexpr std::array kSubcommands{
    Subcommand{
        "up", "up [--nodes=N] [--gpus=N] [--edit]",
        "start a cluster on this machine, or restart it after a crash; --nodes and --gpus pretend, "
        "--edit changes its settings",
        muster_up},
    Subcommand{"down", "down [--force]", "stop the cluster; with --force, cancel running jobs",
               muster_down},
    Subcommand{"status", "status", "show which daemons run; exit code 0 = all, 1 = not all",
               muster_status},
    Subcommand{"explain", "explain JOB [--json]",
               "explain why a job waits and what would start it sooner, or how it ended",
               muster_explain},
    Subcommand{"sim", "sim TRACE | sim --generate=JOBS",
               "replay a trace of jobs (SWF) through the scheduler, or make one up", muster_sim},
    Subcommand{"completion", "completion bash|zsh|fish",
               "print what makes a shell complete options, jobs, nodes and other names",
               muster_completion},
};

void print_usage() {
  std::string text = "Usage: muster";
  std::string separator = " ";
  for (const Subcommand& subcommand : kSubcommands) {
    text += fmt::format("{}{}", separator, subcommand.usage);
    separator = " | ";
  }
  std::puts((text + " | help").c_str());
}

void print_help() {
  print_usage();
  std::puts("\nA cluster for one user on this machine, without configuration, root or munge.\n");
  for (const Subcommand& subcommand : kSubcommands)
    fmt::print("  {:<34} {}\n", subcommand.usage, subcommand.help);
  fmt::print(
      "\n  -h, --help                         print this help\n"
      "      --usage                        print its first line\n"
      "  -V, --version                      print the version\n"
      "\nEverything is kept in $XDG_STATE_HOME/muster (~/.local/state/muster). While the cluster "
      "is up,\n"
      "sbatch, squeue and the others find it unless SLURM_CONF or {} names another.\n",
      kSystemConfig);
}

std::string names() {
  std::string text;
  for (const Subcommand& subcommand : kSubcommands) text += fmt::format("{}, ", subcommand.name);
  return text + "help";
}

// If the word asks for help, usage or the version: prints it and returns true.
bool answer_general(std::string_view word) {
  if (word == "help" || word == "--help" || word == "-h")
    print_help();
  else if (word == "--usage")
    print_usage();
  else if (word == "-V" || word == "--version")
    std::fputs(version_text().c_str(), stdout);
  else
    return false;
  return true;
}

}  // namespace

int muster_main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) {
    print_error("muster", fmt::format("say what to do: {}", names()));
    return kExitFailure;
  }
  if (answer_general(words[0])) return 0;
  if (words[0] == "complete") return muster_complete({words.begin() + 1, words.end()});
  for (const Subcommand& subcommand : kSubcommands) {
    if (subcommand.name != words[0]) continue;
    words.erase(words.begin());
    // sim has options of its own, and its own help.
    for (std::string_view word : words)
      if (word != "help" && subcommand.run != muster_sim && answer_general(word)) return 0;
    return subcommand.run(std::move(words));
  }
  print_error("muster",
              fmt::format("unknown {} '{}'; there are: {}",
                          words[0].starts_with('-') ? "option" : "command", words[0], names()));
  return kExitFailure;
}

}  // namespace muster::cli
