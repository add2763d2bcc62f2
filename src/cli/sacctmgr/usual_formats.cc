// What each entity shows without being told.
#include "cli/sacctmgr/fields.h"

namespace muster::cli {

std::string usual_site_format(const SiteLine& line) {
  const bool with_associations = line.request.with_associations;
  const bool own_columns = line.has(ShowFlag::no_limits);
  std::string format;
  using wire::Entity;
  switch (line.request.entity) {
    case Entity::association:
      format = "Cluster,Account,User,Partition";
      if (!own_columns && !line.has(ShowFlag::own_limits))
        format +=
            ",Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,MaxJobs,MaxTRES,"
            "MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins";
      return format;
    case Entity::account:
      format = "Account,Descr,Org";
      if (with_associations)
        format +=
            ",Cluster,ParentName,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,GrpSubmit,"
            "GrpWall,GrpCPUMins,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,MaxCPUMins,QOS,"
            "DefaultQOS";
      if (line.request.with_coordinators) format += ",Coord";
      return format;
    case Entity::user:
      format = "User,DefaultAccount,Admin";
      if (line.request.with_coordinators) format += ",Coord";
      if (with_associations)
        format +=
            ",Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,"
            "MaxWall,MaxCPUMins,QOS,DefaultQOS";
      return format;
    case Entity::qos:
      return "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThres,"
             "UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,"
             "MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,"
             "MaxJobsPA,MaxSubmitPA,MinTRES";
    case Entity::cluster:
      format = "Cluster,ControlHost,ControlPort,RPC";
      if (!own_columns)
        format +=
            ",Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,MaxSubmit,MaxWall,QOS,DefaultQOS";
      if (line.has(ShowFlag::federation)) format += ",Federation,ID,Features,FedState";
      return format;
    case Entity::tres:
      return "Type,Name%15,ID";
    case Entity::event:
      if (line.names("Event") == std::vector<Text>{"cluster"})
        return "Cluster,TRES,TimeStart,TimeEnd,ClusterNodes";
      return "Cluster,NodeName,TimeStart,TimeEnd,State,Reason,User";
    case Entity::transaction:
      format = "Time,Action,Actor,Where,Info";
      if (with_associations) format += ",User,Account,Cluster";
      return format;
    case Entity::reservation:
      return "Cluster,Name%15,TRES%30,TimeStart,TimeEnd,UnusedWall";
    case Entity::resource:
      format = "Name,Server,Type,Count,Allocated,ServerType";
      if (line.has(ShowFlag::of_clusters)) format += ",Cluster,Allowed";
      return format;
    case Entity::problem:
      return "Cluster,Account,User,Problem";
    case Entity::wckey:
      return "WCKey,Cluster,User";
    case Entity::runaway_job:
      return "ID%-12,Name,Partition,Cluster,State%10,TimeSubmit,TimeStart,TimeEnd";
    default:
      return "Name";
  }
}

}  // namespace muster::cli
