// What `sacctmgr --help` says.
#include "cli/sacctmgr/session.h"

namespace muster::cli {

std::string site_help() {
  return R"(Usage: sacctmgr [OPTIONS...] [COMMAND...]
Shows and changes the accounts, users, limits and QOS of a site. Without a command, it reads
commands from its standard input, one a line.

  -h, --help           this text
  -i, --immediate      changes things without asking
  -n, --noheader       tables without a header
  -o, --oneliner       one record a line, as always
  -p, --parsable       fields end with |
  -P, --parsable2      fields are separated by |
  -Q, --quiet          errors only
  -r, --readonly       refuses to change anything
  -s, --associations   show user, show account: with their associations
      --usage          the same as --help
  -v, --verbose        say more
  -V, --version        the version

Commands; each may be cut short:
  show|list ENTITY [CONDITIONS] [format=FIELD%WIDTH,...]
  add|create ENTITY NAMES [SETTINGS]
  modify|update ENTITY [where] CONDITIONS set SETTINGS
  delete|remove ENTITY [where] CONDITIONS
  dump CLUSTER [file=NAME]     writes the accounts and users of a cluster to a file
  load FILE [cluster=NAME] [clean]   does what such a file says
  ping                         is there somebody who keeps the accounts?
  associations, readonly, quiet, verbose, oneliner, version, help, exit, quit
  !!                           the last command again

Entities:
  account association cluster configuration coordinator event job problem qos reservation
  resource runawayjob transaction tres user wckey

Conditions are KEY=VALUE,VALUE; a word alone is a name. Settings are KEY=VALUE, for lists also
KEY+=VALUE and KEY-=VALUE; -1 takes a limit away.
  account      where Name Cluster Description Organization Parent
               set   Description Organization Parent RawUsage, and limits
  user         where Name Account Cluster Partition AdminLevel DefaultAccount DefaultWCKey
               set   AdminLevel DefaultAccount DefaultWCKey NewName WCKeys RawUsage, and limits
  association  where Account User Cluster Partition Parent QOS DefaultQOS ID
  cluster      where Name Classification    set Classification Features, and limits
  coordinator  Name Account
  qos          where Name ID Description PreemptMode
               set   Description Flags GraceTime LimitFactor Preempt PreemptMode
                     PreemptExemptTime Priority UsageFactor UsageThreshold, and limits;
                     MaxJobsPU MaxJobsPA MaxSubmitJobsPU MaxSubmitJobsPA MaxTRESPU MaxTRESPA
                     MinTRESPerJob
  resource     Name Server Cluster Count Description ServerType Type PercentAllowed
  transaction  Account Action Actor Cluster User Start End
  event        Cluster Node State Reason User Start End All_Time
  limits       Fairshare GrpJobs GrpJobsAccrue GrpSubmitJobs GrpTRES GrpTRESMins GrpTRESRunMins
               GrpWall MaxJobs MaxJobsAccrue MaxSubmitJobs MaxTRES MaxTRESMins MaxTRESPerNode
               MaxWall MinPrioThreshold Priority QOS DefaultQOS

Words that change what is shown:
  Tree WithAssoc WithCoord WithDeleted WithSubAccounts WithRawQOS WithClusters WithFed
  OnlyDefaults WOLimits WOPInfo WOPLimits
)";
}

}  // namespace muster::cli
