// sinfo without its connection: options and nodes in, text out.
#pragma once

#include <expected>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/lib/errors.h"
#include "cli/records/node_row.h"

namespace muster::cli {

struct InfoOptions {
  std::vector<std::string> partitions;       // -p
  std::set<std::string, std::less<>> nodes;  // -n
  bool nodes_given = false;
  std::vector<std::vector<std::string>> states;  // -t: matches any of these; each is a list of
                                                 // states that must all apply
  std::string format, long_format, sort, clusters;
  bool all_given = false;  // -a; `all` may also come from the environment
  bool all = false, dead = false, responding = false, exact = false, header = true, json = false,
       long_form = false, node_form = false, reasons = false, summarize = false,
       reservations = false;
  int iterate_s = 0, verbose = 0;
};

std::expected<InfoOptions, Refusal> parse_sinfo(std::span<const std::string> words);

// "idle,drain&alloc"; also knows states of Slurm that no node here is ever in.
std::expected<std::vector<std::vector<std::string>>, Refusal> parse_node_states(
    std::string_view text);
bool is_in_state(const Node& node, std::string_view state);

std::vector<NodeGroup> group_nodes(const wire::NodesReply& reply, const InfoOptions& options,
                                   const Format<NodeGroup>& format, NodeContext& context);

struct InfoListing {
  std::string text;
  std::vector<std::string> complaints;  // whole lines for stderr
};
std::expected<InfoListing, Refusal> list_nodes(const wire::NodesReply& reply,
                                               const InfoOptions& options, NodeContext& context);

std::string nodes_json(const wire::NodesReply& reply, const RecordContext& context);

}  // namespace muster::cli
