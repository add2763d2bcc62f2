// Counts and picks CPUs by core and by socket.
#include "sched/place/node_cpus.h"

#include <algorithm>

namespace muster::sched {

NodeCpus::NodeCpus(const ResourceRequest& request, const Node& node)
    : request_(request),
      node_(node),
      threads_(cpus_per_core(node)),
      per_socket_(std::max(1u, node.config.cores_per_socket) * threads_) {}

std::uint32_t NodeCpus::usable_per_core() const {
  return request_.threads_per_core ? std::min(request_.threads_per_core, threads_) : threads_;
}

// With --ntasks-per-core=1 each task has whole cores.
std::uint32_t NodeCpus::of_a_task() const {
  if (request_.tasks_per_core_max != 1) return request_.cpus_per_task;
  const std::uint32_t usable = usable_per_core();
  return (request_.cpus_per_task + usable - 1) / usable * usable;
}

std::uint32_t NodeCpus::round_up(std::uint32_t cpus) const {
  const std::uint32_t usable = usable_per_core();
  if (usable < threads_) cpus = (cpus + usable - 1) / usable * threads_;
  const std::uint32_t unit = request_.unit == ResourceRequest::Unit::cpu ? 1 : threads_;
  return (cpus + unit - 1) / unit * unit;
}

std::uint32_t NodeCpus::sockets() const {
  return (std::max(1u, node_.config.cpus) + per_socket_ - 1) / per_socket_;
}

IdSet NodeCpus::in_socket(const IdSet& cpus, std::uint32_t socket) const {
  return cpus.intersect(IdSet::range(socket * per_socket_, (socket + 1) * per_socket_ - 1));
}

std::vector<IdSet> NodeCpus::by_socket(const IdSet& cpus) const {
  std::vector<IdSet> all;
  all.reserve(sockets());
  for (std::uint32_t socket = 0; socket < sockets(); ++socket)
    all.push_back(in_socket(cpus, socket));
  return all;
}

// A job that takes whole nodes has all their sockets anyway.
bool NodeCpus::wants_free_sockets() const {
  return !request_.whole_nodes && (request_.min_sockets > 1 || request_.min_cores_per_socket > 1);
}

IdSet NodeCpus::in_free_sockets(const IdSet& free) const {
  const std::uint32_t least = std::max(1u, request_.min_cores_per_socket) * threads_;
  IdSet cpus;
  std::uint32_t found = 0;
  for (std::uint32_t socket = 0; socket < sockets(); ++socket) {
    const IdSet here = in_socket(free, socket);
    if (here.size() < least) continue;
    cpus.merge(here);
    ++found;
  }
  return found < request_.min_sockets ? IdSet{} : cpus;
}

// A task larger than a socket spans several sockets, so the bound does not apply.
bool NodeCpus::bounds_tasks_in_sockets() const {
  return request_.tasks_per_socket_max && request_.cpus_per_task <= per_socket_;
}

std::uint32_t NodeCpus::tasks_in(const IdSet& socket) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      request_.tasks_per_socket_max, socket.size() / request_.cpus_per_task));
}

std::uint64_t NodeCpus::tasks_in_sockets(const IdSet& free) const {
  std::uint64_t tasks = 0;
  for (std::uint32_t socket = 0; socket < sockets(); ++socket)
    tasks += tasks_in(in_socket(free, socket));
  return tasks;
}

IdSet NodeCpus::pick(const IdSet& from, std::uint32_t count) const {
  IdSet chosen = pick_cores(from, count);
  return request_.unit == ResourceRequest::Unit::socket ? with_their_sockets(chosen, from) : chosen;
}

// Picks CPUs in blocks, or spread over the sockets: first as many whole tasks as fit into each
// socket, then one core of each socket in turn.
IdSet NodeCpus::pick_cores(const IdSet& from, std::uint32_t count) const {
  const bool over_sockets =
      request_.cores_over_sockets && node_.config.cpus > per_socket_ && count < from.size();
  if (!over_sockets) return pick_in_blocks(from, count);
  std::vector<IdSet> left = by_socket(from);
  IdSet chosen;
  auto take = [&](IdSet& socket, std::uint32_t n) {
    IdSet taken = socket.first(std::min(n, count));
    socket.subtract(taken);
    count -= static_cast<std::uint32_t>(taken.size());
    chosen.merge(taken);
  };
  if (request_.cpus_per_task > 1)
    for (IdSet& socket : left) take(socket, whole_tasks_in(socket));
  while (count > 0)
    for (IdSet& socket : left) take(socket, threads_);
  return chosen;
}

// Picks from the fullest socket that has enough free CPUs; if none has, from the emptiest ones
// first.
IdSet NodeCpus::pick_in_blocks(const IdSet& from, std::uint32_t count) const {
  if (node_.config.cpus <= per_socket_ || count >= from.size()) return from.first(count);
  std::vector<IdSet> rooms = by_socket(from);
  auto cost = [&](const IdSet& room) {
    return room.size() < count ? std::pair(true, count - room.size())
                               : std::pair(false, room.size());
  };
  std::ranges::stable_sort(rooms, {}, cost);
  IdSet chosen;
  for (const IdSet& room : rooms)
    if (chosen.size() < count) chosen.merge(room.first(count - chosen.size()));
  return chosen;
}

IdSet NodeCpus::with_their_sockets(const IdSet& chosen, const IdSet& from) const {
  IdSet all = chosen;
  for (std::uint32_t socket = 0; socket < sockets(); ++socket)
    if (!in_socket(chosen, socket).empty()) all.merge(in_socket(from, socket));
  return all;
}

// The number of CPUs for as many whole tasks as fit into the socket.
std::uint32_t NodeCpus::whole_tasks_in(const IdSet& socket) const {
  const auto cores = static_cast<std::uint32_t>(socket.size()) / threads_;
  return round_up(cores * usable_per_core() / of_a_task() * of_a_task());
}

// Tasks that are spread over sockets use the last sockets that suffice.
std::uint32_t NodeCpus::first_socket_for(const IdSet& from, std::uint32_t tasks) const {
  if (!request_.cores_over_sockets) return 0;
  std::uint32_t socket = sockets();
  for (std::uint64_t room = 0; socket > 0 && room < tasks;)
    room += tasks_in(in_socket(from, --socket));
  return socket;
}

IdSet NodeCpus::pick_for(const IdSet& from, std::uint32_t count, std::uint32_t tasks) const {
  if (!bounds_tasks_in_sockets() || request_.whole_nodes) return pick(from, count);
  IdSet chosen;
  std::uint32_t left = tasks;
  for (std::uint32_t s = first_socket_for(from, tasks); s < sockets() && left > 0; ++s) {
    const IdSet here = in_socket(from, s);
    const std::uint32_t n = std::min(left, tasks_in(here));
    chosen.merge(here.first(round_up(n * request_.cpus_per_task)));
    left -= n;
  }
  if (chosen.size() < count) {  // CPUs beyond those of its tasks
    IdSet others = from;
    others.subtract(chosen);
    chosen.merge(pick_cores(others, count - static_cast<std::uint32_t>(chosen.size())));
  }
  return request_.unit == ResourceRequest::Unit::socket ? with_their_sockets(chosen, from) : chosen;
}

}  // namespace muster::sched
