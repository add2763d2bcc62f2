// Events: every change of the cluster's state, as an outcome. The journal is a sequence of events,
// and apply() (apply.h) is the only code that carries them out. A released event is never altered:
// new fields get new numbers, new kinds go to the end of the variant.
#pragma once

#include <variant>

#include "base/codec/codec.h"
#include "state/event_cluster.h"
#include "state/event_node.h"
#include "state/event_queue.h"
#include "state/event_run.h"
#include "state/event_step.h"

namespace muster {

using Event =
    std::variant<EpochStarted, ConfigLoaded, JobSubmitted, TaskSplit, JobStarted, JobsEnding,
                 PendingJobsEnded, TasksCancelled, JobEnded, NodesReleased, JobRequeued, JobsHeld,
                 JobSuspended, JobUpdated, JobWarned, JobsPurged, StepCreated, StepNodeEnded,
                 NodeRegistered, NodeUpdated, PartitionChanged, ReservationChanged, JobPreempted,
                 JobPrepared, JobMailed, NodeAdded, NodeRemoved, EpilogOwed, EpilogEnded,
                 AssociationChanged, UsageCounted, StepQueued, StepDequeued, JobsAccruing,
                 PrioritiesReached, StepLimitChanged, ClockStepped, JobShrunk, NodeCameUp,
                 NodeAnswered, NodeFellSilent, NodeWentDown, NodeDrained, NodeUndrained,
                 NodeResumed, NodeMadeFuture, NodeClaimed, NodePowerChanged, NodePowerDownAsked,
                 NodeRebootAsked, NodeRebootIssued, NodeRebootEnded, QosChanged, UserAccessChanged,
                 CoordinatorsChanged, TriggerChanged, JobNoticed, GraceExtended>;

struct EventEntry {
  Event event;
  template <class V>
  void fields(V& v) {
    v(1, event);
  }
};

}  // namespace muster

MUSTER_DECLARE_CODEC(muster::EventEntry)
