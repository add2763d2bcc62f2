// Writes the slurm.conf of an embedded cluster for this machine.
#include "cli/muster/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text/strings.h"
#include "cli/lib/paths.h"

namespace muster::cli {

namespace {

constexpr std::string_view kCountMark = "# nodes: ", kOptionsMark = "# options: ";
// With each pretended GPU, as on servers for machine learning.
constexpr std::uint32_t kCpusPerGpu = 6;
constexpr std::uint64_t kMibPerGpu = 32 * 1024;
constexpr std::string_view kDefaultTime = "1:00:00";

// In slurm.conf a blank ends a value that is not quoted.
std::string quoted(const std::string& path) {
  return path.find_first_of(" \t") == path.npos ? path : fmt::format("\"{}\"", path);
}

std::string gres_text(const std::string& type, std::size_t count) {
  return count == 0 ? "" : fmt::format(" Gres=gpu:{}{}", type.empty() ? "" : type + ":", count);
}

// The GPUs of the machine that a node gets: as many as the options say, or all for the first one,
// so that no GPU is allocated twice.
std::vector<std::string> gpus_of(const EmbeddedLayout& layout, std::size_t node) {
  const std::vector<std::string>& all = layout.machine.gpus;
  if (layout.pretends_gpus()) return {};
  if (!layout.options.gpus) return node == 0 ? all : std::vector<std::string>();
  const std::uint32_t each = layout.options.gpus->count;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(node * each);
  return {first, first + each};
}

std::string gpu_type(const EmbeddedLayout& layout) {
  return layout.options.gpus ? layout.options.gpus->type : std::string();
}

// For the nodes of `muster up` and for those in the settings of one's own.
std::string default_node_line(const EmbeddedLayout& layout) {
  const Machine& machine = layout.machine;
  const bool is_machine = layout.node_cpus() == machine.cpus;
  std::string line = fmt::format(
      "NodeName=DEFAULT NodeHostname={} NodeAddr=localhost CPUs={} Boards=1 SocketsPerBoard={} "
      "CoresPerSocket={} ThreadsPerCore={} RealMemory={}",
      machine.host_name, layout.node_cpus(), is_machine ? machine.sockets : 1,
      is_machine ? machine.cores_per_socket : layout.node_cpus(),
      is_machine ? machine.threads_per_core : 1, layout.node_memory_mib());
  if (layout.pretends_gpus()) line += gres_text(gpu_type(layout), layout.options.gpus->count);
  if (!layout.options.features.empty())
    line += fmt::format(" Feature={}", join(layout.options.features, ","));
  return line + " State=UNKNOWN\n";
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string node_lines(const EmbeddedLayout& layout) {
  std::string lines;
  const auto names = node_names(layout.machine, layout.options.node_count());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!has(layout.own.nodes, names[i]))
      lines += fmt::format("NodeName={}{}\n", names[i],
                           gres_text(gpu_type(layout), gpus_of(layout, i).size()));
  return lines;
}

std::string partition_lines(const EmbeddedLayout& layout) {
  std::string lines;
  std::vector<std::string> names{std::string(kEmbeddedPartition)};
  names.insert(names.end(), layout.options.partitions.begin(), layout.options.partitions.end());
  for (const std::string& name : names)
    if (!has(layout.own.partitions, name))
      lines +=
          fmt::format("PartitionName={} Nodes=ALL{} DefaultTime={} MaxTime=INFINITE State=UP\n",
                      name, name == kEmbeddedPartition ? " Default=YES" : "", kDefaultTime);
  return lines;
}

}  // namespace

Result<Machine> parse_machine(std::string_view slurmd_line) {
  Machine machine;
  bool has_cpus = false, has_memory = false;
  for (std::string_view word : split_words(slurmd_line.substr(0, slurmd_line.find('\n')))) {
    const auto equals = word.find('=');
    if (equals == word.npos) continue;
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    const auto number = parse_number<std::uint64_t>(value);
    if (key == "NodeName") machine.host_name = value;
    if (!number || *number == 0) continue;
    const auto count = static_cast<std::uint32_t>(*number);
    if (key == "CPUs") machine.cpus = count, has_cpus = true;
    if (key == "SocketsPerBoard") machine.sockets = count;
    if (key == "CoresPerSocket") machine.cores_per_socket = count;
    if (key == "ThreadsPerCore") machine.threads_per_core = count;
    if (key == "RealMemory") machine.memory_mib = *number, has_memory = true;
  }
  if (!has_cpus || !has_memory)
    return fail(fmt::format("`slurmd -C` does not describe this machine: {}", slurmd_line));
  if (machine.host_name.empty()) machine.host_name = "localhost";
  // With different kinds of cores in one machine there is no regular topology: then every CPU
  // counts as a core.
  if (machine.sockets * machine.cores_per_socket * machine.threads_per_core != machine.cpus) {
    machine.sockets = machine.threads_per_core = 1;
    machine.cores_per_socket = machine.cpus;
  }
  return machine;
}

std::vector<std::string> find_gpus(const std::string& dev_directory) {
  std::vector<std::uint32_t> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dev_directory, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with("nvidia")) continue;  // skips nvidiactl and nvidia-uvm
    if (auto number = parse_number<std::uint32_t>(std::string_view(name).substr(6)))
      numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  std::vector<std::string> files;
  for (std::uint32_t number : numbers)
    files.push_back(fmt::format("{}/nvidia{}", dev_directory, number));
  return files;
}

std::vector<std::string> node_names(const Machine& machine, std::uint32_t count) {
  if (count == 1) return {machine.host_name};
  std::vector<std::string> names;
  for (std::uint32_t i = 1; i <= count; ++i) names.push_back(fmt::format("node{}", i));
  return names;
}

bool EmbeddedLayout::pretends_gpus() const {
  if (!options.gpus || options.gpus->count == 0) return false;
  return std::size_t{options.node_count()} * options.gpus->count > machine.gpus.size();
}

bool EmbeddedLayout::pretends_more() const {
  return pretends_gpus() || node_cpus() > machine.cpus ||
         node_memory_mib() > std::max<std::uint64_t>(machine.memory_mib / options.node_count(), 1);
}

std::uint32_t EmbeddedLayout::node_cpus() const {
  if (options.cpus) return *options.cpus;
  // Jobs can share CPUs, so each pretend node has all of the machine.
  return pretends_gpus() ? std::max(machine.cpus, kCpusPerGpu * options.gpus->count) : machine.cpus;
}

std::uint64_t EmbeddedLayout::node_memory_mib() const {
  if (options.memory_mib) return *options.memory_mib;
  const std::uint64_t share = std::max<std::uint64_t>(machine.memory_mib / options.node_count(), 1);
  return pretends_gpus() ? std::max(share, kMibPerGpu * options.gpus->count) : share;
}

std::string slurm_conf_text(const EmbeddedLayout& layout) {
  auto in = [&](std::string_view path) { return quoted(layout.base + std::string(path)); };
  std::string text = fmt::format(
      "# Written by `muster up`, anew each time. Your own settings: `muster up --edit`.\n"
      "{}{}\n{}{}\n"
      "ClusterName=embedded\n"
      "SlurmctldHost={}\n"
      "SlurmUser={}\n"
      "SlurmdUser={}\n"
      "AuthType=auth/unix\n"
      "ProctrackType=proctrack/linuxproc\n"
      "TaskPlugin=task/none\n"
      "JobAcctGatherType=jobacct_gather/linux\n"
      "JobAcctGatherFrequency=2\n"
      "JobAcctGatherParams=OverMemoryKill\n"
      "SelectType=select/cons_tres\n"
      "SelectTypeParameters=CR_Core_Memory\n"
      "DefMemPerCPU={}\n"
      "ReturnToService=2\n"
      "SlurmdParameters=config_overrides\n"
      "MpiDefault=none\n"
      "MailProg=/bin/true\n"
      "GresTypes=gpu\n",
      kCountMark, layout.options.node_count(), kOptionsMark, layout.options.text(),
      layout.machine.host_name, layout.user, layout.user,
      std::max<std::uint64_t>(layout.node_memory_mib() / layout.node_cpus(), 1));
  text += fmt::format("StateSaveLocation={}\n", in("/state"));
  text += fmt::format("SlurmdSpoolDir={}\n", in("/spool/%n"));
  text += fmt::format("SlurmctldPidFile={}\n", in("/run/slurmctld.pid"));
  text += fmt::format("SlurmdPidFile={}\n", in("/run/slurmd.%n.pid"));
  text += fmt::format("SlurmctldLogFile={}\n", in("/log/slurmctld.log"));
  text += fmt::format("SlurmdLogFile={}\n", in("/log/slurmd.%n.log"));
  text += default_node_line(layout);
  // Named without its directory, which may contain blanks.
  if (layout.own.has_lines) text += "Include settings.conf\n";
  return text + node_lines(layout) + partition_lines(layout);
}

std::string gres_conf_text(const EmbeddedLayout& layout) {
  std::string text;
  const auto names = node_names(layout.machine, layout.options.node_count());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const std::string& file : gpus_of(layout, i))
      text += fmt::format("NodeName={} Name=gpu{} File={}\n", names[i],
                          gpu_type(layout).empty() ? "" : " Type=" + gpu_type(layout), file);
  return text;
}

std::string login_path_text(const EmbeddedLayout& layout) {
  return fmt::format(
      "# For batch scripts that begin with \"#!/bin/bash -l\": the directory of the commands.\n"
      "PATH={}:$PATH\n"
      "export PATH\n"
      "unset BASH_ENV\n",
      shell_quoted(layout.commands));
}

std::optional<UpOptions> recorded_options(std::string_view slurm_conf) {
  UpOptions options;
  bool is_found = false;
  for (std::string_view line : split(slurm_conf, '\n')) {
    if (line.starts_with(kCountMark)) {
      options.nodes = parse_number<std::uint32_t>(line.substr(kCountMark.size()));
      is_found = true;
    }
    if (!line.starts_with(kOptionsMark)) continue;
    auto parsed = parse_up_options(split_words(line.substr(kOptionsMark.size())));
    if (parsed) return *parsed;
  }
  return is_found ? std::optional(options) : std::nullopt;
}

}  // namespace muster::cli
