// NodeCpus: how many CPUs of one node a request needs, and which of the free ones it gets.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/place/free.h"
#include "sched/request/request.h"

namespace muster::sched {

class NodeCpus {
 public:
  NodeCpus(const ResourceRequest& request, const Node& node);

  std::uint32_t per_core() const { return threads_; }
  std::uint32_t usable_per_core() const;
  std::uint32_t of_a_task() const;
  std::uint32_t round_up(std::uint32_t cpus) const;  // to whole cores where cores are allocated

  // The free CPUs in sockets that have enough free cores for the request; none if there are too few
  // such sockets.
  IdSet in_free_sockets(const IdSet& free) const;
  bool wants_free_sockets() const;

  // The number of tasks that fit if each socket takes a bounded number (--ntasks-per-socket).
  std::uint64_t tasks_in_sockets(const IdSet& free) const;
  bool bounds_tasks_in_sockets() const;

  // Picks `count` of these CPUs; if whole sockets are allocated, also the rest of their sockets.
  IdSet pick(const IdSet& from, std::uint32_t count) const;
  // The same for `tasks` tasks, with no more of them in a socket than allowed.
  IdSet pick_for(const IdSet& from, std::uint32_t count, std::uint32_t tasks) const;

 private:
  std::uint32_t sockets() const;
  IdSet in_socket(const IdSet& cpus, std::uint32_t socket) const;
  std::vector<IdSet> by_socket(const IdSet& cpus) const;
  IdSet pick_cores(const IdSet& from, std::uint32_t count) const;
  IdSet pick_in_blocks(const IdSet& from, std::uint32_t count) const;
  IdSet with_their_sockets(const IdSet& chosen, const IdSet& from) const;
  std::uint32_t whole_tasks_in(const IdSet& socket) const;
  std::uint32_t tasks_in(const IdSet& socket) const;
  std::uint32_t first_socket_for(const IdSet& from, std::uint32_t tasks) const;

  const ResourceRequest& request_;
  const Node& node_;
  std::uint32_t threads_, per_socket_;
};

}  // namespace muster::sched
