// A ledger with a host in memory, for tests of a single owner.
#pragma once

#include "builders.h"
#include "controller/ledger/ledger.h"
#include "controller/memory_host.h"

namespace muster::controller::test {

struct LedgerWorld {
  // Starts with the builder's state, which is committed.
  explicit LedgerWorld(ClusterBuilder builder) {
    ledger.set_now(t0);
    for (const Event& event : builder.events()) ledger.record(event);
    commit();
  }
  // Commits the open batch, and returns what leaves with it.
  OpenBatch commit() {
    ledger.seal();
    ledger.land(CommitOutcome::committed);
    OpenBatch rest = std::move(ledger.landed()->rest);
    ledger.landed().reset();
    return rest;
  }
  void pass(Millis span) { ledger.set_now(ledger.now() + span); }

  MemoryHost host;
  Ledger ledger{host, {.slurm_user = Uid{64030}}};
};

}  // namespace muster::controller::test
