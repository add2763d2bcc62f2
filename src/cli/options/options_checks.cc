// Checks the options of a job together: counts that follow from others, and contradictions.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/options/options.h"
#include "cli/options/options_gpus.h"
#include "cli/options/options_values.h"
#include "model/binding/distribution.h"

namespace muster::cli {

namespace {

// Only one of --mem, --mem-per-cpu and --mem-per-gpu may be given. A value from the environment is
// dropped if another one is given.
Outcome check_memory(JobOptions& o) {
  int written = 0;
  for (std::string_view name : {"mem", "mem-per-cpu", "mem-per-gpu"}) {
    auto use = o.given.find(name);
    if (use != o.given.end() && use->second.source != Source::environment) ++written;
  }
  if (written > 1)
    return std::unexpected(
        Refusal{fatal_line(client_name(o.client),
                           "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."),
                kExitFailure});
  std::string_view kept;
  for (std::string_view name : {"mem", "mem-per-cpu", "mem-per-gpu"}) {
    auto use = o.given.find(name);
    if (use == o.given.end()) continue;
    bool counts = written ? use->second.source != Source::environment : kept.empty();
    if (counts) kept = name;
  }
  if (kept != "mem") o.spec.memory_per_node_mib.reset();
  if (kept != "mem-per-cpu") o.spec.memory_per_cpu_mib.reset();
  if (kept != "mem-per-gpu") o.spec.memory_per_gpu_mib.reset();
  // All memory of the node, with either option.
  if (o.spec.memory_per_cpu_mib == 0u)
    o.spec.memory_per_node_mib = std::exchange(o.spec.memory_per_cpu_mib, std::nullopt);
  return {};
}

Outcome check_spec_cores(JobOptions& o) {
  if (!o.spec.core_spec || !o.spec.thread_spec) return {};
  return std::unexpected(
      Refusal{fatal_line(client_name(o.client),
                         "-S/--core-spec and --thread-spec options are mutually exclusive"),
              kExitFailure});
}

Outcome check_deadline(JobOptions& o) {
  const bool both = is_set(o.spec.begin) && is_set(o.spec.deadline);
  if (!both || o.spec.begin <= o.spec.deadline) return {};
  return refused(o, "Incompatible begin and deadline time specification", kExitFailure);
}

std::size_t distinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  return static_cast<std::size_t>(std::ranges::unique(names).begin() - names.begin());
}

// Keeps as many different names as -N allows.
void keep_names_of_nodes(std::vector<std::string>& names, std::uint32_t nodes) {
  for (std::size_t count = 1; count <= names.size(); ++count)
    if (distinct({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}) > nodes)
      return names.resize(count - 1);
}

// -m arbitrary: one task after the other on the nodes of -w, or of the file in SLURM_HOSTFILE. That
// variable implies -m arbitrary, whatever -m says.
Outcome list_tasks(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (!o.host_file.empty()) spec.distribution = "arbitrary";
  auto how = parse_distribution(spec.distribution.view());
  if (!how || how->kind != Distribution::Kind::arbitrary) return {};
  if (spec.required_nodes.empty() && !o.host_file.empty()) {
    auto list = read_node_file(o.host_file);
    if (!list)
      return refused(o,
                     fmt::format("slurm_allocate_resources error opening file {}, {}\n"
                                 "Failure getting NodeNames from hostfile",
                                 o.host_file, std::strerror(errno)),
                     kExitFailure);
    spec.required_nodes = Text(*list);
  }
  if (spec.required_nodes.empty())
    return refused(o,
                   "With Arbitrary distribution you need to specify a nodelist or hostfile with "
                   "the -w option",
                   kExitFailure);
  auto names = expand_hostlist(spec.required_nodes);
  if (!names) return {};  // the controller reports the error
  if (spec.num_tasks && *spec.num_tasks < names->size()) names->resize(*spec.num_tasks);
  if (o.is_said("nodes") && spec.max_nodes) keep_names_of_nodes(*names, spec.max_nodes);
  spec.required_nodes = Text(join(*names, ","));
  spec.num_tasks = static_cast<std::uint32_t>(names->size());
  spec.min_nodes = spec.max_nodes = static_cast<std::uint32_t>(distinct(*names));
  spec.nodes_given = true;
  return {};
}

// srun with more names than nodes uses the first names.
void keep_first_names(JobOptions& o, std::vector<std::string> names, std::uint32_t count) {
  JobRequest& spec = o.spec;
  print_error(client_name(o.client),
              fmt::format("Required nodelist includes more nodes than permitted by max-node count "
                          "({} > {}). Eliminating nodes from the nodelist.",
                          count, spec.max_nodes));
  names.resize(spec.max_nodes);
  spec.required_nodes = Text(compress_hostlist(names));
}

// A list of nodes asks for at least as many nodes as it names.
Outcome count_named_nodes(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (spec.required_nodes.empty()) return {};
  auto names = expand_hostlist(spec.required_nodes);
  if (!names) return {};  // the controller reports the error
  auto count = static_cast<std::uint32_t>(distinct(*names));
  if (count <= spec.min_nodes) return {};
  if (spec.nodes_given && spec.max_nodes != 0 && spec.max_nodes < count) {
    if (o.client != Client::srun)
      return refused(o, fmt::format("invalid number of nodes (-N {}-{})", count, spec.max_nodes),
                     kExitFailure);
    keep_first_names(o, std::move(*names), count);
    count = spec.max_nodes;
  }
  spec.min_nodes = count;
  return {};
}

// --hint: programs bound by computing or memory use one thread per core, the latter also one core
// per socket. An option about threads per core overrides the hint; a variable does not.
void follow_hint(JobOptions& o) {
  if (o.is_said("threads-per-core") || o.is_said("ntasks-per-core") || o.is_said("extra-node-info"))
    o.hint = {};
  const bool memory_bound = o.hint == "memory_bound";
  if (memory_bound || o.hint == "compute_bound" || o.hint == "nomultithread")
    o.spec.threads_per_core = 1;
  if (memory_bound) o.spec.cores_per_socket = 1;
}

// sbatch and salloc derive the number of tasks from requested sockets, cores and threads: with -B,
// an exact number of nodes, or named nodes.
void count_tasks_by_shape(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (o.client == Client::srun || spec.num_tasks || spec.ntasks_per_node) return;
  const bool has_parts = spec.sockets_per_node || spec.cores_per_socket || spec.threads_per_core;
  const bool is_range = spec.nodes_given && spec.min_nodes != spec.max_nodes;
  const bool is_exact =
      (spec.nodes_given || !spec.required_nodes.empty()) && !is_range && has_parts;
  if (!is_exact && (is_range || !o.is_given("extra-node-info"))) return;
  spec.num_tasks = std::max(1u, spec.min_nodes) * spec.sockets_per_node.value_or(1) *
                   spec.cores_per_socket.value_or(1) * spec.threads_per_core.value_or(1);
}

void shrink_to_tasks(JobOptions& o, std::vector<std::string>& warnings) {
  JobRequest& spec = o.spec;
  if (!spec.num_tasks || *spec.num_tasks >= spec.min_nodes) return;
  std::uint32_t tasks = *spec.num_tasks;
  warnings.push_back(
      fmt::format("Warning: can't run {} processes on {} nodes, setting nnodes to {}", tasks,
                  spec.min_nodes, tasks));
  spec.min_nodes = spec.max_nodes = tasks;
  spec.nodes_given = true;
  if (auto names = expand_hostlist(spec.required_nodes); names && names->size() > tasks) {
    names->resize(tasks);
    spec.required_nodes = Text(compress_hostlist(*names));
  }
}

void count_tasks(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (!spec.ntasks_per_node) return;
  std::uint32_t per_node = *spec.ntasks_per_node;
  const bool is_range = spec.max_nodes > spec.min_nodes;
  if (!spec.num_tasks && !is_range)  // with a range it is known at the start
    spec.num_tasks = spec.min_nodes * per_node;
  else if (spec.num_tasks && !spec.nodes_given)
    spec.min_nodes = std::max(spec.min_nodes, (*spec.num_tasks + per_node - 1) / per_node);
}

// -m plane: the last node must get a task too. srun checks this with its allocation.
Outcome check_planes(const JobOptions& o) {
  const JobRequest& spec = o.spec;
  if (o.client == Client::srun || spec.min_nodes < 2) return {};
  auto how = parse_distribution(spec.distribution.view());
  if (!how || how->kind != Distribution::Kind::plane) return {};
  const std::uint64_t per_node = spec.ntasks_per_node.value_or(0);
  const std::uint64_t tasks =
      spec.num_tasks ? *spec.num_tasks : std::max<std::uint64_t>(1, per_node * spec.min_nodes);
  if (tasks > std::uint64_t{spec.min_nodes - 1} * how->plane_size) return {};
  return refused(o, "Too few processes for the requested {plane,node} distribution", kExitFailure);
}

}  // namespace

Outcome finish(JobOptions& o, std::vector<std::string>& warnings) {
  if (o.quiet && o.verbose > 0)
    return refused(o, "don't specify both --verbose (-v) and --quiet (-Q)", kExitFailure);
  if (auto done = check_memory(o); !done) return done;
  if (auto done = check_spec_cores(o); !done) return done;
  if (auto done = check_deadline(o); !done) return done;
  if (auto done = check_stopping(o); !done) return done;
  const bool nodes_given = o.spec.nodes_given;
  if (auto done = check_gpus(o); !done) return done;
  const bool follows_gpus = o.spec.nodes_given && !nodes_given;
  if (auto done = list_tasks(o); !done) return done;
  if (auto done = count_named_nodes(o); !done) return done;
  follow_hint(o);
  count_tasks_by_shape(o);
  if (!follows_gpus) shrink_to_tasks(o, warnings);  // otherwise the nodes are needed for the GPUs
  count_tasks(o);
  return check_planes(o);
}

}  // namespace muster::cli
