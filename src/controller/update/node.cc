// scontrol update node: state, reason, features, weight, comment, where its machine is.
#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/core.h"
#include "controller/nodes/node_change.h"
#include "controller/nodes/node_gres.h"
#include "controller/nodes/node_state.h"
#include "controller/update/settings_list.h"
#include "model/binding/cpu_bind.h"

namespace muster::controller {

namespace {

// Only of a node that is out of service, or about to be, somebody wants to know why.
bool has_a_reason(const Node& node, std::string_view state) {
  return !state.empty() || node.drain || node.fail || node.health == NodeHealth::down;
}

bool takes_out(std::string_view state) {
  return iequals(state, "drain") || iequals(state, "down") || iequals(state, "fail");
}

std::vector<Text> words_of(std::string_view list) {
  std::vector<Text> words;
  for (std::string_view word : split(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// The machines of several nodes, one name for each of them.
struct Machines {
  std::vector<std::string> addresses, hostnames;  // empty: they stay what they are
};
Result<Machines> machines_of(const SettingsList& settings, std::size_t nodes) {
  Machines machines;
  auto read = [&](std::string_view key, std::vector<std::string>& names) {
    auto list = find_setting(settings, {key});
    if (!list) return true;
    auto expanded = expand_hostlist(*list);
    if (!expanded || expanded->size() != nodes) return false;
    names = std::move(*expanded);
    return true;
  };
  if (!read("NodeAddr", machines.addresses) || !read("NodeHostName", machines.hostnames))
    return fail(ErrorCode::invalid_node_name);
  return machines;
}

// What is not the state: comment, weight, features, gres.
Result<void> set_other(const SettingsList& settings, const Cluster& cluster, const Node& node,
                       NodeChanged& change) {
  for (const auto& [key, value] : settings) {
    if (iequals(key, "Comment")) change.comment = value;
    if (iequals(key, "Extra")) change.extra = value;
    if (iequals(key, "Weight")) {
      auto weight = parse_number<std::uint32_t>(value);
      if (!weight) return fail(ErrorCode::failure, "Invalid value");
      change.weight = *weight;
    }
    if (iequals(key, "CpuBind")) {
      auto bind = parse_default_cpu_bind(value);
      if (!bind) return std::unexpected(bind.error());
      change.cpu_bind = *bind;
    }
    if (iequals(key, "Gres")) {
      auto gres = changed_gres(cluster, node, value);
      if (!gres) return std::unexpected(gres.error());
      change.gres = std::move(*gres);
    }
    if (iequals(key, "Features") || iequals(key, "AvailableFeatures"))
      change.available_features = words_of(value);
  }
  const auto active = find_setting(settings, {"ActiveFeatures"});
  if (active) change.active_features = words_of(*active);
  const auto& available =
      change.available_features ? *change.available_features : node.config.features;
  const bool known = std::ranges::all_of(change.active_features, [&](const Text& feature) {
    return std::ranges::find(available, feature) != available.end();
  });
  if (!known) return fail(ErrorCode::failure, "Active features not subset of available features");
  // Where nobody says which, all that are available now are active.
  if (change.available_features && !active) change.active_features = *change.available_features;
  return {};
}

}  // namespace

Result<std::vector<NodeId>> Core::named_nodes(const wire::UpdateRequest& request) const {
  auto list = find_setting(request.settings, {"NodeName"});
  if (!list || list->empty()) return fail(ErrorCode::invalid_node_name);
  if (iequals(*list, "ALL")) return *cluster_.node_order;
  return cluster_.nodes_named(*list);
}

wire::Answer Core::update_node(Caller caller, const wire::UpdateRequest& request, Time now) {
  if (request.create) return create_nodes(request);
  if (request.remove) return delete_nodes(request);
  auto nodes = named_nodes(request);
  if (!nodes) return Error{ErrorCode::invalid_node_name, {}};
  const auto machines = machines_of(request.settings, nodes->size());
  if (!machines) return machines.error();
  const std::string state(find_setting(request.settings, {"State"}).value_or(""));
  auto reason = find_setting(request.settings, {"Reason"});
  const std::string next(find_setting(request.settings, {"NextState"}).value_or(""));
  // Nodes that cannot follow do not keep the others from it.
  std::optional<Error> refusal;
  std::vector<NodeId> changed;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const NodeId id = (*nodes)[i];
    const Node& node = cluster_.nodes.at(id);
    NodeChanged change = current(node);
    if (!machines->addresses.empty()) change.given.address = machines->addresses[i];
    if (!machines->hostnames.empty()) change.given.hostname = machines->hostnames[i];
    if (reason && !reason->empty() && has_a_reason(node, state)) change.reason = *reason;
    if (takes_out(state) && change.reason.empty())
      return Error{ErrorCode::failure, "You must specify a reason when DOWNING or DRAINING a node"};
    const StateWish wish{.state = state,
                         .next_state = next,
                         .has_reason = reason.has_value(),
                         .connected = sessions_.contains(id),
                         .now = now};
    Result<void> ok;
    if (!state.empty()) ok = set_state(cluster_.settings(), node, wish, change);
    if (change.reason != node.reason && !change.reason.empty()) {
      change.reason_uid = caller.uid;
      change.reason_time = now;
    }
    if (ok) ok = set_other(request.settings, cluster_, node, change);
    if (!ok) {
      refusal = ok.error();
      continue;
    }
    change_node(change, now);
    changed.push_back(id);
  }
  if (iequals(state, "POWER_DOWN_FORCE"))
    for (NodeId id : changed) clear_node(id, Leave::all, now);
  if (iequals(state, "POWER_DOWN"))
    for (NodeId id : changed) clear_node(id, Leave::with_grace, now);
  if (iequals(state, "POWER_UP")) power_up_again(changed, now);
  want_plan();
  if (refusal) return *refusal;
  return wire::Done{};
}

void Core::change_node(const NodeChanged& change, Time now) {
  const bool goes_down = change.health == NodeHealth::down &&
                         cluster_.nodes.at(change.node).health != NodeHealth::down;
  record(change);
  if (goes_down) lose_node(change.node, now, "it was set DOWN");
  touch_node(change.node);
}

}  // namespace muster::controller
