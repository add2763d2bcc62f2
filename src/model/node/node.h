// Node: a machine: its configuration, what its slurmd registered, its state and its use by jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/node/cpu_overlap.h"
#include "model/node/resources.h"

namespace muster {

// The node's configuration.
struct NodeConfig {
  Text name, hostname, address;
  std::uint32_t port = 0;
  std::uint32_t cpus = 1, boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::uint64_t memory_mib = 1, tmp_disk_mib = 0, memory_spec_limit_mib = 0;
  std::uint32_t core_spec_count = 0;
  Text cpu_spec_list;
  bool first_cores_spec = false;  // spec_cores_first: the system gets the first cores
  std::uint32_t weight = 1;
  std::vector<Text> features;
  std::vector<GresPool> gres;
  Text gres_text;  // as configured: "gpu:v100:4"
  Text state;      // State= of the line: "UNKNOWN", "DOWN", "FUTURE", ...
  Text reason;
  Text cpu_bind;         // the default for steps; empty = not set
  bool dynamic = false;  // not in slurm.conf: it registered itself, or scontrol create
  bool operator==(const NodeConfig&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, hostname);
    v(3, address);
    v(4, port);
    v(5, cpus);
    v(6, boards);
    v(7, sockets);
    v(8, cores_per_socket);
    v(9, threads_per_core);
    v(10, memory_mib);
    v(11, tmp_disk_mib);
    v(12, memory_spec_limit_mib);
    v(13, core_spec_count);
    v(14, cpu_spec_list);
    v(15, weight);
    v(16, features);
    v(17, gres);
    v(18, gres_text);
    v(19, state);
    v(20, reason);
    v(120, dynamic);
    v(240, first_cores_spec);
    v(400, cpu_bind);
  }
};

// What slurmd reported when it registered.
struct NodeFacts {
  Text boot_id;
  Text arch, os, version;
  std::uint32_t cpus = 0, sockets = 0, cores = 0, threads = 0;
  std::uint64_t memory_mib = 0, tmp_disk_mib = 0;
  Time boot_time, slurmd_started;
  std::vector<GresPool> gres;         // devices that slurmd found by itself (AutoDetect)
  std::vector<Text> missing_devices;  // files of gres.conf that are not there
  bool operator==(const NodeFacts&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, boot_id);
    v(2, arch);
    v(3, os);
    v(4, version);
    v(5, cpus);
    v(6, sockets);
    v(7, cores);
    v(8, threads);
    v(9, memory_mib);
    v(10, tmp_disk_mib);
    v(11, boot_time);
    v(12, slurmd_started);
    v(40, gres);
    v(41, missing_devices);
  }
};

enum class NodeHealth : std::uint8_t { unknown, up, down };  // unknown: never registered

// Powering on and off (SuspendProgram, ResumeProgram, scontrol update state=power_down).
enum class PowerPhase : std::uint8_t { on, powering_down, off, powering_up };
struct NodePower {
  PowerPhase phase = PowerPhase::on;
  Time since;               // of the phase
  bool down_asked = false;  // POWER_DOWN: power down as soon as nothing runs there
  bool operator==(const NodePower&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, phase);
    v(2, since);
    v(3, down_asked);
  }
};

// scontrol reboot: first asked for, then issued when nothing runs there, until the node is back.
struct NodeReboot {
  bool asked = false, issued = false;
  bool asap = false;  // the node was drained for it
  Text next_state;    // "RESUME", "DOWN" or empty = as before
  Time since;         // asked or issued
  bool operator==(const NodeReboot&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, asked);
    v(2, issued);
    v(3, asap);
    v(4, next_state);
    v(5, since);
  }
};

// The machine behind a node, if it differs from the configuration: a machine took over a node in
// state FUTURE (slurmd -F), or an administrator set it (scontrol update NodeAddr, NodeHostName).
struct NodeClaim {
  Text hostname, address;
  bool operator==(const NodeClaim&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, hostname);
    v(2, address);
  }
};

// Whether an active reservation holds the node. Only set in answers to queries, not in the state.
enum class NodeKept : std::uint8_t { no, reserved, maintenance };

struct Node {
  NodeId id;
  NodeConfig config;
  NodeFacts facts;
  NodeHealth health = NodeHealth::unknown;
  bool drain = false, fail = false, future = false;
  bool responding = false;  // false prints as "*"
  std::vector<Text> active_features;
  Text reason;
  Uid reason_uid;
  Time reason_time;
  Text comment;
  Time last_busy;
  NodePower power;
  NodeReboot reboot;
  NodeClaim claim;  // by the machine; overrides the configuration
  NodeClaim given;  // by an administrator; fields that are not empty override the configuration
  Text extra;

  // In use by jobs, including those that are completing; kept by apply.
  IdSet used_cpus;
  CpuOverlap shared_cpus;  // those of used_cpus that several jobs hold
  std::uint64_t used_memory_mib = 0;
  std::vector<GresShare> used_gres;
  IdSet jobs;        // ids of jobs that hold something here
  IdSet completing;  // those of `jobs` that have ended but still have processes here
  NodeKept kept = NodeKept::no;

  bool operator==(const Node&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, config);
    v(3, facts);
    v(4, health);
    v(5, drain);
    v(6, fail);
    v(7, future);
    v(8, responding);
    v(9, active_features);
    v(10, reason);
    v(11, reason_uid);
    v(12, reason_time);
    v(13, comment);
    v(14, last_busy);
    v(15, used_cpus);
    v(16, used_memory_mib);
    v(17, used_gres);
    v(18, jobs);
    v(19, completing);
    v(110, shared_cpus);
    v(120, power);
    v(121, reboot);
    v(150, kept);
    v(240, claim);
    v(320, given);
    v(321, extra);
  }
};

// Does the node's state allow to place jobs on it now?
bool is_available(const Node& node);

// "IDLE+DRAIN", "MIXED", "DOWN*": as scontrol prints it.
std::string node_state_long(const Node& node);
// "idle", "mix", "alloc", "drain", "drng", "down*", "comp": sinfo's %t.
std::string node_state_compact(const Node& node);
// "idle", "mixed", "allocated", "drained", "draining", "down*", "completing": sinfo's %T in lower
// case.
std::string node_state_word(const Node& node);

}  // namespace muster
