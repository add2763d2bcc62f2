// sdiag --json. Slurm 22.05 has no such option; the document is that of its slurmrestd, with what
// the next release added.
#include "cli/tables/json.h"

#include "cli/sdiag/report.h"

namespace muster::cli {

namespace {

Json times(const wire::MessageCount& row) {
  return {{"count", row.count},
          {"average_time", mean(row.time_us, row.count)},
          {"total_time", row.time_us}};
}

void add_daemon(const wire::StatisticsReply& told, Json& to) {
  to["parts_packed"] = 1;
  to["req_time"] = json_time(told.now);
  to["req_time_start"] = json_time(told.since);
  to["server_thread_count"] = told.threads;
  to["agent_queue_size"] = told.orders_waiting;
  to["agent_count"] = told.nodes_behind;
  to["agent_thread_count"] = told.nodes_behind ? 1 : 0;
  to["dbd_agent_queue_size"] = told.accounting_rows;
  to["gettimeofday_latency"] = told.clock_latency_us;
}

void add_main(const wire::StatisticsReply& told, Json& to) {
  const wire::PlanCounts& plans = told.quick;
  to["schedule_cycle_max"] = plans.took_us.max;
  to["schedule_cycle_last"] = plans.took_us.last;
  to["schedule_cycle_sum"] = plans.took_us.sum;
  to["schedule_cycle_total"] = plans.plans;
  to["schedule_cycle_mean"] = mean(plans.took_us.sum, plans.plans);
  to["schedule_cycle_mean_depth"] = mean(plans.examined.sum, plans.plans);
  to["schedule_cycle_per_minute"] = plans_per_minute(told).value_or(0);
  to["schedule_queue_length"] = plans.queued.last;
}

void add_jobs(const wire::StatisticsReply& told, Json& to) {
  to["jobs_submitted"] = told.jobs.submitted;
  to["jobs_started"] = told.jobs.started;
  to["jobs_completed"] = told.jobs.completed;
  to["jobs_canceled"] = told.jobs.canceled;
  to["jobs_failed"] = told.jobs.failed;
  to["jobs_pending"] = told.jobs.pending;
  to["jobs_running"] = told.jobs.running;
  to["job_states_ts"] = json_time(told.now);
}

void add_backfill(const wire::StatisticsReply& told, Json& to) {
  const wire::PlanCounts& plans = told.thorough;
  to["bf_backfilled_jobs"] = told.backfilled;
  to["bf_last_backfilled_jobs"] = told.backfilled_since_reset;
  to["bf_backfilled_het_jobs"] = told.backfilled_components;
  to["bf_cycle_counter"] = plans.plans;
  to["bf_cycle_mean"] = mean(plans.took_us.sum, plans.plans);
  to["bf_cycle_sum"] = plans.took_us.sum;
  to["bf_cycle_last"] = plans.took_us.last;
  to["bf_cycle_max"] = plans.took_us.max;
  to["bf_depth_mean"] = mean(plans.examined.sum, plans.plans);
  to["bf_depth_mean_try"] = mean(plans.tried.sum, plans.plans);
  to["bf_depth_sum"] = plans.examined.sum;
  to["bf_depth_try_sum"] = plans.tried.sum;
  to["bf_last_depth"] = plans.examined.last;
  to["bf_last_depth_try"] = plans.tried.last;
  to["bf_queue_len"] = plans.queued.last;
  to["bf_queue_len_mean"] = mean(plans.queued.sum, plans.plans);
  to["bf_queue_len_sum"] = plans.queued.sum;
  to["bf_table_size"] = plans.promised.last;
  to["bf_table_size_mean"] = mean(plans.promised.sum, plans.plans);
  to["bf_when_last_cycle"] = json_time(plans.last_at);
  to["bf_active"] = told.is_planning;
}

void add_messages(const wire::StatisticsReply& told, const NameLookup& names, Json& to) {
  to["rpcs_by_message_type"] = Json::array();
  for (const wire::MessageCount& row : told.by_type) {
    Json type{{"message_type", row.name.str()}, {"type_id", row.id}};
    type.update(times(row));
    to["rpcs_by_message_type"].push_back(std::move(type));
  }
  to["rpcs_by_user"] = Json::array();
  auto add_user = [&](std::string_view name, std::int64_t id, const wire::MessageCount& row) {
    Json user{{"user", std::string(name)}, {"user_id", id}};
    user.update(times(row));
    to["rpcs_by_user"].push_back(std::move(user));
  };
  for (const wire::MessageCount& row : told.by_user) add_user(names.user(Uid{row.id}), row.id, row);
  if (told.other_users.count > 0) add_user(kOtherUsers, -1, told.other_users);
}

}  // namespace

std::string statistics_json(const wire::StatisticsReply& told, const NameLookup& names) {
  Json statistics;
  add_messages(told, names, statistics);
  add_daemon(told, statistics);
  add_main(told, statistics);
  add_jobs(told, statistics);
  add_backfill(told, statistics);
  Json document = json_frame("openapi/v0.0.38", "Slurm OpenAPI v0.0.38");
  // Programs written for later releases ask which of its parsers made the document.
  document["meta"]["plugins"] = {{"data_parser", "data_parser/v0.0.39"}};
  document["warnings"] = Json::array();
  document["statistics"] = std::move(statistics);
  return json_text_of(document);
}

}  // namespace muster::cli
