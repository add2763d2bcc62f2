// Reads the settings of one's own, and opens them in an editor.
#include "cli/muster/own_settings.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/lib/paths.h"
#include "config/keys/source.h"
#include "io/files.h"

namespace muster::cli {

namespace {

std::string editor() {
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (const char* words = std::getenv(variable); words && *words) return words;
  for (const char* program : {"sensible-editor", "nano", "vim", "vi"})
    if (std::string found = find_program(program); !found.empty()) return found;
  return {};
}

}  // namespace

std::string_view first_settings_text() {
  return "# Your own settings of the cluster of `muster up`, in the words of slurm.conf(5).\n"
         "# They last; a key here replaces the one that `muster up` writes. Examples:\n"
         "#\n"
         "# PartitionName=batch Nodes=ALL DefaultTime=30 MaxTime=1-0\n"
         "# PartitionName=low Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE\n"
         "# PreemptType=preempt/partition_prio\n"
         "# QoS=short MaxWall=60 Priority=1000\n"
         "#\n"
         "# What all nodes have beside what the options of `muster up` say:\n"
         "# NodeName=DEFAULT Feature=a100,nvlink\n"
         "#\n"
         "# A node that differs from the others:\n"
         "# NodeName=big Sockets=1 CoresPerSocket=48 CPUs=48 RealMemory=384000 Gres=gpu:v100:8\n";
}

Result<OwnSettings> read_own_settings(const std::string& path) {
  OwnSettings own;
  if (!io::exists(path)) return own;
  auto lines = config::read_lines(io::read_file, path);
  if (!lines) return std::unexpected(lines.error());
  own.has_lines = !lines->empty();
  for (const config::Line& line : *lines) {
    const config::Setting& first = line.settings.front();
    if (iequals(first.key, "PartitionName")) own.partitions.push_back(first.value);
    if (!iequals(first.key, "NodeName") || iequals(first.value, "DEFAULT")) continue;
    auto names = expand_hostlist(first.value);
    if (!names) return config::wrong_value(line.at, first, names.error().text());
    own.nodes.insert(own.nodes.end(), names->begin(), names->end());
  }
  return own;
}

Result<void> edit_file(const std::string& path) {
  const std::string program = editor();
  if (program.empty()) return fail(fmt::format("no editor is known: set EDITOR, or edit {}", path));
  // $EDITOR may have options, so the shell splits it.
  std::array<std::string, 5> words{"/bin/sh", "-c", program + " \"$1\"", "sh", path};
  std::array<char*, 6> argv{};
  for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
  pid_t pid = 0;
  if (const int error = ::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
      error != 0)
    return fail(fmt::format("cannot start {}: {}", program, std::strerror(error)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return fail(fmt::format("{}: {}", program, std::strerror(errno)));
  if (status == 0) return {};
  return fail(fmt::format("{} failed; {} is as it left it", program, path));
}

}  // namespace muster::cli
