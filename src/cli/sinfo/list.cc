// Decides which nodes share a line of sinfo, and in which order and form lines are printed.
#include "cli/sinfo/list.h"

#include "cli/lib/own_groups.h"

#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kLeastNameWidth = 9;

// States with their long and short names.
constexpr std::string_view kKnownStates[] = {
    "alloc",    "allocated",   "cloud",      "comp",          "completing",
    "down",     "drain",       "drained",    "draining",      "fail",
    "failing",  "future",      "futr",       "idle",          "inval",
    "maint",    "mix",         "mixed",      "no_respond",    "npc",
    "perfctrs", "planned",     "power_down", "powering_down", "powered_down",
    "power_up", "powering_up", "reboot",     "reboot_issued", "reboot_requested",
    "resv",     "reserved",    "unk",        "unknown",       "blocked",
    "error",    "drng",        "plnd",       "boot",          "reboot^",
    "all"};
constexpr std::string_view kValidStates =
    "unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,reserved,"
    "perfctrs,cloud,"
    "completing,powering_down,powered_down,power_down,powering_up,fail,maint,reboot,reboot^,"
    "unknown";

bool matches(const Node& node, const InfoOptions& options) {
  if (node.future) return false;
  if (options.nodes_given && !options.nodes.contains(node.config.name.view())) return false;
  if (options.dead && node.responding) return false;
  if (options.responding && !node.responding) return false;
  if (options.reasons) {
    bool out_of_service =
        node.drain || node.fail || node.health == NodeHealth::down || !node.responding;
    if (node.reason.empty() || !out_of_service) return false;
  }
  if (options.states.empty()) return true;
  return std::ranges::any_of(options.states, [&](const auto& all_of) {
    return std::ranges::all_of(all_of,
                               [&](const std::string& state) { return is_in_state(node, state); });
  });
}

bool shows(const Partition& partition, const InfoOptions& options) {
  if (!options.partitions.empty())
    return std::ranges::find(options.partitions, partition.name.view()) != options.partitions.end();
  return options.all || (!partition.hidden && admits_own_groups(partition));
}

// Columns of names are as wide as necessary; other columns have fixed widths.
struct NameWidths {
  std::size_t partition = kLeastNameWidth, node = kLeastNameWidth;
};
NameWidths name_widths(const wire::NodesReply& reply, const InfoOptions& options) {
  NameWidths widths;
  for (const Partition& partition : reply.partitions)
    if (shows(partition, options))
      widths.partition =
          std::max(widths.partition, partition.name.view().size() + (partition.is_default ? 1 : 0));
  for (const wire::NodeView& view : reply.nodes)
    widths.node = std::max(widths.node, view.node->config.name.view().size());
  return widths;
}

std::string usual_format(const wire::NodesReply& reply, const InfoOptions& options) {
  NameWidths width = name_widths(reply, options);
  if (options.reasons) return options.long_form ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (options.summarize) return fmt::format("%{}P %.5a %.10l %.16F %N", width.partition);
  if (options.node_form && options.long_form)
    return fmt::format("%{}N %.6D %.{}P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E", width.node,
                       width.partition);
  if (options.node_form) return fmt::format("%{}N %.6D %.{}P %6t", width.node, width.partition);
  if (options.long_form)
    return fmt::format("%{}P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N", width.partition);
  return fmt::format("%{}P %.5a %.10l %.6D %.6t %N", width.partition);
}

std::expected<std::vector<SortKey<NodeGroup>>, Refusal> sort_order(const InfoOptions& options) {
  std::string_view text = !options.sort.empty() ? std::string_view(options.sort)
                          : options.node_form   ? "N"
                                                : "#P,-t";
  std::vector<SortKey<NodeGroup>> keys;
  for (const SortItem& item : scan_sort(text)) {
    bool as_configured = item.as_configured && item.letter == 'P';
    const Field<NodeGroup>* field =
        as_configured ? &partition_order_field() : find_letter(node_columns(), item.letter);
    if (!field)
      return std::unexpected(Refusal{
          error_lines("sinfo", fmt::format("Invalid sort specification: {}", item.letter))});
    keys.push_back({field, item.descending});
  }
  return keys;
}

// The values in which nodes must agree to share a line.
class GroupKey {
 public:
  GroupKey(const Format<NodeGroup>& format, bool exact) {
    for (const Cell<NodeGroup>& cell : format.cells) {
      if (!cell.field) continue;
      const Grouping kind = cell.field->how.mark.grouping;
      if (kind == Grouping::same || (kind == Grouping::range && exact))
        fields_.push_back(cell.field);
    }
  }
  std::string of(const NodeGroup& one) {
    std::string key;
    for (const Field<NodeGroup>* field : fields_) {
      key += listed_text(*field, one, scratch_);
      key += '\0';
    }
    return key;
  }

 private:
  std::vector<const Field<NodeGroup>*> fields_;
  FieldValue scratch_;
};

bool shows_partition(const Format<NodeGroup>& format) {
  return std::ranges::any_of(format.cells, [](const Cell<NodeGroup>& cell) {
    return cell.field && (cell.field->listed.letter == 'P' || cell.field->listed.letter == 'R');
  });
}

void rank_names(const wire::NodesReply& reply, NodeContext& context) {
  std::vector<const Node*> nodes;
  for (const wire::NodeView& view : reply.nodes) nodes.push_back(&*view.node);
  std::ranges::stable_sort(nodes, [](const Node* a, const Node* b) {
    return host_less(a->config.name, b->config.name);
  });
  for (std::size_t i = 0; i < nodes.size(); ++i)
    context.name_rank[nodes[i]->id] = static_cast<std::int64_t>(i);
}

}  // namespace

std::expected<std::vector<std::vector<std::string>>, Refusal> parse_node_states(
    std::string_view text) {
  std::vector<std::vector<std::string>> any_of;
  for (const std::string& part : split_list(text)) {
    std::vector<std::string> all_of;
    for (std::string_view word : split(part, '&')) {
      std::string name = lower(trim(word));
      if (std::ranges::find(kKnownStates, name) == std::end(kKnownStates))
        return std::unexpected(
            Refusal{error_lines("sinfo", fmt::format("Bad state string: \"{}\"\nvalid states: {}",
                                                     word, kValidStates))});
      all_of.push_back(std::move(name));
    }
    any_of.push_back(std::move(all_of));
  }
  return any_of;
}

bool is_in_state(const Node& node, std::string_view state) {
  std::string text = node_state_long(node);
  std::string_view base = base_state(text);
  if (state == "all") return true;
  if (state == "idle") return base == "IDLE";  // whatever flags are set
  if (state == "mix" || state == "mixed") return base == "MIXED";
  if (state == "alloc" || state == "allocated") return base == "MIXED" || base == "ALLOCATED";
  if (state == "down") return base == "DOWN";
  if (state == "unk" || state == "unknown") return base == "UNKNOWN";
  if (state == "comp" || state == "completing") return !node.completing.empty();
  if (state == "drain") return node.drain;
  if (state == "drained") return node.drain && !is_busy(node);
  if (state == "draining" || state == "drng") return node.drain && is_busy(node);
  if (state == "fail") return node.fail;
  if (state == "failing") return node.fail && is_busy(node);
  if (state == "no_respond") return !node.responding;
  if (state == "power_down") return node.power.down_asked;
  if (state == "powering_down") return node.power.phase == PowerPhase::powering_down;
  if (state == "powered_down") return node.power.phase == PowerPhase::off;
  if (state == "powering_up" || state == "power_up")
    return node.power.phase == PowerPhase::powering_up;
  if (state == "reboot" || state == "boot") return node.reboot.asked || node.reboot.issued;
  if (state == "reboot_requested") return node.reboot.asked;
  if (state == "reboot_issued" || state == "reboot^") return node.reboot.issued;
  if (state == "maint") return node.kept == NodeKept::maintenance;
  if (state == "resv" || state == "reserved") return node.kept != NodeKept::no;
  if (state == "cloud") return iequals(node.config.state, "CLOUD");
  return false;
}

std::vector<NodeGroup> group_nodes(const wire::NodesReply& reply, const InfoOptions& options,
                                   const Format<NodeGroup>& format, NodeContext& context) {
  std::unordered_map<NodeId, const wire::NodeView*> by_id;
  for (const wire::NodeView& view : reply.nodes)
    if (matches(*view.node, options)) by_id[view.node->id] = &view;
  GroupKey key(format, options.exact);
  std::vector<NodeGroup> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  std::vector<std::unordered_set<NodeId>>
      members;  // a node that is in two partitions counts once per line
  bool lists_empty = !options.node_form && !options.reasons;
  std::int64_t rank = 0;
  for (const Partition& partition : reply.partitions) {
    ++rank;
    if (!shows(partition, options)) continue;
    bool empty = true;
    for (NodeId id : partition.nodes) {
      auto found = by_id.find(id);
      if (found == by_id.end()) continue;
      empty = false;
      NodeGroup one{&partition, rank, &context, {found->second}, &context.name_rank};
      if (options.node_form) {
        groups.push_back(std::move(one));
        continue;
      }
      auto [at, added] = group_of.try_emplace(key.of(one), groups.size());
      if (added) {
        groups.push_back(std::move(one));
        members.push_back({id});
      } else if (members[at->second].insert(id).second) {
        groups[at->second].nodes.push_back(found->second);
      }
    }
    if (!empty || !lists_empty || (!shows_partition(format) && !groups.empty())) continue;
    groups.push_back({&partition, rank, &context, {}, &context.name_rank});
    members.emplace_back();
  }
  // If partitions are not shown, a line without nodes is printed only if it is the only line.
  if (!shows_partition(format) && groups.size() > 1)
    std::erase_if(groups, [](const NodeGroup& group) { return group.nodes.empty(); });
  return groups;
}

std::expected<InfoListing, Refusal> list_nodes(const wire::NodesReply& reply,
                                               const InfoOptions& options, NodeContext& context) {
  InfoListing listing;
  Format<NodeGroup> format;
  if (!options.long_format.empty()) {
    format = name_format(node_columns(), options.long_format);
    for (const std::string& name : format.unknown)
      listing.complaints.push_back(
          error_lines("sinfo", fmt::format("Invalid job format specification: {}", name)));
  } else {
    format = letter_format(node_columns(),
                           options.format.empty() ? usual_format(reply, options) : options.format);
    for (const std::string& letter : format.unknown)
      listing.complaints.push_back(fmt::format("Invalid node format specification: {}\n", letter));
  }
  auto keys = sort_order(options);
  if (!keys) return std::unexpected(keys.error());
  rank_names(reply, context);
  std::vector<NodeGroup> groups = group_nodes(reply, options, format, context);
  sort_records(groups, *keys);
  bool dated = options.long_form || options.iterate_s > 0;
  if (dated && options.header) listing.text += date_line(context.now);
  if (options.header) append_header(format, listing.text);
  append_records(format, groups, listing.text);
  return listing;
}

}  // namespace muster::cli
