// The table of the keys of scontrol update that submit scripts see.
#include "controller/hooks/update_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "controller/hooks/job_fields.h"
#include "model/job/mail_type.h"
#include "wire/update_values.h"

namespace muster::controller {

namespace {

using wire::HookField;
using wire::HookFields;
using Number = std::optional<std::uint64_t>;

enum class Form : std::uint8_t {
  text,
  gres,
  number,
  limit,
  minutes,
  memory,
  yes_no,
  sharing,
  nice,
  mail,
  date,
  least,
  most
};

// Where several keys set one field, the first of them sets it for a script.
struct UpdateField {
  std::string_view key, field;
  Form form = Form::text;
};

constexpr UpdateField kUpdateFields[] = {
    {"Account", "account"},
    {"AdminComment", "admin_comment"},
    {"Comment", "comment"},
    {"Contiguous", "contiguous", Form::yes_no},
    {"CPUsPerTask", "cpus_per_task", Form::number},
    {"CpusPerTres", "cpus_per_tres", Form::gres},
    {"Dependency", "dependency"},
    {"ExcNodeList", "exc_nodes"},
    {"Features", "features"},
    {"TresPerNode", "tres_per_node", Form::gres},
    {"Gres", "tres_per_node", Form::gres},
    {"Gres", "gres", Form::gres},
    {"TresPerNode", "gres", Form::gres},
    {"JobName", "name"},
    {"Name", "name"},
    {"Licenses", "licenses"},
    {"MailType", "mail_type", Form::mail},
    {"MailUser", "mail_user"},
    {"MemPerTres", "mem_per_tres", Form::gres},
    {"MinCPUsNode", "pn_min_cpus", Form::number},
    {"MinMemoryCPU", "min_mem_per_cpu", Form::memory},
    {"MinMemoryNode", "min_mem_per_node", Form::memory},
    {"MinMemoryNode", "pn_min_memory", Form::memory},
    {"MinTmpDiskNode", "pn_min_tmp_disk", Form::memory},
    {"Nice", "nice", Form::nice},
    {"ReqNodeList", "req_nodes"},
    {"NodeList", "req_nodes"},
    {"NumNodes", "min_nodes", Form::least},
    {"ReqNodes", "min_nodes", Form::least},
    {"NumNodes", "max_nodes", Form::most},
    {"ReqNodes", "max_nodes", Form::most},
    {"NumTasks", "num_tasks", Form::number},
    {"ReqProcs", "num_tasks", Form::number},
    {"OverSubscribe", "shared", Form::sharing},
    {"Shared", "shared", Form::sharing},
    {"OverSubscribe", "oversubscribe", Form::sharing},
    {"Shared", "oversubscribe", Form::sharing},
    {"Partition", "partition"},
    {"Prefer", "prefer"},
    {"Priority", "priority", Form::number},
    {"QOS", "qos"},
    {"Reboot", "reboot", Form::yes_no},
    {"ReqCores", "cores_per_socket", Form::number},
    {"ReqSockets", "sockets_per_node", Form::number},
    {"ReqThreads", "threads_per_core", Form::number},
    {"Requeue", "requeue", Form::yes_no},
    {"ReservationName", "reservation"},
    {"StartTime", "begin_time", Form::date},
    {"EligibleTime", "begin_time", Form::date},
    {"StdOut", "std_out"},
    {"Switches", "req_switch", Form::number},
    {"TasksPerNode", "ntasks_per_node", Form::number},
    {"TimeLimit", "time_limit", Form::limit},
    {"TimeMin", "time_min", Form::minutes},
    {"TresPerJob", "tres_per_job", Form::gres},
    {"TresPerSocket", "tres_per_socket", Form::gres},
    {"TresPerTask", "tres_per_task", Form::gres},
    {"WCKey", "wckey"},
    {"WorkDir", "work_dir"},
};

Number minutes(std::optional<Minutes> span) {
  if (!span || span->count() < 0) return std::nullopt;
  return *span == kUnlimited ? wire::kInfinite : static_cast<std::uint64_t>(span->count());
}

Number yes_no(std::string_view value) {
  const auto yes = wire::parse_yes_no(value);
  return yes ? Number(*yes ? 1 : 0) : std::nullopt;
}

Number number_in(Form form, std::string_view value, const Job& job, Time now) {
  switch (form) {
    case Form::limit: {
      const auto change = wire::parse_time_limit_change(value);
      return change ? minutes(change->applied_to(job.time_limit)) : std::nullopt;
    }
    case Form::minutes:
      return minutes(parse_time_limit(value));
    case Form::memory:
      return parse_mib(value);
    case Form::yes_no:
    case Form::sharing:
      return yes_no(value);
    case Form::nice: {
      const auto nice = value.empty() ? 100 : parse_number<std::int32_t>(value);
      if (!nice) return std::nullopt;
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(wire::kNiceOffset) + *nice);
    }
    case Form::mail:
      return parse_mail_types(value);
    case Form::date: {
      const auto date = parse_date(value, now);
      if (!date || !is_set(*date)) return std::nullopt;
      return static_cast<std::uint64_t>(date->time_since_epoch().count()) / 1000;
    }
    case Form::least: {
      const auto range = wire::parse_count_range(value);
      return range ? Number(range->least) : std::nullopt;
    }
    case Form::most: {
      const auto range = wire::parse_count_range(value);
      return range ? Number(range->most.value_or(range->least)) : std::nullopt;
    }
    default:
      return parse_number<std::uint32_t>(value.substr(0, value.find_first_of("-@")));
  }
}

std::string time_text(std::uint64_t minutes) {
  return minutes == wire::kInfinite || minutes == wire::kInfinite64 ? "UNLIMITED"
                                                                    : std::to_string(minutes);
}

// The value of a key. Numbers of nodes are made by settings_of.
Result<std::string> value_of(const UpdateField& row, const HookField& field) {
  if (row.form == Form::text) return field.text.value_or("");
  if (row.form == Form::gres) return shown_gres(field.text.value_or(""));
  const std::uint64_t n = *field.number;
  switch (row.form) {
    case Form::limit:
    case Form::minutes:
      return time_text(n);
    case Form::yes_no:
      return n != 0 ? "1" : "0";
    case Form::sharing:
      if (n > 1) return fail(fmt::format("{}={} cannot be set in an update", field.name, n));
      return n == 1 ? "YES" : "NO";
    case Form::nice:
      return std::to_string(static_cast<std::int64_t>(n) -
                            static_cast<std::int64_t>(wire::kNiceOffset));
    case Form::mail:
      return n == 0 ? std::string("NONE") : mail_types_text(static_cast<std::uint32_t>(n));
    case Form::date:
      if (n > 253402300799) return fail(fmt::format("{}={} is too large", field.name, n));
      return format_date(Time{Seconds{static_cast<std::int64_t>(n)}});
    default:
      return std::to_string(n);
  }
}

}  // namespace

HookFields update_fields(const UpdateSettings& settings, const Job& job, Time now) {
  HookFields fields;
  for (const UpdateField& row : kUpdateFields)
    for (const auto& [key, value] : settings) {
      if (!iequals(key, row.key)) continue;
      HookField field{std::string(row.field), {}, {}};
      if (row.form == Form::text)
        field.text = value;
      else if (row.form == Form::gres)
        field.text = shown_gres(value);
      else
        field.number = number_in(row.form, value, job, now);
      if (field.text || field.number) fields.push_back(std::move(field));
    }
  return fields;
}

Result<SiteSettings> settings_of(const HookFields& set) {
  SiteSettings settings;
  Number least, most;
  for (const HookField& field : set) {
    const auto row =
        std::ranges::find(kUpdateFields, std::string_view(field.name), &UpdateField::field);
    const wire::HookFieldRow* known = wire::find_hook_field(field.name);
    if (row == std::end(kUpdateFields) || !known || known->is_number != field.number.has_value())
      return fail(fmt::format("{} cannot be set in an update", field.name));
    if (row->form == Form::least || row->form == Form::most) {
      (row->form == Form::least ? least : most) = field.number;
      continue;
    }
    std::optional<std::string> value;
    if (!wire::says_unset(field)) {
      auto text = value_of(*row, field);
      if (!text) return std::unexpected(text.error());
      value = std::move(*text);
    }
    // The user may have named the field by another key.
    for (const UpdateField& other : kUpdateFields)
      if (other.field == row->field && other.key != row->key)
        settings.emplace_back(other.key, std::nullopt);
    settings.emplace_back(row->key, std::move(value));
  }
  auto given = [](Number n) { return n && *n < wire::kNoVal; };
  if (given(least) || given(most)) {
    const std::uint64_t from = given(least) ? *least : *most;
    settings.emplace_back("ReqNodes", std::nullopt);
    settings.emplace_back("NumNodes", given(most) && *most != from
                                          ? fmt::format("{}-{}", from, *most)
                                          : std::to_string(from));
  }
  return settings;
}

}  // namespace muster::controller
