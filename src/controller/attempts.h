// Attempts: work on the state that happens as a whole, or not at all where memory does not suffice.
// After such a failure the state is made anew, and the owners forget what has not happened.
#pragma once

#include <new>

#include "controller/allocation/allocations.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "controller/steps/steps.h"

namespace muster::controller {

class Attempts {
 public:
  Attempts(Ledger& ledger, Allocations& allocations, Steps& steps, NodeLinks& links)
      : ledger_(ledger), allocations_(allocations), steps_(steps), links_(links) {}

  // Undoes what the work has changed if it throws.
  template <class Work>
  void all_or_nothing(Work&& work) {
    make_state_anew();
    const OpenMark before = ledger_.mark();
    try {
      work();
    } catch (...) {
      ledger_.undo_since(before);
      throw;
    }
  }
  // False if memory does not suffice.
  template <class Work>
  [[nodiscard]] bool succeeds(Work&& work) {
    try {
      all_or_nothing(work);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  // After something was undone. Memory may not suffice for this either: then it is still to do.
  void make_state_anew() {
    if (!ledger_.is_stale()) return;
    ledger_.make_anew();
    allocations_.forget_undone();
    steps_.forget_undone();
    links_.launches().forget_undone(ledger_.cluster());
  }

 private:
  Ledger& ledger_;
  Allocations& allocations_;
  Steps& steps_;
  NodeLinks& links_;
};

}  // namespace muster::controller
