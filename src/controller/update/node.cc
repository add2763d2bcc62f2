// scontrol update node: state, reason, features, weight, comment, address.
#include "controller/update/update.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/contact/leaving.h"
#include "controller/contact/loss.h"
#include "controller/nodes/node_change.h"
#include "controller/nodes/node_gres.h"
#include "controller/nodes/node_state.h"
#include "controller/update/dynamic_nodes.h"
#include "controller/update/settings_list.h"
#include "model/binding/cpu_bind.h"
#include "wire/update_keys.h"

namespace muster::controller {

namespace {

// Only a node that is out of service, or soon will be, has a reason.
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

// The last key is used by scontrol reboot.
bool is_key_of_node(std::string_view key) {
  return wire::find_update_key(wire::UpdateRequest::Kind::node, key) || iequals(key, "NodeName") ||
         iequals(key, "NextState");
}

// Addresses or host names of several nodes, one each.
struct Machines {
  std::vector<std::string> addresses, hostnames;  // empty: unchanged
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

// Everything except the state: comment, weight, features, gres.
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
  // Unless the request names active features, all available features become active.
  if (change.available_features && !active) change.active_features = *change.available_features;
  return {};
}

void change_node(Ledger& ledger, NodeLinks& links, Allocations& allocations,
                 const NodeChanged& change) {
  const bool goes_down =
      change.health == NodeHealth::down && ledger.node(change.node).health != NodeHealth::down;
  ledger.record(change);
  if (goes_down) lose_node(ledger, links, allocations, change.node, "it was set DOWN");
  ledger.touch(change.node);
}

}  // namespace

wire::Answer update_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Power& power,
                         Caller caller, const wire::UpdateRequest& request) {
  const Time now = ledger.now();
  if (request.create) return create_nodes(ledger, request);
  if (request.remove) return delete_nodes(ledger, links, request);
  auto nodes = named_nodes(ledger.cluster(), request);
  if (!nodes) return Error{ErrorCode::invalid_node_name, {}};
  for (const auto& [key, value] : request.settings)
    if (!is_key_of_node(key)) return Error{ErrorCode::not_supported_yet, key};
  const auto machines = machines_of(request.settings, nodes->size());
  if (!machines) return machines.error();
  const std::string state(find_setting(request.settings, {"State"}).value_or(""));
  auto reason = find_setting(request.settings, {"Reason"});
  const std::string next(find_setting(request.settings, {"NextState"}).value_or(""));
  // If one node refuses the change, the others are changed all the same.
  std::optional<Error> refusal;
  std::vector<NodeId> changed;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const NodeId id = (*nodes)[i];
    const Node& node = ledger.node(id);
    NodeChanged change = current(node);
    if (!machines->addresses.empty()) change.given.address = machines->addresses[i];
    if (!machines->hostnames.empty()) change.given.hostname = machines->hostnames[i];
    if (reason && !reason->empty() && has_a_reason(node, state)) change.reason = *reason;
    if (takes_out(state) && change.reason.empty())
      return Error{ErrorCode::failure, "You must specify a reason when DOWNING or DRAINING a node"};
    const StateWish wish{.state = state,
                         .next_state = next,
                         .has_reason = reason.has_value(),
                         .connected = links.is_connected(id),
                         .now = now};
    Result<void> ok;
    if (!state.empty()) ok = set_state(ledger.settings(), node, wish, change);
    if (change.reason != node.reason && !change.reason.empty()) {
      change.reason_uid = caller.uid;
      change.reason_time = now;
    }
    if (ok) ok = set_other(request.settings, ledger.cluster(), node, change);
    if (!ok) {
      refusal = ok.error();
      continue;
    }
    change_node(ledger, links, allocations, change);
    changed.push_back(id);
  }
  if (iequals(state, "POWER_DOWN_FORCE"))
    for (NodeId id : changed) clear_node(ledger, links, id, Leave::all);
  if (iequals(state, "POWER_DOWN"))
    for (NodeId id : changed) clear_node(ledger, links, id, Leave::with_grace);
  if (iequals(state, "POWER_UP")) power.up_again(changed);
  ledger.want_plan();
  if (refusal) return *refusal;
  return wire::Done{};
}

}  // namespace muster::controller
