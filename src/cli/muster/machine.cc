// Writes the slurm.conf of an embedded cluster for this machine.
#include "cli/muster/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

constexpr std::string_view kCountMark = "# nodes: ";

// In slurm.conf a blank ends a value that is not quoted.
std::string quoted(const std::string& path) {
  return path.find_first_of(" \t") == path.npos ? path : fmt::format("\"{}\"", path);
}

std::string gres_of(const Machine& machine) {
  return machine.gpus.empty() ? "" : fmt::format(" Gres=gpu:{}", machine.gpus.size());
}

std::string node_lines(const EmbeddedLayout& layout) {
  const Machine& machine = layout.machine;
  std::string lines;
  // Each pretend node has all CPUs of the machine, which jobs can share, and a part of its memory,
  // which they cannot. The GPUs belong to the first node, so that no GPU is allocated twice.
  const std::uint64_t memory = std::max<std::uint64_t>(machine.memory_mib / layout.nodes, 1);
  for (const std::string& name : node_names(machine, layout.nodes)) {
    lines += fmt::format(
        "NodeName={} NodeHostname={} NodeAddr=localhost CPUs={} Boards=1 SocketsPerBoard={} "
        "CoresPerSocket={} ThreadsPerCore={} RealMemory={}{} State=UNKNOWN\n",
        name, machine.host_name, machine.cpus, machine.sockets, machine.cores_per_socket,
        machine.threads_per_core, memory, lines.empty() ? gres_of(machine) : "");
  }
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

std::string slurm_conf_text(const EmbeddedLayout& layout) {
  const Machine& machine = layout.machine;
  const std::uint64_t memory = machine.memory_mib / layout.nodes;
  auto in = [&](std::string_view path) { return quoted(layout.base + std::string(path)); };
  std::string text = fmt::format(
      "# Written by `muster up`, anew each time: changes made here do not last.\n"
      "{}{}\n"
      "ClusterName=embedded\n"
      "SlurmctldHost={}\n"
      "SlurmUser={}\n"
      "SlurmdUser={}\n"
      "AuthType=auth/unix\n"
      "ProctrackType=proctrack/linuxproc\n"
      "TaskPlugin=task/none\n"
      "JobAcctGatherType=jobacct_gather/linux\n"
      "SelectType=select/cons_tres\n"
      "SelectTypeParameters=CR_Core_Memory\n"
      "DefMemPerCPU={}\n"
      "ReturnToService=2\n"
      "SlurmdParameters=config_overrides\n"
      "MpiDefault=none\n"
      "MailProg=/bin/true\n",
      kCountMark, layout.nodes, machine.host_name, layout.user, layout.user,
      std::max<std::uint64_t>(memory / machine.cpus, 1));
  text += fmt::format("StateSaveLocation={}\n", in("/state"));
  text += fmt::format("SlurmdSpoolDir={}\n", in("/spool/%n"));
  text += fmt::format("SlurmctldPidFile={}\n", in("/run/slurmctld.pid"));
  text += fmt::format("SlurmdPidFile={}\n", in("/run/slurmd.%n.pid"));
  text += fmt::format("SlurmctldLogFile={}\n", in("/log/slurmctld.log"));
  text += fmt::format("SlurmdLogFile={}\n", in("/log/slurmd.%n.log"));
  if (!machine.gpus.empty()) text += "GresTypes=gpu\n";
  text += node_lines(layout);
  return text + fmt::format("PartitionName={} Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
                            kEmbeddedPartition);
}

std::string gres_conf_text(const EmbeddedLayout& layout) {
  std::string text;
  const std::string node = node_names(layout.machine, layout.nodes).front();
  for (const std::string& file : layout.machine.gpus)
    text += fmt::format("NodeName={} Name=gpu File={}\n", node, file);
  return text;
}

std::uint32_t node_count(std::string_view slurm_conf) {
  for (std::string_view line : split(slurm_conf, '\n'))
    if (line.starts_with(kCountMark))
      return parse_number<std::uint32_t>(line.substr(kCountMark.size())).value_or(0);
  return 0;
}

}  // namespace muster::cli
