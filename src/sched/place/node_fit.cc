// Fits tasks on one node: CPUs, memory, and devices that are close to these CPUs.
#include "sched/place/node_fit.h"

#include <algorithm>
#include <tuple>

#include "base/saturating.h"
#include "model/node/spec_cores.h"

namespace muster::sched {

// --core-spec replaces the node's own CoreSpecCount; such a job has its nodes alone.
IdSet cpus_beside_system(const Node& node, std::uint32_t cores) {
  IdSet cpus = IdSet::range(0, std::max(1u, node.config.cpus) - 1);
  cpus.subtract(spec_cpus(node.config, cores));
  return cpus;
}

NodeFit::NodeFit(const ResourceRequest& request, const Node& node, const Free& free)
    : request_(request),
      node_(node),
      cpus_(request, node),
      own_(request.spec_cores || cpus_.wants_free_sockets() ||
                   (wants_devices() && has_parts_of_gpus(node))
               ? std::optional(free)
               : std::nullopt),
      free_(own_ ? *own_ : free) {
  if (own_) part_gpus(node, *own_);
  if (own_ && request.spec_cores) own_->cpus = cpus_beside_system(node, *request.spec_cores);
  if (cpus_.wants_free_sockets()) own_->cpus = cpus_.in_free_sockets(own_->cpus);
  if (wants_devices() && !request.tasks_per_socket_max)
    groups_ = gpu_groups(node, cpus_.per_core());
}

bool NodeFit::wants_devices() const {
  return !request_.gres_per_node.empty() || !request_.gpus_per_task.empty() ||
         !request_.gpus_per_socket.empty() || !request_.gpus_total.empty();
}

bool NodeFit::has_shape() const {
  const NodeConfig& c = node_.config;
  return c.sockets >= request_.min_sockets && c.cores_per_socket >= request_.min_cores_per_socket &&
         c.threads_per_core >= request_.min_threads_per_core &&
         c.tmp_disk_mib >= request_.tmp_disk_mib && c.memory_mib >= request_.least_memory_mib;
}

std::uint64_t NodeFit::gpus_for(std::uint32_t tasks) const {
  if (request_.all_devices) return free_devices(free_.gres, {"gpu"});
  std::uint64_t n = 0;
  for (const GresRequest& g : request_.gres_per_node)
    if (g.name == "gpu") n = saturating_add(n, g.count);
  n = saturating_add(n, saturating_multiply(sum_of(request_.gpus_per_task), tasks));
  n = saturating_add(
      n, saturating_multiply(sum_of(request_.gpus_per_socket), std::max(1u, request_.min_sockets)));
  for (std::size_t i = 0; i < request_.gpus_total.size(); ++i) n = saturating_add(n, counted(i));
  return n;
}

// The most GPUs that the job can have here. Of GPUs counted over the whole job, each other node
// needs one.
std::uint64_t NodeFit::gpus_at_most() const {
  std::uint64_t n = 0;
  for (const GresRequest& g : request_.gres_per_node)
    if (g.name == "gpu") n = saturating_add(n, g.count);
  for (const GresRequest& g : request_.gpus_total) {
    const std::uint64_t elsewhere = std::min<std::uint64_t>(g.count, request_.min_nodes) - 1;
    n = saturating_add(n, std::min(g.count - elsewhere, free_devices(free_.gres, g)));
  }
  return n;
}

const GpuCounts& NodeFit::count_gpus(GpuCounts most) {
  std::uint64_t room = ~std::uint64_t{0};  // for GPUs of all types
  if (const std::uint64_t each = request_.memory_per_gpu_mib.value_or(0); each)
    room = memory_room_mib() / each;
  if (request_.cpus_per_gpu && !request_.whole_nodes)
    room = std::min<std::uint64_t>(room, free_.usable_cpus() / request_.cpus_per_gpu);
  for (std::size_t i = 0; i < most.size(); ++i) {
    most[i] = std::min({most[i], room, free_devices(free_.gres, request_.gpus_total[i])});
    room -= most[i];
  }
  return counted_gpus_ = std::move(most);
}

std::uint32_t NodeFit::cpus_for(std::uint32_t tasks) const {
  const std::uint32_t cpus = cores_for(tasks);
  if (request_.unit != ResourceRequest::Unit::socket || cpus >= free_.cpus.size()) return cpus;
  return static_cast<std::uint32_t>(cpus_.pick_for(free_.cpus, cpus, tasks).size());
}

// The CPUs that so many tasks need, rounded up to whole cores where cores or sockets are allocated.
std::uint32_t NodeFit::cores_for(std::uint32_t tasks) const {
  if (request_.whole_nodes)
    return static_cast<std::uint32_t>(request_.spec_cores ? free_.cpus.size()
                                                          : all_cpus_of(node_).size());
  std::uint64_t cpus =
      request_.overcommit ? request_.cpus_per_task : std::uint64_t{tasks} * cpus_.of_a_task();
  if (request_.cpus_per_gpu)
    cpus = std::max(cpus, saturating_multiply(gpus_for(tasks), request_.cpus_per_gpu));
  if (request_.tasks_per_core_max && !request_.overcommit)
    cpus = std::max(cpus, (std::uint64_t{tasks} + request_.tasks_per_core_max - 1) /
                              request_.tasks_per_core_max * cpus_.usable_per_core());
  cpus = std::max<std::uint64_t>(cpus, request_.min_cpus_per_node);
  return cpus_.round_up(static_cast<std::uint32_t>(std::min<std::uint64_t>(cpus, 1u << 30)));
}

std::uint64_t NodeFit::memory_room_mib() const {
  return std::min(free_.memory_mib, request_.memory_on_node_max_mib);
}

std::uint64_t NodeFit::memory_for(std::uint32_t tasks) const {
  if (request_.memory_per_node_mib)
    return *request_.memory_per_node_mib ? *request_.memory_per_node_mib : node_.config.memory_mib;
  if (request_.memory_per_cpu_mib)  // threads left idle do not count
    return *request_.memory_per_cpu_mib
               ? saturating_multiply(*request_.memory_per_cpu_mib,
                                     cpus_for(tasks) / cpus_.per_core() * cpus_.usable_per_core() +
                                         cpus_for(tasks) % cpus_.per_core())
               : node_.config.memory_mib;
  if (request_.memory_per_gpu_mib)
    return saturating_multiply(*request_.memory_per_gpu_mib, gpus_for(tasks));
  return 0;
}

// Picks devices for the tasks. Requests that overlap ("gpu:3,gpu:v100:2") are served in order, each
// from what is left.
std::optional<Devices> NodeFit::devices_for(std::uint32_t tasks, const IdSet& preferred) const {
  Devices taken;
  if (!wants_devices()) return taken;
  Devices free = free_.gres;
  for (std::size_t i = 0; i < request_.gpus_total.size(); ++i)
    if (!take_devices(free, request_.gpus_total[i], counted(i), taken, preferred))
      return std::nullopt;
  for (const GresRequest& g : request_.gres_per_node) {
    bool got = is_part_of_gpus(g.name) ? take_part(node_, free, g, taken, preferred)
                                       : take_devices(free, g, g.count, taken, preferred);
    if (!got) return std::nullopt;
  }
  auto take_gpus = [&](const GresRequests& types, std::uint64_t times) {
    return std::ranges::all_of(types, [&](const GresRequest& g) {
      return take_devices(free, g, saturating_multiply(g.count, times), taken, preferred);
    });
  };
  if (!take_gpus(request_.gpus_per_socket, std::max(1u, request_.min_sockets)) ||
      !take_gpus(request_.gpus_per_task, tasks))
    return std::nullopt;
  return taken;
}

// Mostly one kind of device is requested; then counting is enough.
bool NodeFit::has_devices_for(std::uint32_t tasks) const {
  if (!wants_devices()) return true;
  if (request_.gpus_per_task.empty() && request_.gpus_per_socket.empty()) {
    const auto& [listed, total] = std::tie(request_.gres_per_node, request_.gpus_total);
    if (listed.empty() && total.size() == 1)
      return free_devices(free_.gres, total.front()) >= counted(0);
    if (listed.size() == 1 && total.empty() && !is_part_of_gpus(listed.front().name))
      return free_devices(free_.gres, listed.front()) >= listed.front().count;
  }
  return devices_for(tasks, {}).has_value();
}

// Picks CPUs and devices close to each other where possible; with --gres-flags=enforce-binding no
// others.
std::optional<NodeFit::Choice> NodeFit::choose(std::uint32_t tasks) const {
  const std::uint32_t count = std::min(cores_for(tasks), free_.usable_cpus());
  for (const GpuGroup& group : groups_) {
    IdSet near = free_.cpus.intersect(group.cpus);
    if (near.size() < count) continue;
    auto devices = devices_for(tasks, group.gpus);
    if (!devices) return std::nullopt;
    IdSet far = gpus_in(*devices);
    far.subtract(group.gpus);
    if (far.empty()) return Choice{cpus_.pick(near, count), std::move(*devices)};
  }
  if (request_.enforce_binding && !groups_.empty() && !request_.whole_nodes) {
    auto devices = devices_for(tasks, {});
    if (!devices) return std::nullopt;
    IdSet near = free_.cpus.intersect(cpus_near(groups_, gpus_in(*devices)));
    if (near.size() < count) return std::nullopt;
    return Choice{cpus_.pick(near, count), std::move(*devices)};
  }
  IdSet cpus = cpus_.pick_for(free_.cpus, count, tasks);
  auto devices = devices_for(tasks, gpus_near(groups_, cpus));
  if (!devices) return std::nullopt;
  return Choice{std::move(cpus), std::move(*devices)};
}

std::uint64_t NodeFit::tasks_by_cpus() const {
  std::uint64_t cpus = free_.usable_cpus();
  if (request_.max_cpus_per_node) cpus = std::min<std::uint64_t>(cpus, request_.max_cpus_per_node);
  std::uint64_t cores = cpus / cpus_.per_core();
  if (cpus_.usable_per_core() < cpus_.per_core()) cpus = cores * cpus_.usable_per_core();
  if (cpus < request_.min_cpus_per_node || cpus == 0) return 0;
  if (request_.overcommit) return std::max<std::uint64_t>(cpus, request_.tasks);
  std::uint64_t tasks = cpus / cpus_.of_a_task();
  if (request_.tasks_per_core_max) tasks = std::min(tasks, cores * request_.tasks_per_core_max);
  if (cpus_.bounds_tasks_in_sockets()) tasks = std::min(tasks, cpus_.tasks_in_sockets(free_.cpus));
  return tasks;
}

std::uint32_t NodeFit::task_capacity() const {
  if (free_.cpus.empty() || (request_.exclusive && !free_.untouched) || !has_shape()) return 0;
  std::uint64_t tasks = tasks_by_cpus();
  tasks = std::min<std::uint64_t>(tasks, request_.tasks_on_node_max);
  if (request_.tasks_per_node) tasks = std::min<std::uint64_t>(tasks, request_.tasks_per_node);
  for (const GresRequest& g : request_.gpus_per_task)
    tasks = std::min(tasks, free_devices(free_.gres, g) / g.count);
  if (request_.tasks_per_gpu)
    tasks = std::min(tasks, saturating_multiply(gpus_at_most(), request_.tasks_per_gpu));
  if (!has_devices_for(0)) return 0;
  // CPUs per GPU or whole cores may need more CPUs than the tasks alone, and memory may go by CPU.
  auto fits = [&](std::uint32_t n) {
    if (memory_for(n) > memory_room_mib()) return false;
    if (!request_.exclusive && request_.gpus_total.empty() && cpus_for(n) > free_.usable_cpus())
      return false;
    // Without affinity, only devices requested per task can run out as tasks are added.
    if (groups_.empty()) return request_.gpus_per_task.empty() || has_devices_for(n);
    return choose(n).has_value();
  };
  const std::uint32_t most = saturated_32(tasks);
  if (groups_.empty() && fits(most)) return most;  // the common case
  return largest_that_fits(most, fits);
}

std::optional<NodeShare> NodeFit::take(std::uint32_t tasks) const {
  NodeShare share{.node = node_.id, .tasks = tasks, .sharing = request_.sharing};
  share.memory_mib = memory_for(tasks);
  if (share.memory_mib > memory_room_mib()) return std::nullopt;
  auto choice = choose(tasks);
  if (!choice) return std::nullopt;
  share.cpus = std::move(choice->cpus);
  share.gres = std::move(choice->devices);
  if (const std::uint32_t usable = cpus_.usable_per_core(); usable < cpus_.per_core())
    share.idle_threads = static_cast<std::uint32_t>(share.cpus.size()) / cpus_.per_core() *
                         (cpus_.per_core() - usable);
  if (request_.spec_cores) {
    share.left_to_system = all_of(node_).cpus;
    share.left_to_system.subtract(share.cpus);
  }
  return share;
}

// Shares of GPUs are not taken, because the GPUs are taken as a whole.
void NodeFit::take_other_devices(NodeShare& share) const {
  Free left = free_;
  muster::sched::take(left, share);
  part_gpus(node_, left);
  const Devices others = left.gres;
  for (const GresShare& g : others)
    if (!is_part_of_gpus(g.name))
      take_devices(left.gres, {g.name, g.type, g.count}, g.count, share.gres);
}

}  // namespace muster::sched
