// sacct --json: keys and types of Slurm's OpenAPI dbv0.0.38, taken from the table of fields.
#include "cli/tables/json.h"

#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/sacct/json_values.h"
#include "cli/sacct/list.h"
#include "cli/sacct/usage.h"

namespace muster::cli {

namespace {

Json step_json(const AcctLine& line) {
  Json out;
  // The keys of a step have another order than those of a job.
  for (const char* key : {"nodes", "tres", "time", "exit_code", "tasks", "pid", "CPU",
                          "kill_request_user", "state", "statistics", "step", "task"})
    out[key] = nullptr;
  auto keyed = [](const Field<AcctLine>& field) -> const Keyed<AcctLine>& {
    return field.how.mark.step;
  };
  add_json(acct_table(), line, keyed, out);
  return out;
}

Json exit_code_json(std::uint32_t wait_status) {
  const std::uint32_t signal = wait_status & 0x7f, code = wait_status >> 8 & 0xff;
  Json out;
  out["status"] = signal ? "SIGNALED" : code ? "ERROR" : "SUCCESS";
  out["return_code"] = code;
  if (signal) out["signal"] = {{"signal_id", signal}};
  return out;
}

Json cpu_time_json(std::uint64_t microseconds) {
  constexpr std::uint64_t kSecondUs = 1'000'000;
  return {{"seconds", microseconds / kSecondUs}, {"microseconds", microseconds % kSecondUs}};
}

// "cpu=4,mem=200M,gres/gpu=2" as a list of typed counts.
Json tres_json(std::string_view text) {
  constexpr std::pair<std::string_view, int> kIds[] = {
      {"cpu", 1}, {"mem", 2}, {"energy", 3}, {"node", 4}, {"billing", 5}};
  Json list = Json::array();
  for (const std::string& part : split_list(text)) {
    auto equals = part.find('=');
    if (equals == part.npos) continue;
    std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    auto slash = name.find('/');
    std::string type = name.substr(0, slash);
    int id = 1001;  // the first id after those of Slurm
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

Json no_measures() {
  return {{"max", Json::array()},
          {"min", Json::array()},
          {"average", Json::array()},
          {"total", Json::array()}};
}

bool say(Json value, Json& out) {
  out = std::move(value);
  return true;
}

}  // namespace

std::uint32_t exit_status(const AcctLine& line) {
  return line.step ? line.step->exit_status : line.job().exit_status;
}
std::uint64_t user_cpu_us(const AcctLine& line) { return acct_usage(line).user_cpu_us; }
std::uint64_t system_cpu_us(const AcctLine& line) { return acct_usage(line).system_cpu_us; }
std::uint64_t total_cpu_us(const AcctLine& line) {
  const Usage usage = acct_usage(line);
  return usage.user_cpu_us + usage.system_cpu_us;
}
const Text& allocated_tres(const AcctLine& line) {
  return line.step ? line.step->tres : line.job().allocated_tres;
}

bool write_exit_code(const AcctLine& line, Json& out) {
  return say(exit_code_json(exit_status(line)), out);
}
bool write_derived_exit_code(const AcctLine& line, Json& out) {
  return say(exit_code_json(line.job().derived_exit_status), out);
}
bool write_user_cpu(const AcctLine& line, Json& out) {
  return say(cpu_time_json(user_cpu_us(line)), out);
}
bool write_system_cpu(const AcctLine& line, Json& out) {
  return say(cpu_time_json(system_cpu_us(line)), out);
}
bool write_total_cpu(const AcctLine& line, Json& out) {
  return say(cpu_time_json(total_cpu_us(line)), out);
}
bool write_allocated_tres(const AcctLine& line, Json& out) {
  return say(tres_json(allocated_tres(line)), out);
}
bool write_requested_tres(const AcctLine& line, Json& out) {
  return say(tres_json(line.job().requested_tres), out);
}
bool write_no_measures(const AcctLine&, Json& out) { return say(no_measures(), out); }
bool write_measures(const AcctLine& line, Json& out) {
  out = no_measures();
  const Measure& memory = line.step->usage.rss_kib;
  if (memory.max > 0)
    out["max"].push_back({{"type", "mem"},
                          {"name", nullptr},
                          {"id", 2},
                          {"count", memory.max * 1024},
                          {"node", std::string(usage_node(line, memory.max_node))},
                          {"task", memory.max_task}});
  return true;
}
bool write_frequency(const AcctLine&, Json& out) { return say({{"min", 0}, {"max", 0}}, out); }
bool write_step_id(const AcctLine& line, Json& out) {
  const StepId id = line.step->step;
  return say(is_numbered(id) ? Json(id.value) : Json(step_name(id)), out);
}
bool write_steps(const AcctLine& line, Json& out) {
  out = Json::array();
  for (const StepRecord& step : line.row->steps)
    out.push_back(step_json({line.row, &step, line.context}));
  return true;
}

std::string accounting_json(const std::vector<AccountingRow>& rows, const AcctContext& context) {
  Json records = Json::array();
  for (const AccountingRow& row : rows)
    records.push_back(json_of(acct_table(), AcctLine{&row, nullptr, &context}));
  return json_document("openapi/dbv0.0.38", "Slurm OpenAPI DB v0.0.38", "jobs", std::move(records));
}

}  // namespace muster::cli
