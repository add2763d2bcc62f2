// Who may send which request to slurmctld, and which part of it answers: one rule for each request
// of wire::Request. A request without a rule, or without the handler that its rule names, does not
// compile. docs/security.md shows the same table; a test compares the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/requests.h"

namespace muster::controller {

// Operators are root and SlurmUser. An owner is the user of the job in question; operators may do
// whatever owners may. Nodes are slurmds: operators that greeted as a node.
enum class Who : std::uint8_t { anyone, owner, operators, nodes };
enum class AnsweredBy : std::uint8_t { snapshot, daemon, core };

struct RequestRule {
  std::string_view name;  // its name in docs/security.md
  Who who = Who::operators;
  AnsweredBy by = AnsweredBy::core;
  // The error for callers who are not operators, if the rule requires one. no_error: the handler
  // decides per job.
  ErrorCode refusal = ErrorCode::no_error;
};

template <class Request>
struct RuleOf;  // no default, so that each request needs a rule

#define MUSTER_RULE(Request, ...)                    \
  template <>                                        \
  struct RuleOf<wire::Request> {                     \
    static constexpr RequestRule value{__VA_ARGS__}; \
  };
MUSTER_RULE(PingRequest, "Ping", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(SubmitRequest, "Submit", Who::owner, AnsweredBy::core)
MUSTER_RULE(JobsRequest, "Jobs", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(NodesRequest, "Nodes", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(PartitionsRequest, "Partitions", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(ConfigRequest, "Config", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(CancelRequest, "Cancel", Who::owner, AnsweredBy::core)
MUSTER_RULE(JobActionRequest, "JobAction", Who::owner, AnsweredBy::core)
MUSTER_RULE(UpdateRequest, "Update", Who::owner, AnsweredBy::core)
MUSTER_RULE(ReconfigureRequest, "Reconfigure", Who::operators, AnsweredBy::daemon,
            ErrorCode::user_id_missing)
MUSTER_RULE(ShutdownRequest, "Shutdown", Who::operators, AnsweredBy::daemon,
            ErrorCode::user_id_missing)
MUSTER_RULE(DebugRequest, "Debug", Who::operators, AnsweredBy::daemon, ErrorCode::user_id_missing)
MUSTER_RULE(WaitJobRequest, "WaitJob", Who::anyone, AnsweredBy::core)
MUSTER_RULE(StepRequest, "Step", Who::owner, AnsweredBy::core)
MUSTER_RULE(ReleaseRequest, "Release", Who::owner, AnsweredBy::core)
MUSTER_RULE(AccountingRequest, "Accounting", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(BatchScriptRequest, "BatchScript", Who::owner, AnsweredBy::daemon)
MUSTER_RULE(ReservationsRequest, "Reservations", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(AttachStepRequest, "AttachStep", Who::owner, AnsweredBy::core)
MUSTER_RULE(PrioritiesRequest, "Priorities", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(BroadcastRequest, "Broadcast", Who::owner, AnsweredBy::daemon)
MUSTER_RULE(TopologyRequest, "Topology", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(SharesRequest, "Shares", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(ExplainRequest, "Explain", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(ClaimNodeRequest, "ClaimNode", Who::operators, AnsweredBy::core,
            ErrorCode::user_id_missing)
MUSTER_RULE(AccountsRequest, "Accounts", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(StatisticsRequest, "Statistics", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(SetTriggerRequest, "SetTrigger", Who::owner, AnsweredBy::core)
MUSTER_RULE(ClearTriggersRequest, "ClearTriggers", Who::owner, AnsweredBy::core)
MUSTER_RULE(TriggersRequest, "Triggers", Who::anyone, AnsweredBy::daemon)
MUSTER_RULE(LimitsRequest, "Limits", Who::anyone, AnsweredBy::snapshot)
MUSTER_RULE(BudgetRequest, "Budget", Who::owner, AnsweredBy::snapshot)
#undef MUSTER_RULE

// Requests of which some forms need an operator.
inline constexpr RequestRule kUpdateOfCluster{"Update node, partition, reservation", Who::operators,
                                              AnsweredBy::core, ErrorCode::user_id_missing};
inline constexpr RequestRule kSuspend{"JobAction suspend, resume", Who::operators};
inline constexpr RequestRule kStepWithoutJob{"Step without an allocation", Who::operators};
inline constexpr RequestRule kStatisticsReset{"Statistics reset", Who::operators,
                                              AnsweredBy::daemon, ErrorCode::access_denied};
// What nodes send instead of requests.
inline constexpr RequestRule kReports{"ReportBatch", Who::nodes};

RequestRule rule_of(const wire::Request& request);
// The error for a caller who is not an operator; nothing if the request may go on to its handler.
std::optional<Error> refusal_of(const RequestRule& rule, bool is_operator);

std::vector<RequestRule> all_rules();
std::string_view who_name(Who who);  // "owner or operator"

}  // namespace muster::controller
