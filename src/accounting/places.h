// Records of what is there: nodes that are out of service, how much the cluster has, reservations.
#pragma once

#include "accounting/changes.h"
#include "model/accounts/accounting_record.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::accounting {

// Out of service: down, or drained and nothing runs there any more.
bool is_out_of_service(const Node& node);

EventRecord node_record(const Text& cluster, const Node& node, Time at);
EventRecord size_record(const Cluster& cluster, Time at);
ReservationRecord reservation_record(const Cluster& cluster, const Reservation& reservation);
SuspensionRecord suspension_record(const Cluster& before, const JobSuspended& event);

// What an event changes of them.
void note_places_of(const Cluster& before, const Event& event, AccountingChanges& changes);

}  // namespace muster::accounting
