// sacct --json: the keys and types of Slurm's OpenAPI dbv0.0.38.
#include "cli/tables/json.h"

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/sacct/list.h"
#include "cli/sacct/usage.h"

namespace muster::cli {

namespace {

constexpr std::uint64_t kSecondUs = 1'000'000;

Json cpu_time(std::uint64_t microseconds) {
  return {{"seconds", microseconds / kSecondUs}, {"microseconds", microseconds % kSecondUs}};
}

Json exit_code(std::uint32_t wait_status) {
  std::uint32_t signal = wait_status & 0x7f, code = wait_status >> 8 & 0xff;
  Json out;
  out["status"] = signal ? "SIGNALED" : code ? "ERROR" : "SUCCESS";
  out["return_code"] = code;
  if (signal) out["signal"] = {{"signal_id", signal}};
  return out;
}

// "cpu=4,mem=200M,gres/gpu=2" as a list of typed counts.
Json tres_list(std::string_view text) {
  constexpr std::pair<std::string_view, int> kIds[] = {
      {"cpu", 1}, {"mem", 2}, {"energy", 3}, {"node", 4}, {"billing", 5}};
  Json list = Json::array();
  for (const std::string& part : split_list(text)) {
    auto equals = part.find('=');
    if (equals == part.npos) continue;
    std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    auto slash = name.find('/');
    std::string type = name.substr(0, slash);
    int id = 1001;  // the first beyond Slurm's own
    for (const auto& [known, number] : kIds)
      if (type == known) id = number;
    auto count = type == "mem" ? parse_mib(value) : parse_count(value);
    list.push_back({{"type", type},
                    {"name", slash == name.npos ? Json(nullptr) : Json(name.substr(slash + 1))},
                    {"id", id},
                    {"count", json_or_null(count)}});
  }
  return list;
}

Json step_times(const AcctLine& line) {
  const StepRecord& step = *line.step;
  Json out;
  out["elapsed"] = acct_elapsed(line).count();
  out["end"] = json_time(step.ended);
  out["start"] = json_time(step.started);
  out["suspended"] = std::chrono::floor<Seconds>(step.suspended).count();
  out["system"] = cpu_time(step.usage.system_cpu_us);
  out["total"] = cpu_time(step.usage.system_cpu_us + step.usage.user_cpu_us);
  out["user"] = cpu_time(step.usage.user_cpu_us);
  return out;
}

Json step_json(const AcctLine& line) {
  const StepRecord& step = *line.step;
  Json out;
  auto names = expand_hostlist(step.nodes);
  out["nodes"] = {{"list", names ? Json(*names) : Json::array()},
                  {"count", step.num_nodes},
                  {"range", step.nodes.str()}};
  Json none = {{"max", Json::array()},
               {"min", Json::array()},
               {"average", Json::array()},
               {"total", Json::array()}};
  out["tres"] = {{"requested", none}, {"consumed", none}, {"allocated", tres_list(step.tres)}};
  if (step.usage.rss_kib.max > 0)
    out["tres"]["requested"]["max"].push_back(
        {{"type", "mem"},
         {"name", nullptr},
         {"id", 2},
         {"count", step.usage.rss_kib.max * 1024},
         {"node", std::string(usage_node(line, step.usage.rss_kib.max_node))},
         {"task", step.usage.rss_kib.max_task}});
  out["time"] = step_times(line);
  out["exit_code"] = exit_code(step.exit_status);
  out["tasks"] = {{"count", step.num_tasks}};
  out["pid"] = nullptr;
  out["CPU"] = {{"requested_frequency", {{"min", 0}, {"max", 0}}}, {"governor", Json::array()}};
  out["kill_request_user"] = nullptr;
  out["state"] = acct_state(line);
  out["statistics"] = {{"CPU", {{"actual_frequency", 0}}}, {"energy", {{"consumed", 0}}}};
  bool numbered = is_numbered(step.step);
  out["step"] = {{"job_id", step.job.value},
                 {"het", {{"component", nullptr}}},
                 {"id", numbered ? Json(step.step.value) : Json(step_name(step.step))},
                 {"name", step.name.str()}};
  out["task"] = {{"distribution", numbered ? "Block" : "Unknown"}};
  return out;
}

Json job_times(const AcctLine& line) {
  const JobRecord& job = line.job();
  Usage usage = acct_usage(line);
  Json out;
  out["elapsed"] = acct_elapsed(line).count();
  out["eligible"] = json_time(job.eligible);
  out["end"] = json_time(job.ended);
  out["start"] = json_time(job.started);
  out["submission"] = json_time(job.submitted);
  out["suspended"] = std::chrono::floor<Seconds>(job.suspended).count();
  out["system"] = cpu_time(usage.system_cpu_us);
  out["limit"] = job.time_limit == kUnlimited || job.time_limit.count() == 0
                     ? Json(nullptr)
                     : Json(job.time_limit.count());
  out["total"] = cpu_time(usage.system_cpu_us + usage.user_cpu_us);
  out["user"] = cpu_time(usage.user_cpu_us);
  return out;
}

void add_identity(Json& out, const JobRecord& job) {
  auto text_or_null = [](const Text& text) {
    return text.empty() ? Json(nullptr) : json_text(text);
  };
  out["account"] = json_text(job.account);
  out["comment"] = {{"administrator", text_or_null(job.admin_comment)},
                    {"job", text_or_null(job.comment)},
                    {"system", nullptr}};
  out["allocation_nodes"] = job.allocated_nodes;
  out["array"] = {{"job_id", job.array_id.value},
                  {"limits", {{"max", {{"running", {{"tasks", 0}}}}}}},
                  {"task", text_or_null(job.waiting_tasks)},
                  {"task_id", job.task_id == kNoTask ? Json(nullptr) : Json(job.task_id)}};
  out["association"] = {{"account", job.account.str()},
                        {"cluster", job.cluster.str()},
                        {"partition", nullptr},
                        {"user", job.user_name.str()}};
  out["cluster"] = json_text(job.cluster);
  out["constraints"] = json_text(job.constraints);
  out["container"] = nullptr;
}

void add_result(Json& out, const AcctLine& line) {
  const JobRecord& job = line.job();
  out["derived_exit_code"] = exit_code(job.derived_exit_status);
  out["time"] = job_times(line);
  out["exit_code"] = exit_code(job.exit_status);
  out["flags"] = Json::array();
  for (const std::string& flag : split_list(job.flags)) out["flags"].push_back(flag);
  out["group"] =
      job.group_name.empty() ? Json(line.context->names.group(job.gid)) : json_text(job.group_name);
  out["het"] = {{"job_id", job.het_id.value},
                {"job_offset", job.het_id ? Json(job.het_offset) : Json(nullptr)}};
  out["job_id"] = job.job.value;
  out["name"] = json_text(job.name);
  out["mcs"] = {{"label", ""}};
  out["nodes"] = job.nodes.empty() ? Json("None assigned") : json_text(job.nodes);
  out["partition"] = json_text(job.partition);
  out["priority"] = job.priority;
  out["qos"] = json_text(job.qos);
  out["required"] = {{"CPUs", job.requested_cpus},
                     {"memory", json_or_null(parse_mib(job.requested_memory))}};
  bool cancelled = job.state == JobState::cancelled;
  out["kill_request_user"] =
      cancelled ? Json(line.context->names.user(job.cancelled_by)) : Json(nullptr);
  out["reservation"] = {{"id", 0}, {"name", job.reservation.str()}};
  std::string state = acct_state(line);
  out["state"] = {{"current", state.substr(0, state.find(' '))},
                  {"reason", job.reason.empty() ? std::string("None") : job.reason.str()}};
}

Json job_json(const AccountingRow& row, AcctContext& context) {
  Json out;
  AcctLine line{&row, nullptr, &context};
  add_identity(out, row.job);
  add_result(out, line);
  out["steps"] = Json::array();
  for (const StepRecord& step : row.steps)
    out["steps"].push_back(step_json({&row, &step, &context}));
  out["tres"] = {{"allocated", tres_list(row.job.allocated_tres)},
                 {"requested", tres_list(row.job.requested_tres)}};
  out["user"] = json_text(row.job.user_name);
  out["wckey"] = {{"wckey", row.job.wckey.str()}, {"flags", Json::array()}};
  out["working_directory"] = json_text(row.job.work_dir);
  return out;
}

}  // namespace

std::string accounting_json(const std::vector<AccountingRow>& rows, AcctContext& context) {
  Json records = Json::array();
  for (const AccountingRow& row : rows) records.push_back(job_json(row, context));
  return json_document("openapi/dbv0.0.38", "Slurm OpenAPI DB v0.0.38", "jobs", std::move(records));
}

}  // namespace muster::cli
