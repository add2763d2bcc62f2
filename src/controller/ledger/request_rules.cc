// Checks requests against their rules.
#include "controller/ledger/request_rules.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace muster::controller {

namespace {

template <std::size_t... I>
std::vector<RequestRule> rules_of_all(std::index_sequence<I...>) {
  return {RuleOf<std::variant_alternative_t<I, wire::Request>>::value...};
}

}  // namespace

RequestRule rule_of(const wire::Request& request) {
  using Kind = wire::UpdateRequest::Kind;
  if (auto* update = std::get_if<wire::UpdateRequest>(&request);
      update && update->kind != Kind::job && update->kind != Kind::step)
    return kUpdateOfCluster;
  if (auto* action = std::get_if<wire::JobActionRequest>(&request);
      action &&
      (action->action == wire::JobAction::suspend || action->action == wire::JobAction::resume))
    return kSuspend;
  if (auto* step = std::get_if<wire::StepRequest>(&request); step && step->unallocated)
    return kStepWithoutJob;
  return std::visit([](const auto& r) { return RuleOf<std::remove_cvref_t<decltype(r)>>::value; },
                    request);
}

std::optional<Error> refusal_of(const RequestRule& rule, bool is_operator) {
  if (is_operator || rule.refusal == ErrorCode::no_error) return std::nullopt;
  return Error{rule.refusal, {}};
}

std::vector<RequestRule> all_rules() {
  auto rules = rules_of_all(std::make_index_sequence<std::variant_size_v<wire::Request>>());
  rules.insert(rules.end(), {kUpdateOfCluster, kSuspend, kStepWithoutJob, kReports});
  return rules;
}

std::string_view who_name(Who who) {
  switch (who) {
    case Who::anyone:
      return "anyone";
    case Who::owner:
      return "owner or operator";
    case Who::operators:
      return "operator";
    case Who::nodes:
      return "node";
  }
  return {};
}

}  // namespace muster::controller
