// Questions about what is (squeue, sinfo, sprio ...), answered from a published snapshot in parts,
// with what the viewer may see.
// On any thread; nothing else is touched.
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

// Whether a query asks for little, however large the cluster is, or the cluster is small.
bool has_short_answer(const Published& published, const wire::Request& query);

// An answer that is made as it is sent: it does not pile up here if the client reads slowly.
class QueryAnswer {
 public:
  // Of a request that is answered from the snapshot (request_rules.h).
  QueryAnswer(std::shared_ptr<const Published> published, Viewer viewer, wire::Request query,
              Time now);

  struct Part {
    wire::Answer answer;
    bool more = false;
  };
  Part next();  // until one says that no more follow

 private:
  void begin();
  Part next_jobs(const wire::JobsRequest& request);

  std::shared_ptr<const Published> published_;  // shared: by all who read it
  const Visibility visible_;
  wire::Request query_;
  Time now_;
  bool has_begun_ = false;
  std::deque<Part> made_;  // of answers that are made at once
  // Of a list of jobs: where to go on.
  JobId next_job_;
  std::optional<sched::Priorities> priorities_;
  PartitionFacts facts_;
  std::optional<JobMatcher> matcher_;
  std::optional<std::vector<JobId>> named_;  // the only ones, the next one last
};

}  // namespace muster::controller
