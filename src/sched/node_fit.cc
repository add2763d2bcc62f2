#include "sched/node_fit.h"

#include <algorithm>

#include "model/spec_cores.h"

namespace muster::sched {

// --core-spec counts instead of what the node keeps by itself; such a job has its nodes alone.
IdSet cpus_beside_system(const Node& node, std::uint32_t cores) {
  IdSet cpus = IdSet::range(0, std::max(1u, node.config.cpus) - 1);
  cpus.subtract(spec_cpus(node.config, cores));
  return cpus;
}

NodeFit::NodeFit(const Request& request, const Node& node, const Free& free)
    : request_(request),
      node_(node),
      own_(request.spec_cores ||
                   ((wants_devices() || request.gpus_total) && has_parts_of_gpus(node))
               ? std::optional(free)
               : std::nullopt),
      free_(own_ ? *own_ : free) {
  if (own_) part_gpus(node, *own_);
  if (own_ && request.spec_cores) own_->cpus = cpus_beside_system(node, *request.spec_cores);
  threads_ = cpus_per_core(node);
  cpus_per_socket_ = std::max(1u, node.config.cores_per_socket) * threads_;
  const bool binds = wants_devices() && !request.disable_binding && !request.tasks_per_socket_max;
  if (binds) groups_ = gpu_groups(node, threads_);
}

bool NodeFit::wants_devices() const {
  return !request_.gres_per_node.empty() || request_.gpus_per_task || request_.gpus_per_socket;
}

bool NodeFit::has_shape() const {
  const NodeConfig& c = node_.config;
  return c.sockets >= request_.min_sockets && c.cores_per_socket >= request_.min_cores_per_socket &&
         c.threads_per_core >= request_.min_threads_per_core &&
         c.tmp_disk_mib >= request_.tmp_disk_mib && c.memory_mib >= request_.least_memory_mib;
}

std::uint32_t NodeFit::usable_per_core() const {
  return request_.threads_per_core ? std::min(request_.threads_per_core, threads_) : threads_;
}

// CPUs are handed out by whole cores (CR_Core) or sockets (CR_Socket).
std::uint32_t NodeFit::round_up(std::uint32_t cpus) const {
  std::uint32_t usable = usable_per_core();
  if (usable < threads_) cpus = (cpus + usable - 1) / usable * threads_;
  std::uint32_t unit = request_.unit == Request::Unit::socket ? cpus_per_socket_
                       : request_.unit == Request::Unit::core ? threads_
                                                              : 1;
  return (cpus + unit - 1) / unit * unit;
}

std::uint64_t NodeFit::gpus_for(std::uint32_t tasks) const {
  if (request_.all_devices) return free_devices(free_.gres, {"gpu"});
  std::uint64_t n = 0;
  for (const GresRequest& g : request_.gres_per_node)
    if (g.name == "gpu") n += g.count;
  if (request_.gpus_per_task) n += request_.gpus_per_task->count * tasks;
  if (request_.gpus_per_socket)
    n += request_.gpus_per_socket->count * std::max(1u, request_.min_sockets);
  if (request_.gpus_total) n += counted_gpus_;
  return n;
}

std::uint64_t NodeFit::count_gpus(std::uint64_t most) {
  most = std::min(most, free_devices(free_.gres, *request_.gpus_total));
  if (const std::uint64_t each = request_.memory_per_gpu_mib.value_or(0); each)
    most = std::min(most, memory_room_mib() / each);
  if (request_.cpus_per_gpu && !request_.whole_nodes)
    most = std::min<std::uint64_t>(most, free_.usable_cpus() / request_.cpus_per_gpu);
  return counted_gpus_ = most;
}

// One that shares its cores with no other has whole ones.
std::uint32_t NodeFit::cpus_of_a_task() const {
  if (request_.tasks_per_core_max != 1) return request_.cpus_per_task;
  const std::uint32_t usable = usable_per_core();
  return (request_.cpus_per_task + usable - 1) / usable * usable;
}

std::uint32_t NodeFit::cpus_for(std::uint32_t tasks) const {
  if (request_.whole_nodes)
    return static_cast<std::uint32_t>(request_.spec_cores ? free_.cpus.size()
                                                          : all_cpus_of(node_).size());
  std::uint64_t cpus =
      request_.overcommit ? request_.cpus_per_task : std::uint64_t{tasks} * cpus_of_a_task();
  if (request_.cpus_per_gpu)
    cpus = std::max<std::uint64_t>(cpus, gpus_for(tasks) * request_.cpus_per_gpu);
  if (request_.tasks_per_core_max && !request_.overcommit)
    cpus = std::max(cpus, (std::uint64_t{tasks} + request_.tasks_per_core_max - 1) /
                              request_.tasks_per_core_max * usable_per_core());
  cpus = std::max<std::uint64_t>(cpus, request_.min_cpus_per_node);
  return round_up(static_cast<std::uint32_t>(std::min<std::uint64_t>(cpus, 1u << 30)));
}

std::uint64_t NodeFit::memory_room_mib() const {
  return std::min(free_.memory_mib, request_.memory_on_node_max_mib);
}

std::uint64_t NodeFit::memory_for(std::uint32_t tasks) const {
  if (request_.memory_per_node_mib)
    return *request_.memory_per_node_mib ? *request_.memory_per_node_mib : node_.config.memory_mib;
  if (request_.memory_per_cpu_mib)  // threads that it leaves idle have none
    return *request_.memory_per_cpu_mib
               ? *request_.memory_per_cpu_mib *
                     (cpus_for(tasks) / threads_ * usable_per_core() + cpus_for(tasks) % threads_)
               : node_.config.memory_mib;
  if (request_.memory_per_gpu_mib) return *request_.memory_per_gpu_mib * gpus_for(tasks);
  return 0;
}

// Requests that overlap ("gpu:3,gpu:v100:2") are served one after the other from what is left.
std::optional<Devices> NodeFit::devices_for(std::uint32_t tasks, const IdSet& preferred) const {
  Devices taken;
  if (!wants_devices()) return taken;
  Devices free = free_.gres;
  for (const GresRequest& g : request_.gres_per_node) {
    bool got = is_part_of_gpus(g.name) ? take_part(node_, free, g, taken, preferred)
                                       : take_devices(free, g, g.count, taken, preferred);
    if (!got) return std::nullopt;
  }
  auto take_gpus = [&](const std::optional<GresRequest>& g, std::uint64_t times) {
    return !g || take_devices(free, *g, g->count * times, taken, preferred);
  };
  if (!take_gpus(request_.gpus_per_task, tasks) ||
      !take_gpus(request_.gpus_per_socket, std::max(1u, request_.min_sockets)))
    return std::nullopt;
  return taken;
}

// Whichever they are. Mostly one kind is wanted, and counting will do.
bool NodeFit::has_devices_for(std::uint32_t tasks) const {
  if (!wants_devices()) return true;
  if (request_.gres_per_node.size() == 1 && !request_.gpus_per_task && !request_.gpus_per_socket)
    if (const GresRequest& g = request_.gres_per_node.front(); !is_part_of_gpus(g.name))
      return free_devices(free_.gres, g) >= g.count;
  return devices_for(tasks, {}).has_value();
}

// CPUs and devices that are close to each other, as far as that goes; with enforced binding no
// others.
std::optional<NodeFit::Choice> NodeFit::choose(std::uint32_t tasks) const {
  const std::uint32_t count = std::min(cpus_for(tasks), free_.usable_cpus());
  for (const GpuGroup& group : groups_) {
    IdSet near = free_.cpus.intersect(group.cpus);
    if (near.size() < count) continue;
    auto devices = devices_for(tasks, group.gpus);
    if (!devices) return std::nullopt;
    IdSet far = gpus_in(*devices);
    far.subtract(group.gpus);
    if (far.empty()) return Choice{pick(near, count), std::move(*devices)};
  }
  if (request_.enforce_binding && !groups_.empty()) {
    auto devices = devices_for(tasks, {});
    if (!devices) return std::nullopt;
    IdSet near = free_.cpus.intersect(cpus_near(groups_, gpus_in(*devices)));
    if (near.size() < count) return std::nullopt;
    return Choice{pick(near, count), std::move(*devices)};
  }
  IdSet cpus = choose_cpus(count, tasks);
  auto devices = devices_for(tasks, gpus_near(groups_, cpus));
  if (!devices) return std::nullopt;
  return Choice{std::move(cpus), std::move(*devices)};
}

IdSet NodeFit::preferred_gpus(const IdSet& cpus) const {
  if (request_.disable_binding) return {};
  return gpus_near(gpu_groups(node_, threads_), cpus);
}

std::uint64_t NodeFit::tasks_by_cpus() const {
  std::uint64_t cpus = free_.usable_cpus();
  if (request_.max_cpus_per_node) cpus = std::min<std::uint64_t>(cpus, request_.max_cpus_per_node);
  std::uint64_t cores = cpus / threads_;
  if (usable_per_core() < threads_) cpus = cores * usable_per_core();
  if (cpus < request_.min_cpus_per_node || cpus == 0) return 0;
  if (request_.overcommit) return std::max<std::uint64_t>(cpus, request_.tasks);
  std::uint64_t tasks = cpus / cpus_of_a_task();
  if (request_.tasks_per_core_max) tasks = std::min(tasks, cores * request_.tasks_per_core_max);
  if (request_.tasks_per_socket_max) {
    std::uint64_t by_sockets = 0;
    for (std::uint32_t first = 0; first < node_.config.cpus; first += cpus_per_socket_) {
      IdSet here = free_.cpus.intersect(IdSet::range(first, first + cpus_per_socket_ - 1));
      by_sockets += std::min<std::uint64_t>(request_.tasks_per_socket_max,
                                            here.size() / request_.cpus_per_task);
    }
    tasks = std::min(tasks, by_sockets);
  }
  return tasks;
}

std::uint32_t NodeFit::task_capacity() const {
  if (free_.cpus.empty() || (request_.exclusive && !free_.untouched) || !has_shape()) return 0;
  std::uint64_t tasks = tasks_by_cpus();
  if (request_.tasks_per_node) tasks = std::min<std::uint64_t>(tasks, request_.tasks_per_node);
  if (const auto& g = request_.gpus_per_task; g && g->count)
    tasks = std::min(tasks, free_devices(free_.gres, *g) / g->count);
  if (const auto& g = request_.gpus_total; g && free_devices(free_.gres, *g) == 0) return 0;
  if (!has_devices_for(0)) return 0;
  tasks = std::min<std::uint64_t>(tasks, 0xffffffffu);
  // More CPUs than there are can be asked for by GPU or by core; memory goes by CPU.
  auto fits = [&](std::uint32_t n) {
    if (memory_for(n) > memory_room_mib()) return false;
    if (!request_.exclusive && !request_.gpus_total && cpus_for(n) > free_.usable_cpus())
      return false;
    // Where nothing is close to anything else only those of more tasks can be lacking.
    if (groups_.empty()) return !request_.gpus_per_task || has_devices_for(n);
    return choose(n).has_value();
  };
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(tasks);
  if (groups_.empty() && fits(high)) return high;  // as mostly
  while (low < high) {
    std::uint32_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Just the first CPUs, or some of each socket: as many tasks as fit there as a whole, or a core in
// turn.
IdSet NodeFit::pick(const IdSet& from, std::uint32_t count) const {
  const bool over_sockets = request_.cores_over_sockets && request_.unit != Request::Unit::socket &&
                            node_.config.cpus > cpus_per_socket_ && count < from.size();
  if (!over_sockets) return from.first(count);
  std::vector<IdSet> sockets;
  for (std::uint32_t first = 0; first < node_.config.cpus; first += cpus_per_socket_)
    sockets.push_back(from.intersect(IdSet::range(first, first + cpus_per_socket_ - 1)));
  IdSet chosen;
  auto take = [&](IdSet& socket, std::uint32_t n) {
    IdSet taken = socket.first(std::min(n, count));
    socket.subtract(taken);
    count -= static_cast<std::uint32_t>(taken.size());
    chosen.merge(taken);
  };
  if (request_.cpus_per_task > 1)
    for (IdSet& socket : sockets) take(socket, whole_tasks_in(socket));
  while (count > 0)
    for (IdSet& socket : sockets) take(socket, threads_);
  return chosen;
}

// The CPUs of as many tasks as the socket has room for.
std::uint32_t NodeFit::whole_tasks_in(const IdSet& socket) const {
  const auto cores = static_cast<std::uint32_t>(socket.size()) / threads_;
  const std::uint32_t tasks = cores * usable_per_core() / cpus_of_a_task();
  return round_up(tasks * cpus_of_a_task());
}

// The first free ones; where tasks are limited per socket, so many of each socket.
IdSet NodeFit::choose_cpus(std::uint32_t count, std::uint32_t tasks) const {
  if (!request_.tasks_per_socket_max || request_.whole_nodes) return pick(free_.cpus, count);
  IdSet chosen;
  std::uint32_t left = tasks;
  for (std::uint32_t first = 0; first < node_.config.cpus && left > 0; first += cpus_per_socket_) {
    IdSet here = free_.cpus.intersect(IdSet::range(first, first + cpus_per_socket_ - 1));
    auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {left, request_.tasks_per_socket_max, here.size() / request_.cpus_per_task}));
    chosen.merge(here.first(round_up(n * request_.cpus_per_task)));
    left -= n;
  }
  return chosen;
}

std::optional<NodeShare> NodeFit::take(std::uint32_t tasks) const {
  NodeShare share{.node = node_.id, .tasks = tasks, .sharing = request_.sharing};
  share.memory_mib = memory_for(tasks);
  if (share.memory_mib > memory_room_mib()) return std::nullopt;
  auto choice = choose(tasks);
  if (!choice) return std::nullopt;
  share.cpus = std::move(choice->cpus);
  share.gres = std::move(choice->devices);
  if (const std::uint32_t usable = usable_per_core(); usable < threads_)
    share.idle_threads =
        static_cast<std::uint32_t>(share.cpus.size()) / threads_ * (threads_ - usable);
  if (request_.spec_cores) {
    share.left_to_system = all_of(node_).cpus;
    share.left_to_system.subtract(share.cpus);
  }
  return share;
}

Devices NodeFit::devices_beside(const NodeShare& share) const {
  Free left = free_;
  muster::sched::take(left, share);
  return left.gres;
}

// Parts of GPUs are not: these are taken whole.
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
