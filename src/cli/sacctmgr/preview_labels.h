// preview_labels: how previews name settings, in the order in which they list them.
#pragma once

#include <string_view>

namespace muster::cli {

struct SettingLabel {
  std::string_view key, label;
  int width = 0;
};

inline constexpr SettingLabel kAssociationLabels[] = {
    {"Fairshare", "Fairshare", 14},
    {"GrpJobs", "GrpJobs", 14},
    {"GrpJobsAccrue", "GrpJobsAccrue", 25},
    {"GrpSubmitJobs", "GrpSubmitJobs", 14},
    {"GrpTRES", "GrpTRES", 14},
    {"GrpTRESMins", "GrpTRESMins", 14},
    {"GrpTRESRunMins", "GrpTRESRunMins", 14},
    {"GrpWall", "GrpWall", 14},
    {"MaxJobs", "MaxJobs", 14},
    {"MaxJobsAccrue", "MaxJobsPrioAcc", 14},
    {"MaxSubmitJobs", "MaxSubmitJobs", 14},
    {"MaxTRESPerJob", "MaxTRES", 14},
    {"MaxTRESPerNode", "MaxTRESPerNode", 14},
    {"MaxTRESMinsPerJob", "MaxTRESMins", 14},
    {"MaxWallDurationPerJob", "MaxWall", 14},
    {"MinPrioThreshold", "MinPrioThresh", 14},
    {"Parent", "Parent", 14},
    {"Priority", "Priority", 14},
    {"QOS", "QOS", 14},
    {"DefaultQOS", "DefQOS", 14},
};
inline constexpr SettingLabel kQosLabels[] = {
    {"Flags", "Flags", 25},
    {"GraceTime", "GraceTime", 25},
    {"GrpJobs", "GrpJobs", 25},
    {"GrpJobsAccrue", "GrpJobsAccrue", 25},
    {"GrpSubmitJobs", "GrpSubmitJobs", 25},
    {"GrpTRES", "GrpTRES", 25},
    {"GrpTRESMins", "GrpTRESMins", 25},
    {"GrpTRESRunMins", "GrpTRESRunMins", 25},
    {"GrpWall", "GrpWall", 25},
    {"MaxJobsAccruePerAccount", "MaxJobsAccruePerAccount", 25},
    {"MaxJobsAccruePerUser", "MaxJobsAccruePerUser", 25},
    {"MaxJobsPerAccount", "MaxJobsPerAccount", 25},
    {"MaxJobsPerUser", "MaxJobsPerUser", 15},
    {"MaxSubmitJobsPerAccount", "MaxSubmitJobsPerAccount", 25},
    {"MaxSubmitJobsPerUser", "MaxSubmitJobsPerUser", 25},
    {"MaxTRESPerAccount", "MaxTRESPerAccount", 25},
    {"MaxTRESPerJob", "MaxTRESPerJob", 25},
    {"MaxTRESPerNode", "MaxTRESPerNode", 25},
    {"MaxTRESPerUser", "MaxTRESPerUser", 25},
    {"MinPrioThreshold", "MinPrioThresh", 25},
    {"MinTRESPerJob", "MinTRESPerJob", 25},
    {"MaxTRESMinsPerJob", "MaxTRESMins", 25},
    {"MaxWallDurationPerJob", "MaxWall", 25},
    {"Preempt", "Preempt", 25},
    {"PreemptMode", "PreemptMode", 25},
    {"PreemptExemptTime", "PreemptExemptTime", 25},
    {"Priority", "Priority", 25},
    {"UsageFactor", "UsageFactor", 25},
    {"UsageThreshold", "UsageThreshold", 25},
    {"LimitFactor", "LimitFactor", 25},
};

}  // namespace muster::cli
