// Queries (squeue, sinfo, sprio ...), answered from a published snapshot in parts, showing what the
// viewer may see. Any thread may call it; it uses nothing else.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "controller/ledger/host.h"
#include "controller/submit/partition_facts.h"
#include "controller/views/filter.h"
#include "controller/views/visibility.h"
#include "sched/priority/priority.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Whether the answer is short, because the query asks for little or the cluster is small.
bool has_short_answer(const Published& published, const wire::Request& query);

// An answer that is made while it is sent: if the client reads slowly, it does not pile up in
// memory.
class QueryAnswer {
 public:
  // `query` must be a request that is answered from the snapshot (request_rules.h).
  QueryAnswer(std::shared_ptr<const Published> published, Viewer viewer, wire::Request query,
              Time now);

  struct Part {
    wire::Answer answer;
    bool more = false;
  };
  Part next();  // call it until a part says that no more follow

 private:
  void begin();
  Part next_jobs(const wire::JobsRequest& request);

  std::shared_ptr<const Published> published_;  // shared by all readers
  const Visibility visible_;
  wire::Request query_;
  Time now_;
  bool has_begun_ = false;
  std::deque<Part> made_;  // answers that were made at once
  // For a list of jobs: where to continue.
  JobId next_job_;
  std::optional<sched::Priorities> priorities_;
  PartitionFacts facts_;
  std::optional<JobMatcher> matcher_;
  // If the query names jobs: those left, the next one last.
  std::optional<std::vector<JobId>> named_;
};

}  // namespace muster::controller
