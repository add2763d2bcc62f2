// The getters and setters of the fields of jobs in submit scripts.
#include "controller/hooks/job_fields.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/hooks/special_fields.h"

namespace muster::controller {

namespace {

using wire::HookField;
using wire::HookFields;

// A getter leaves a field without a value if it is not given.
struct JobField {
  std::string_view name;
  void (*get)(const JobRequest&, HookField&) = nullptr;
  Result<void> (*set)(JobRequest&, const HookField&) = nullptr;
};

template <auto Member>
void get_text(const JobRequest& r, HookField& f) {
  if (const std::string_view text(r.*Member); !text.empty()) f.text = text;
}
template <auto Member>
Result<void> set_text(JobRequest& r, const HookField& f) {
  using T = std::remove_cvref_t<decltype(r.*Member)>;
  r.*Member = T(f.text.value_or(""));
  return {};
}
template <auto Member>
constexpr JobField text(std::string_view name) {
  return {name, get_text<Member>, set_text<Member>};
}

Result<std::uint32_t> small_number(const HookField& f) {
  if (*f.number > std::numeric_limits<std::uint32_t>::max() - 2)
    return fail(fmt::format("{}={} is too large", f.name, *f.number));
  return static_cast<std::uint32_t>(*f.number);
}

template <auto Member>
void get_number(const JobRequest& r, HookField& f) {
  if (r.*Member) f.number = static_cast<std::uint64_t>(*(r.*Member));
}
template <auto Member>
Result<void> set_number(JobRequest& r, const HookField& f) {
  if (wire::says_unset(f)) {
    (r.*Member).reset();
    return {};
  }
  auto number = small_number(f);
  if (!number) return std::unexpected(number.error());
  r.*Member = *number;
  return {};
}
template <auto Member>
constexpr JobField number(std::string_view name) {
  return {name, get_number<Member>, set_number<Member>};
}

template <auto Member>
void get_minutes(const JobRequest& r, HookField& f) {
  if (!(r.*Member)) return;
  f.number = *(r.*Member) == kUnlimited ? wire::kInfinite
                                        : static_cast<std::uint64_t>((r.*Member)->count());
}
template <auto Member>
Result<void> set_minutes(JobRequest& r, const HookField& f) {
  if (wire::says_unset(f)) {
    (r.*Member).reset();
  } else if (*f.number == wire::kInfinite || *f.number == wire::kInfinite64) {
    r.*Member = kUnlimited;
  } else {
    auto minutes = small_number(f);
    if (!minutes) return std::unexpected(minutes.error());
    r.*Member = Minutes{*minutes};
  }
  return {};
}

template <auto Member>
void get_gpus(const JobRequest& r, HookField& f) {
  if (!(r.*Member).empty()) f.text = shown_gres(as_gres((r.*Member).view()));
}
template <auto Member>
Result<void> set_gpus(JobRequest& r, const HookField& f) {
  auto gpus = gpus_of(f.text.value_or(""));
  if (!gpus) return std::unexpected(gpus.error());
  r.*Member = *gpus;
  return {};
}

using J = JobRequest;

constexpr JobField kJobFields[] = {
    text<&J::account>("account"),
    text<&J::acctg_freq>("acctg_freq"),
    text<&J::admin_comment>("admin_comment"),
    {"alloc_node", get_text<&J::submit_host>},
    text<&J::array>("array_inx"),
    text<&J::batch_features>("batch_features"),
    {"begin_time", get_begin, set_begin},
    {"bitflags", get_bitflags, set_bitflags},
    text<&J::burst_buffer>("burst_buffer"),
    {"clusters", get_text<&J::cluster>},
    text<&J::comment>("comment"),
    text<&J::container>("container"),
    {"contiguous", get_contiguous, set_contiguous},
    number<&J::cores_per_socket>("cores_per_socket"),
    number<&J::cpus_per_task>("cpus_per_task"),
    {"cpus_per_tres", get_cpus_per_gpu, set_cpus_per_gpu},
    number<&J::delay_boot_s>("delay_boot"),
    text<&J::dependency>("dependency"),
    text<&J::excluded_nodes>("exc_nodes"),
    text<&J::extra>("extra"),
    text<&J::features>("features"),
    {"gres", get_gres, set_gres},
    {"group_id", [](const J& r, HookField& f) { f.number = r.gid.value; }},
    text<&J::licenses>("licenses"),
    {"mail_type", get_mail_type, set_mail_type},
    text<&J::mail_user>("mail_user"),
    {"max_nodes", get_max_nodes, set_max_nodes},
    {"mem_per_tres", get_memory_per_gpu, set_memory_per_gpu},
    {"min_cpus", get_min_cpus},
    {"min_mem_per_cpu", get_number<&J::memory_per_cpu_mib>, set_memory_per_cpu},
    {"min_mem_per_node", get_number<&J::memory_per_node_mib>, set_memory_per_node},
    {"min_nodes", get_min_nodes, set_min_nodes},
    text<&J::name>("name"),
    text<&J::network>("network"),
    {"nice", get_nice, set_nice},
    number<&J::ntasks_per_core>("ntasks_per_core"),
    number<&J::ntasks_per_gpu>("ntasks_per_gpu"),
    number<&J::ntasks_per_node>("ntasks_per_node"),
    number<&J::ntasks_per_socket>("ntasks_per_socket"),
    number<&J::ntasks_per_gpu>("ntasks_per_tres"),
    number<&J::num_tasks>("num_tasks"),
    {"oversubscribe", get_sharing, set_sharing},
    text<&J::partition>("partition"),
    number<&J::min_cpus_per_node>("pn_min_cpus"),
    {"pn_min_memory", get_memory, set_memory},
    number<&J::tmp_disk_mib>("pn_min_tmp_disk"),
    text<&J::prefer>("prefer"),
    {"priority", get_priority, set_priority},
    text<&J::qos>("qos"),
    {"reboot", get_reboot, set_reboot},
    text<&J::required_nodes>("req_nodes"),
    {"req_switch", get_switches, set_switches},
    {"requeue", get_requeue, set_requeue},
    text<&J::reservation>("reservation"),
    {"shared", get_sharing, set_sharing},
    {"site_factor", get_site_factor, set_site_factor},
    number<&J::sockets_per_node>("sockets_per_node"),
    text<&J::std_err>("std_err"),
    {"std_in", get_std_in, set_std_in},
    text<&J::std_out>("std_out"),
    number<&J::threads_per_core>("threads_per_core"),
    {"time_limit", get_minutes<&J::time_limit>, set_minutes<&J::time_limit>},
    {"time_min", get_minutes<&J::time_min>, set_minutes<&J::time_min>},
    text<&J::gpu_bind>("tres_bind"),
    text<&J::gpu_freq>("tres_freq"),
    {"tres_per_job", get_gpus<&J::gpus>, set_gpus<&J::gpus>},
    {"tres_per_node", get_gres, set_gres},
    {"tres_per_socket", get_gpus<&J::gpus_per_socket>, set_gpus<&J::gpus_per_socket>},
    {"tres_per_task", get_gpus<&J::gpus_per_task>, set_gpus<&J::gpus_per_task>},
    {"user_id", [](const J& r, HookField& f) { f.number = r.uid.value; }},
    {"user_name", get_text<&J::user_name>},
    {"wait4switch", get_switches_wait, set_switches_wait},
    text<&J::wckey>("wckey"),
    text<&J::work_dir>("work_dir"),
};

void add_number(HookFields& fields, std::string_view name, std::uint64_t number) {
  fields.push_back({std::string(name), {}, number});
}

}  // namespace

HookFields job_fields(const JobRequest& request) {
  HookFields fields;
  for (const JobField& field : kJobFields) {
    HookField found{std::string(field.name), {}, {}};
    field.get(request, found);
    if (found.text || found.number) fields.push_back(std::move(found));
  }
  return fields;
}

HookFields record_fields(const Job& job) {
  HookFields fields = job_fields(job.request());
  std::erase_if(fields, [](const HookField& f) {
    return f.name == "priority" || f.name == "time_limit" || f.name == "partition" ||
           f.name == "account" || f.name == "qos";
  });
  auto add_text = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) fields.push_back({std::string(name), std::string(text), {}});
  };
  add_text("partition", job.partitions.view());
  add_text("account", job.account);
  add_text("qos", job.qos);
  add_number(fields, "job_id", job.id.value);
  add_number(fields, "job_state", static_cast<std::uint64_t>(job.state));
  add_number(fields, "priority", job.priority);
  add_number(fields, "time_limit",
             job.time_limit == kUnlimited ? wire::kInfinite
                                          : static_cast<std::uint64_t>(job.time_limit.count()));
  add_number(fields, "submit_time",
             static_cast<std::uint64_t>(job.submitted.time_since_epoch().count() / 1000));
  add_number(fields, "array_job_id", job.array_id.value);
  add_number(fields, "het_job_id", job.het_id.value);
  return fields;
}

Result<void> set_job_field(JobRequest& request, const HookField& field) {
  const auto found =
      std::ranges::lower_bound(kJobFields, std::string_view(field.name), {}, &JobField::name);
  const wire::HookFieldRow* row = wire::find_hook_field(field.name);
  if (found == std::end(kJobFields) || found->name != field.name || !found->set || !row)
    return fail(fmt::format("{} cannot be set", field.name));
  if (row->is_number ? !field.number : field.number.has_value())
    return fail(fmt::format("{} is a {}", field.name, row->is_number ? "number" : "text"));
  if (field.text && field.text->contains('\0'))
    return fail(fmt::format("{}: a zero byte in a text", field.name));
  return found->set(request, field);
}

}  // namespace muster::controller
