// squeue --json: keys and types of Slurm's OpenAPI v0.0.38, taken from the table of fields.
#include "cli/tables/json.h"

#include "cli/squeue/list.h"

namespace muster::cli {

std::string queue_json(const JobViews& jobs, const RecordContext& context) {
  Json records = Json::array();
  for (const wire::JobView& view : jobs) {
    const QueueJob job{line_of(*view.job, view, context.now), &view};
    records.push_back(json_of(job_fields(), JobRow{&job, &context}));
  }
  return json_document("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "jobs", std::move(records));
}

}  // namespace muster::cli
