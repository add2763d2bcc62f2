// See message_names.h.
#include "slurmctld/message_names.h"

#include <variant>

namespace muster::daemon {

namespace {

struct RequestTypes {
  MessageType operator()(const wire::PingRequest&) const { return {1008, "REQUEST_PING"}; }
  MessageType operator()(const wire::SubmitRequest& r) const {
    if (r.test_only) return {4012, "REQUEST_JOB_WILL_RUN"};
    const bool is_batch = r.spec && r.spec->kind == JobKind::batch;
    if (!r.components.empty())
      return is_batch ? MessageType{4028, "REQUEST_SUBMIT_BATCH_HET_JOB"}
                      : MessageType{4025, "REQUEST_HET_JOB_ALLOCATION"};
    return is_batch ? MessageType{4003, "REQUEST_SUBMIT_BATCH_JOB"}
                    : MessageType{4001, "REQUEST_RESOURCE_ALLOCATION"};
  }
  MessageType operator()(const wire::JobsRequest& r) const {
    if (r.filter.jobs.size() == 1) return {2021, "REQUEST_JOB_INFO_SINGLE"};
    return {2003, "REQUEST_JOB_INFO"};
  }
  MessageType operator()(const wire::NodesRequest&) const { return {2007, "REQUEST_NODE_INFO"}; }
  MessageType operator()(const wire::PartitionsRequest&) const {
    return {2009, "REQUEST_PARTITION_INFO"};
  }
  MessageType operator()(const wire::ConfigRequest&) const { return {2001, "REQUEST_BUILD_INFO"}; }
  MessageType operator()(const wire::CancelRequest&) const { return {5032, "REQUEST_KILL_JOB"}; }
  MessageType operator()(const wire::JobActionRequest& r) const {
    switch (r.action) {
      case wire::JobAction::hold:
      case wire::JobAction::user_hold:
      case wire::JobAction::release:
        return {3001, "REQUEST_UPDATE_JOB"};
      case wire::JobAction::requeue:
      case wire::JobAction::requeue_hold:
      case wire::JobAction::requeue_special:
        return {5023, "REQUEST_JOB_REQUEUE"};
      case wire::JobAction::suspend:
      case wire::JobAction::resume:
        return {5014, "REQUEST_SUSPEND"};
      case wire::JobAction::top:
        return {5038, "REQUEST_TOP_JOB"};
      case wire::JobAction::notify:
        return {4022, "REQUEST_JOB_NOTIFY"};
    }
    return {};
  }
  MessageType operator()(const wire::UpdateRequest& r) const {
    using Kind = wire::UpdateRequest::Kind;
    switch (r.kind) {
      case Kind::job:
        return {3001, "REQUEST_UPDATE_JOB"};
      case Kind::node:
        return r.create ? MessageType{3015, "REQUEST_CREATE_NODE"}
                        : MessageType{3002, "REQUEST_UPDATE_NODE"};
      case Kind::partition:
        if (r.create) return {3003, "REQUEST_CREATE_PARTITION"};
        if (r.remove) return {3004, "REQUEST_DELETE_PARTITION"};
        return {3005, "REQUEST_UPDATE_PARTITION"};
      case Kind::step:
        return {20000, "MUSTER_UPDATE_STEP"};
      case Kind::reservation:
        if (r.create) return {3006, "REQUEST_CREATE_RESERVATION"};
        if (r.remove) return {3008, "REQUEST_DELETE_RESERVATION"};
        return {3009, "REQUEST_UPDATE_RESERVATION"};
    }
    return {};
  }
  MessageType operator()(const wire::ReconfigureRequest&) const {
    return {1003, "REQUEST_RECONFIGURE"};
  }
  MessageType operator()(const wire::ShutdownRequest&) const { return {1005, "REQUEST_SHUTDOWN"}; }
  MessageType operator()(const wire::DebugRequest& r) const {
    return r.level ? MessageType{1010, "REQUEST_SET_DEBUG_LEVEL"}
                   : MessageType{1014, "REQUEST_SET_DEBUG_FLAGS"};
  }
  MessageType operator()(const wire::WaitJobRequest& r) const {
    return r.until_started ? MessageType{4019, "REQUEST_JOB_READY"}
                           : MessageType{20001, "MUSTER_WAIT_FOR_END"};
  }
  MessageType operator()(const wire::StepRequest&) const {
    return {5001, "REQUEST_JOB_STEP_CREATE"};
  }
  MessageType operator()(const wire::ReleaseRequest&) const {
    return {5017, "REQUEST_COMPLETE_JOB_ALLOCATION"};
  }
  MessageType operator()(const wire::AccountingRequest&) const {
    return {20002, "MUSTER_ACCOUNTING"};
  }
  MessageType operator()(const wire::BatchScriptRequest&) const {
    return {2051, "REQUEST_BATCH_SCRIPT"};
  }
  MessageType operator()(const wire::ReservationsRequest&) const {
    return {2024, "REQUEST_RESERVATION_INFO"};
  }
  MessageType operator()(const wire::AttachStepRequest&) const {
    return {5021, "REQUEST_STEP_LAYOUT"};
  }
  MessageType operator()(const wire::PrioritiesRequest&) const {
    return {2026, "REQUEST_PRIORITY_FACTORS"};
  }
  MessageType operator()(const wire::BroadcastRequest&) const {
    return {4023, "REQUEST_JOB_SBCAST_CRED"};
  }
  MessageType operator()(const wire::TopologyRequest&) const { return {2028, "REQUEST_TOPO_INFO"}; }
  MessageType operator()(const wire::SharesRequest&) const { return {2022, "REQUEST_SHARE_INFO"}; }
  MessageType operator()(const wire::LimitsRequest&) const {
    return {2042, "REQUEST_ASSOC_MGR_INFO"};
  }
  MessageType operator()(const wire::BudgetRequest&) const { return {20006, "MUSTER_BUDGET"}; }
  MessageType operator()(const wire::ExplainRequest&) const { return {20003, "MUSTER_EXPLAIN"}; }
  MessageType operator()(const wire::ClaimNodeRequest&) const {
    return {20004, "MUSTER_CLAIM_NODE"};
  }
  MessageType operator()(const wire::AccountsRequest&) const { return {20005, "MUSTER_ACCOUNTS"}; }
  MessageType operator()(const wire::SetTriggerRequest&) const {
    return {2017, "REQUEST_TRIGGER_SET"};
  }
  MessageType operator()(const wire::ClearTriggersRequest&) const {
    return {2019, "REQUEST_TRIGGER_CLEAR"};
  }
  MessageType operator()(const wire::TriggersRequest&) const {
    return {2018, "REQUEST_TRIGGER_GET"};
  }
  MessageType operator()(const wire::StatisticsRequest&) const {
    return {2035, "REQUEST_STATS_INFO"};
  }
};

struct ReportTypes {
  MessageType operator()(const wire::RegisterReport&) const {
    return {1002, "MESSAGE_NODE_REGISTRATION_STATUS"};
  }
  MessageType operator()(const wire::HeartbeatReport&) const { return {20100, "MUSTER_HEARTBEAT"}; }
  MessageType operator()(const wire::StepEndReport& r) const {
    return r.end.ref.step == kBatchStep ? MessageType{5018, "REQUEST_COMPLETE_BATCH_SCRIPT"}
                                        : MessageType{5016, "REQUEST_STEP_COMPLETE"};
  }
  MessageType operator()(const wire::JobGoneReport&) const {
    return {6012, "MESSAGE_EPILOG_COMPLETE"};
  }
  MessageType operator()(const wire::LeavingReport&) const {
    return {20101, "MUSTER_NODE_LEAVING"};
  }
  MessageType operator()(const wire::PrologFailedReport&) const { return prolog(); }
  MessageType operator()(const wire::PreparedReport&) const { return prolog(); }
  MessageType operator()(const wire::JobAskReport&) const { return {20016, "MUSTER_JOB_ASK"}; }
  static MessageType prolog() { return {6018, "REQUEST_COMPLETE_PROLOG"}; }
};

struct OrderTypes {
  MessageType operator()(const wire::LaunchOrder& o) const {
    return o.launch.ref.step == kBatchStep ? MessageType{4005, "REQUEST_BATCH_JOB_LAUNCH"}
                                           : MessageType{6001, "REQUEST_LAUNCH_TASKS"};
  }
  MessageType operator()(const wire::SignalOrder&) const { return {6004, "REQUEST_SIGNAL_TASKS"}; }
  MessageType operator()(const wire::EndJobOrder&) const { return {6011, "REQUEST_TERMINATE_JOB"}; }
  MessageType operator()(const wire::EndStepOrder&) const {
    return {6006, "REQUEST_TERMINATE_TASKS"};
  }
  MessageType operator()(const wire::SuspendOrder&) const { return {5015, "REQUEST_SUSPEND_INT"}; }
  MessageType operator()(const wire::ConfirmOrder&) const { return {20200, "MUSTER_CONFIRM"}; }
  MessageType operator()(const wire::ReconfigureOrder&) const {
    return {1003, "REQUEST_RECONFIGURE"};
  }
  MessageType operator()(const wire::ShutdownOrder&) const { return {1005, "REQUEST_SHUTDOWN"}; }
  MessageType operator()(const wire::PrepareOrder&) const {
    return {6017, "REQUEST_LAUNCH_PROLOG"};
  }
  MessageType operator()(const wire::HealthCheckOrder&) const {
    return {20201, "MUSTER_HEALTH_CHECK"};
  }
  MessageType operator()(const wire::RebootOrder&) const { return {20202, "MUSTER_REBOOT"}; }
  MessageType operator()(const wire::StopNoticeOrder&) const {
    return {20017, "MUSTER_STOP_NOTICE"};
  }
  MessageType operator()(const wire::JobAnswerOrder&) const { return {20018, "MUSTER_JOB_ANSWER"}; }
  MessageType operator()(const wire::NotifyOrder&) const { return {4022, "REQUEST_JOB_NOTIFY"}; }
};

}  // namespace

MessageType type_of(const wire::Request& request) { return std::visit(RequestTypes{}, request); }
MessageType type_of(const wire::Report& report) { return std::visit(ReportTypes{}, report); }
MessageType type_of(const wire::Order& order) { return std::visit(OrderTypes{}, order); }

}  // namespace muster::daemon
