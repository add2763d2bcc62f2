// Which jobs a query selects: the request with its defaults filled in, and the decision about one
// record. The rules were observed on Slurm's sacct; names are compared without case there.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "wire/client_messages.h"

namespace muster::accounting {

// Times are compared in whole seconds, as users type and see them. An end that the user gives is
// excluded; the default end, now, is included. A start without an end, with states, is a window of
// one second.
struct Window {
  Time start, end;
  bool end_is_now = false, is_moment = false;

  bool opens_after(Time t) const { return unix_seconds(t) < unix_seconds(start); }
  bool begun_before_end(Time t) const {
    if (is_moment) return unix_seconds(t) <= unix_seconds(end);
    return end_is_now ? t <= end : unix_seconds(t) < unix_seconds(end);
  }
};

struct Selection {
  wire::AccountingRequest request;
  Window window;
  bool by_state = false, pending = false, running = false, suspended = false;
  std::set<std::string> ended_states;  // full names
  std::set<std::string> nodes;
};

// An unknown state or a malformed node list is an error.
Result<Selection> make_selection(const wire::AccountingRequest& request, Time now);

bool selects(const Selection& selection, const JobRecord& job);

// Whether a requested id means this job: "12" is job 12 and all of array 12, "12_3" is one task.
bool names_job(const wire::JobRef& ref, const JobRecord& job);

}  // namespace muster::accounting
