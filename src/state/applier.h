// What each event changes; apply() picks the function. Pending jobs are in apply_queue.cc, runs and
// steps in apply_run.cc, nodes in apply_node.cc, partitions and the rest in apply_cluster.cc.
#pragma once

#include "state/event.h"

namespace muster {

// apply_node.cc
struct NodeApplier {
  Cluster& cluster;

  void operator()(const NodeRegistered& e);
  void operator()(const NodeCameUp& e);
  void operator()(const NodeAnswered& e);
  void operator()(const NodeFellSilent& e);
  void operator()(const NodeWentDown& e);
  void operator()(const NodeDrained& e);
  void operator()(const NodeUndrained& e);
  void operator()(const NodeResumed& e);
  void operator()(const NodeMadeFuture& e);
  void operator()(const NodeClaimed& e);
  void operator()(const NodePowerChanged& e);
  void operator()(const NodePowerDownAsked& e);
  void operator()(const NodeRebootAsked& e);
  void operator()(const NodeRebootIssued& e);
  void operator()(const NodeRebootEnded& e);
  void operator()(const NodeUpdated& e);
  void operator()(const NodeAdded& e);
  void operator()(const NodeRemoved& e);

  // shared by several of them and ConfigLoaded
  void add_node(NodeId id, const NodeConfig& config);
  static void set_config(Node& node, const NodeConfig& config);
  static void set_host(Node& node, const NodeConfig& config);
  void set_machine(Node& node, const NodeClaim& claim, const NodeClaim& given);
};

struct Applier : NodeApplier {
  using NodeApplier::operator();

  // apply_queue.cc
  void operator()(const JobSubmitted& e);
  void operator()(const TaskSplit& e);
  void operator()(const PendingJobsEnded& e);
  void operator()(const TasksCancelled& e);
  void operator()(const JobsHeld& e);
  void operator()(const JobUpdated& e);
  void operator()(const JobsAccruing& e);
  void operator()(const PrioritiesReached& e);
  void operator()(const JobMailed& e);
  void operator()(const JobWarned& e);
  void operator()(const JobsPurged& e);

  // apply_run.cc
  void operator()(const JobStarted& e);
  void operator()(const JobsEnding& e);
  void operator()(const JobEnded& e);
  void operator()(const NodesReleased& e);
  void operator()(const JobShrunk& e);
  void operator()(const JobRequeued& e);
  void operator()(const JobSuspended& e);
  void operator()(const JobPrepared& e);
  void operator()(const EpilogOwed& e);
  void operator()(const EpilogEnded& e);
  void operator()(const StepCreated& e);
  void operator()(const StepQueued& e);
  void operator()(const StepDequeued& e);
  void operator()(const StepLimitChanged& e);
  void operator()(const StepNodeEnded& e);
  void operator()(const JobPreempted& e);
  void operator()(const JobNoticed& e);
  void operator()(const GraceExtended& e);

  // apply_cluster.cc
  void operator()(const EpochStarted& e);
  void operator()(const ConfigLoaded& e);
  void operator()(const PartitionChanged& e);
  void operator()(const ReservationChanged& e);
  void operator()(const AssociationChanged& e);
  void operator()(const QosChanged& e);
  void operator()(const UserAccessChanged& e);
  void operator()(const CoordinatorsChanged& e);
  void operator()(const TriggerChanged& e);
  void operator()(const UsageCounted& e);
  void operator()(const ClockStepped& e);

  // shared by several of them
  void load_partitions(const ClusterConfig& config);
  void note_end_of_task(JobId array, std::uint32_t status);
  void erase_record(JobId id);
  void retire_if_over(const Job& job);
  void give_back(JobId job, std::vector<NodeShare>::const_iterator share, Time at);
  void note_requeue(const Job& job);
};

}  // namespace muster
