// The table of Slurm's names for limits.
#include "sched/limits/limit_words.h"

#include <array>

namespace muster::sched {

namespace {

struct Words {
  std::string_view tres;                   // the name of the resource, or its beginning
  std::array<std::string_view, 9> by_qos;  // in the order of Scope
  std::array<std::string_view, 6> by_association;
};

constexpr Words kWords[] = {
    {"cpu",
     {"QOSGrpCpuLimit", "QOSGrpCPURunMinutesLimit", "QOSGrpCPUMinutesLimit", "QOSMaxCpuPerJobLimit",
      "QOSMaxCpuPerNode", "QOSMaxCpuMinutesPerJobLimit", "QOSMaxCpuPerUserLimit",
      "MaxCpuPerAccount", "QOSMinCpuNotSatisfied"},
     {"AssocGrpCpuLimit", "AssocGrpCPURunMinutesLimit", "AssocGrpCPUMinutesLimit",
      "AssocMaxCpuPerJobLimit", "AssocMaxCpuPerNode", "AssocMaxCpuMinutesPerJobLimit"}},
    {"mem",
     {"QOSGrpMemLimit", "QOSGrpMemoryRunMinutes", "QOSGrpMemoryMinutes", "QOSMaxMemoryPerJob",
      "QOSMaxMemoryPerNode", "QOSMaxMemoryMinutesPerJob", "QOSMaxMemoryPerUser",
      "MaxMemoryPerAccount", "QOSMinMemory"},
     {"AssocGrpMemLimit", "AssocGrpMemRunMinutes", "AssocGrpMemMinutes", "AssocMaxMemPerJob",
      "AssocMaxMemPerNode", "AssocMaxMemMinutesPerJob"}},
    {"node",
     {"QOSGrpNodeLimit", "QOSGrpNodeRunMinutes", "QOSGrpNodeMinutes", "QOSMaxNodePerJobLimit",
      "QOSMaxNodePerJobLimit", "QOSMaxNodeMinutesPerJob", "QOSMaxNodePerUserLimit",
      "MaxNodePerAccount", "QOSMinNode"},
     {"AssocGrpNodeLimit", "AssocGrpNodeRunMinutes", "AssocGrpNodeMinutes",
      "AssocMaxNodePerJobLimit", "AssocMaxNodePerJobLimit", "AssocMaxNodeMinutesPerJob"}},
    {"gres/",
     {"QOSGrpGRES", "QOSGrpGRESRunMinutes", "QOSGrpGRESMinutes", "QOSMaxGRESPerJob",
      "QOSMaxGRESPerNode", "QOSMaxGRESMinutesPerJob", "QOSMaxGRESPerUser", "MaxGRESPerAccount",
      "QOSMinGRES"},
     {"AssocGrpGRES", "AssocGrpGRESRunMinutes", "AssocGrpGRESMinutes", "AssocMaxGRESPerJob",
      "AssocMaxGRESPerNode", "AssocMaxGRESMinutesPerJob"}},
    {"license/",
     {"QOSGrpLicense", "QOSGrpLicenseRunMinutes", "QOSGrpLicenseMinutes", "QOSMaxLicensePerJob",
      "QOSMaxLicensePerJob", "QOSMaxLicenseMinutesPerJob", "QOSMaxLicensePerUser",
      "MaxLicensePerAccount", "QOSMinLicense"},
     {"AssocGrpLicense", "AssocGrpLicenseRunMinutes", "AssocGrpLicenseMinutes",
      "AssocMaxLicensePerJob", "AssocMaxLicensePerJob", "AssocMaxLicenseMinutesPerJob"}},
    {"billing",
     {"QOSGrpBilling", "QOSGrpBillingRunMinutes", "QOSGrpBillingMinutes", "QOSMaxBillingPerJob",
      "QOSMaxBillingPerNode", "QOSMaxBillingMinutesPerJob", "QOSMaxBillingPerUser",
      "MaxBillingPerAccount", "QOSMinBilling"},
     {"AssocGrpBilling", "AssocGrpBillingRunMinutes", "AssocGrpBillingMinutes",
      "AssocMaxBillingPerJob", "AssocMaxBillingPerNode", "AssocMaxBillingMinutesPerJob"}},
};

}  // namespace

Text words_for(SourceKind kind, Scope scope, std::string_view tres) {
  const auto at = static_cast<std::size_t>(scope);
  for (const Words& words : kWords) {
    if (!tres.starts_with(words.tres)) continue;
    if (kind == SourceKind::qos) return words.by_qos[at];
    if (at < words.by_association.size()) return words.by_association[at];
  }
  return kind == SourceKind::qos ? "QOSResourceLimit" : "AssociationResourceLimit";
}

const CountWords& count_words(SourceKind kind) {
  static constexpr CountWords kQos{
      .group_jobs = "QOSGrpJobsLimit",
      .user_jobs = "QOSMaxJobsPerUserLimit",
      .account_jobs = "MaxJobsPerAccount",
      .group_submitted = "QOSGrpSubmitJobsLimit",
      .user_submitted = "QOSMaxSubmitJobPerUserLimit",
      .account_submitted = "MaxSubmitJobsPerAccount",
      .group_wall = "QOSGrpWallLimit",
      .job_wall = "QOSMaxWallDurationPerJobLimit",
  };
  static constexpr CountWords kAssociation{
      .group_jobs = "AssocGrpJobsLimit",
      .user_jobs = "AssocMaxJobsLimit",
      .account_jobs = "AssociationJobLimit",
      .group_submitted = "AssocGrpSubmitJobsLimit",
      .user_submitted = "AssocMaxSubmitJobLimit",
      .account_submitted = "AssociationJobLimit",
      .group_wall = "AssocGrpWallLimit",
      .job_wall = "AssocMaxWallDurationPerJobLimit",
  };
  return kind == SourceKind::qos ? kQos : kAssociation;
}

}  // namespace muster::sched
