// scontrol update node: state, reason, features, weight, comment.
#include "base/hostlist.h"
#include "controller/core.h"
#include "controller/node_change.h"
#include "controller/settings_list.h"

namespace muster::controller {

namespace {

Result<void> set_state(NodeChanged& change, std::string_view state, bool connected) {
  if (iequals(state, "drain")) {
    change.drain = true;
  } else if (iequals(state, "undrain")) {
    change.drain = false;
  } else if (iequals(state, "resume")) {
    change.drain = change.fail = false;
    if (change.health == NodeHealth::down)
      change.health = connected ? NodeHealth::up : NodeHealth::unknown;
    change.reason = {};
    change.reason_time = Time{};
  } else if (iequals(state, "idle")) {
    change.drain = change.fail = false;
    change.health = connected ? NodeHealth::up : NodeHealth::unknown;
    change.reason = {};
  } else if (iequals(state, "down")) {
    change.health = NodeHealth::down;
  } else if (iequals(state, "fail")) {
    change.fail = true;
  } else if (iequals(state, "future")) {
    change.future = true;
  } else {
    return fail(ErrorCode::invalid_node_state);
  }
  return {};
}

}  // namespace

wire::Answer Core::update_node(Caller caller, const wire::UpdateRequest& request, Time now) {
  if (!is_operator(caller)) return Error{ErrorCode::user_id_missing, {}};
  auto list = find_setting(request.settings, {"NodeName"});
  if (!list) return Error{ErrorCode::invalid_node_name, {}};
  std::vector<std::string> names;
  if (iequals(*list, "ALL")) {
    for (NodeId id : cluster_.node_order) names.push_back(cluster_.nodes.at(id).config.name.str());
  } else {
    auto expanded = expand_hostlist(*list);
    if (!expanded) return Error{ErrorCode::invalid_node_name, {}};
    names = std::move(*expanded);
  }
  auto state = find_setting(request.settings, {"State"});
  auto reason = find_setting(request.settings, {"Reason"});
  std::vector<std::pair<NodeId, NodeChanged>> changes;
  for (const std::string& name : names) {
    const Node* node = cluster_.find_node(name);
    if (!node) return Error{ErrorCode::invalid_node_name, {}};
    NodeChanged change = current(*node);
    if (reason) {
      change.reason = *reason;
      change.reason_uid = caller.uid;
      change.reason_time = now;
    }
    if (state) {
      bool needs_reason =
          iequals(*state, "drain") || iequals(*state, "down") || iequals(*state, "fail");
      if (needs_reason && !reason && node->reason.empty())
        return Error{ErrorCode::failure,
                     "You must specify a reason when DOWNING or DRAINING a node"};
      if (auto ok = set_state(change, *state, sessions_.contains(node->id)); !ok) return ok.error();
    }
    for (const auto& [key, value] : request.settings) {
      if (iequals(key, "Comment")) change.comment = value;
      if (iequals(key, "Weight")) {
        auto weight = parse_number<std::uint32_t>(value);
        if (!weight) return Error{ErrorCode::failure, "Invalid value"};
        change.weight = *weight;
      }
      if (iequals(key, "ActiveFeatures") || iequals(key, "Features") ||
          iequals(key, "AvailableFeatures")) {
        change.active_features.clear();
        for (std::string_view f : split(value, ','))
          if (!f.empty()) change.active_features.emplace_back(f);
      }
    }
    changes.emplace_back(node->id, std::move(change));
  }
  for (auto& [id, change] : changes) {
    bool goes_down =
        change.health == NodeHealth::down && cluster_.nodes.at(id).health != NodeHealth::down;
    record(std::move(change));
    if (goes_down) lose_node(id, now, "it was set DOWN");
    touch_node(id);
  }
  want_plan();
  return wire::Done{};
}

}  // namespace muster::controller
