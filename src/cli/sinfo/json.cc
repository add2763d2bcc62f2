// sinfo --json: keys and types of Slurm's OpenAPI v0.0.38, taken from the table of fields.
#include "cli/tables/json.h"

#include "cli/sinfo/list.h"

namespace muster::cli {

std::string nodes_json(const wire::NodesReply& reply, const RecordContext& context) {
  Json records = Json::array();
  for (const wire::NodeView& view : reply.nodes)
    records.push_back(json_of(node_fields(), NodeGroup{.context = &context, .nodes = {&view}}));
  return json_document("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "nodes", std::move(records));
}

}  // namespace muster::cli
