// squeue --json: the keys and types of Slurm's OpenAPI v0.0.38.
#include "cli/tables/json.h"

#include <fmt/format.h>

#include "base/text/duration.h"
#include "cli/records/record_text.h"
#include "cli/squeue/list.h"
#include "cli/tables/lists.h"
#include "model/job/task_count.h"

namespace muster::cli {

namespace {

Json json_sharing(wire::Sharing sharing) {
  switch (sharing) {
    case wire::Sharing::ok:
      return nullptr;
    case wire::Sharing::no:
      return "none";
    case wire::Sharing::yes:
      return "shared";
    case wire::Sharing::user:
      return "user";
    case wire::Sharing::mcs:
      return "mcs";
  }
  return nullptr;
}

void add_identity(Json& out, const JobRow& row) {
  const Job& job = row.job();
  const JobSpec& spec = row.spec();
  out["account"] = json_text(job.account);
  out["accrue_time"] = json_time(job.accrues_since);
  out["admin_comment"] = json_text(spec.admin_comment);
  out["array_job_id"] = job.array_id.value;
  out["array_task_id"] = job.task_id == kNoTask ? Json(nullptr) : Json(job.task_id);
  out["array_max_tasks"] = job.task_limit;
  out["array_task_string"] = job.is_array_record() ? task_id_text(row) : "";
  out["association_id"] = 0;
  out["batch_features"] = json_text(spec.batch_features);
  out["batch_flag"] = spec.kind == JobKind::batch;
  out["batch_host"] = json_text(row.view().batch_host);
  out["flags"] = Json::array();
  out["burst_buffer"] = json_text(spec.burst_buffer);
  out["burst_buffer_state"] = "";
  out["cluster"] = row.context->cluster;
  out["cluster_features"] = "";
  out["command"] = json_text(row.job().own.command);
  out["comment"] = json_text(row.job().own.comment);
  out["container"] = json_text(spec.container);
}

void add_request(Json& out, const JobRow& row) {
  const JobSpec& spec = row.spec();
  out["contiguous"] = spec.contiguous;
  out["core_spec"] = json_or_null(spec.core_spec);
  out["thread_spec"] = nullptr;
  out["cores_per_socket"] = json_or_null(spec.cores_per_socket);
  out["billable_tres"] =
      row.job().run->allocation.empty() ? Json(nullptr) : Json(1.0 * cpu_count(row));
  out["cpus_per_task"] = json_or_null(spec.cpus_per_task);
  out["cpu_frequency_minimum"] = nullptr;
  out["cpu_frequency_maximum"] = nullptr;
  out["cpu_frequency_governor"] = nullptr;
  out["cpus_per_tres"] = spec.cpus_per_gpu ? fmt::format("gres:gpu:{}", *spec.cpus_per_gpu) : "";
  out["deadline"] = json_time(spec.deadline);
  out["delay_boot"] = spec.delay_boot_s.value_or(0);
  out["dependency"] = json_text(row.view().dependency);
  out["derived_exit_code"] = row.job().run->derived_exit_status;
  out["eligible_time"] = json_time(row.job().eligible);
  out["end_time"] = json_time(end_time(row));
  out["excluded_nodes"] = json_text(spec.excluded_nodes);
  out["exit_code"] = row.job().run->exit_status;
  out["features"] = json_text(spec.features);
  out["federation_origin"] = "";
  out["federation_siblings_active"] = "";
  out["federation_siblings_viable"] = "";
  out["gres_detail"] = Json::array();
  for (const NodeShare& share : row.job().run->allocation)
    if (!share.gres.empty()) out["gres_detail"].push_back(gres_text(share.gres, true));
  out["group_id"] = spec.gid.value;
  out["group_name"] = row.context->names.group(spec.gid);
  out["job_id"] = row.job().id.value;
}

void add_resources(Json& out, const JobRow& row) {
  const auto& shares = row.job().run->allocation;
  if (shares.empty()) return;
  Json resources;
  resources["nodes"] = json_text(row.view().nodes);
  resources["allocated_cores"] = total(shares).cpus;
  resources["allocated_hosts"] = shares.size();
  resources["allocated_nodes"] = Json::array();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Json node;
    node["nodename"] =
        i < row.view().node_names.size() ? json_text(row.view().node_names[i]) : Json("");
    node["cpus_used"] = shares[i].cpus.size();
    node["memory_used"] = shares[i].memory_mib;
    node["memory_allocated"] = shares[i].memory_mib;
    resources["allocated_nodes"].push_back(std::move(node));
  }
  out["job_resources"] = std::move(resources);
}

void add_size(Json& out, const JobRow& row) {
  const JobSpec& spec = row.spec();
  out["job_state"] = json_text(job_state_text(row));
  out["last_sched_evaluation"] = json_time(row.view().last_evaluated);
  out["licenses"] = json_text(spec.licenses);
  out["max_cpus"] = 0;
  out["max_nodes"] = spec.max_nodes;
  out["mcs_label"] = json_text(spec.mcs_label);
  out["memory_per_tres"] =
      spec.memory_per_gpu_mib ? fmt::format("gres:gpu:{}", *spec.memory_per_gpu_mib) : "";
  out["name"] = json_text(row.job().own.name);
  out["nodes"] = json_text(row.view().nodes);
  out["nice"] = spec.nice == 0 ? Json(nullptr) : Json(spec.nice);
  out["tasks_per_core"] = json_or_null(spec.ntasks_per_core);
  out["tasks_per_node"] = spec.ntasks_per_node.value_or(0);
  out["tasks_per_socket"] = json_or_null(spec.ntasks_per_socket);
  out["tasks_per_board"] = 0;
  out["cpus"] = cpu_count(row);
  out["node_count"] = row.line().num_nodes;
  out["tasks"] = task_count(row.job());
  const Job& job = row.job();
  out["het_job_id"] = job.het_id.value;
  out["het_job_id_set"] = job.het_jobs().text();
  out["het_job_offset"] = job.het_offset;
  out["partition"] = json_text(row.job().partition);
  out["prefer"] = json_text(spec.prefer);
  out["memory_per_node"] = json_or_null(spec.memory_per_node_mib);
  out["memory_per_cpu"] = json_or_null(spec.memory_per_cpu_mib);
  out["minimum_cpus_per_node"] = min_cpus(spec);
  out["minimum_tmp_disk_per_node"] = spec.tmp_disk_mib.value_or(0);
}

void add_state(Json& out, const JobRow& row) {
  const Job& job = row.job();
  const JobSpec& spec = row.spec();
  out["preempt_time"] = json_time(job.preempt_time());
  out["pre_sus_time"] = 0;
  out["priority"] = job.priority;
  out["profile"] = nullptr;
  out["qos"] = json_text(job.qos);
  out["reboot"] = spec.reboot;
  out["required_nodes"] = json_text(spec.required_nodes);
  out["requeue"] = spec.requeue.value_or(true);
  out["resize_time"] = 0;
  out["restart_cnt"] = job.restarts;
  out["resv_name"] = json_text(job.shown_reservation());
  out["shared"] = json_sharing(row.view().sharing);
  out["show_flags"] = {"SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"};
  out["sockets_per_board"] = 0;
  out["sockets_per_node"] = json_or_null(spec.sockets_per_node);
  out["start_time"] = json_time(start_time(row));
  out["state_description"] = json_text(row.view().reason_detail);
  out["state_reason"] = json_text(row.line().reason);
  out["standard_error"] = error_path(row);
  out["standard_input"] =
      row.job().own.std_in.empty() ? Json("/dev/null") : json_text(row.job().own.std_in);
  out["standard_output"] = output_path(row);
  out["submit_time"] = json_time(job.submitted);
  out["suspend_time"] = json_time(job.run->suspended_at);
  out["system_comment"] = "";
  Minutes limit = time_limit(row);
  out["time_limit"] = limit == kUnlimited ? Json(nullptr) : Json(limit.count());
  out["time_minimum"] = spec.time_min.value_or(Minutes{0}).count();
  out["threads_per_core"] = json_or_null(spec.threads_per_core);
}

void add_tres(Json& out, const JobRow& row) {
  const JobSpec& spec = row.spec();
  out["tres_bind"] = of_gpus(spec.gpu_bind);
  out["tres_freq"] = of_gpus(spec.gpu_freq);
  out["tres_per_job"] = tres_list(as_gres(spec.gpus));
  out["tres_per_node"] = tres_list(gres_of_each_node(spec));
  out["tres_per_socket"] = tres_list(as_gres(spec.gpus_per_socket));
  out["tres_per_task"] = tres_list(as_gres(spec.gpus_per_task));
  out["tres_req_str"] = requested_tres(row.view()).text();
  out["tres_alloc_str"] = row.job().run->allocation.empty() ? "" : tres_text(row);
  out["user_id"] = spec.uid.value;
  out["user_name"] = json_text(user_name(row));
  out["wckey"] = json_text(spec.wckey);
  out["current_working_directory"] = json_text(row.job().own.work_dir);
}

}  // namespace

std::string queue_json(const JobViews& jobs, QueueContext& context) {
  Json records = Json::array();
  for (const wire::JobView& view : jobs) {
    const QueueJob job{line_of(*view.job, view, context.now), &view};
    JobRow row{&job, &context};
    Json out;
    add_identity(out, row);
    add_request(out, row);
    add_resources(out, row);
    add_size(out, row);
    add_state(out, row);
    add_tres(out, row);
    records.push_back(std::move(out));
  }
  return json_document("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "jobs", std::move(records));
}

}  // namespace muster::cli
