// What sreport --help prints.
#include "cli/sreport/session.h"

namespace muster::cli {

std::string report_help() {
  return R"(Usage: sreport [OPTIONS...] [TYPE REPORT [WORDS...]]
Reports of what was used. Without a report, commands are read line by line.

Options:
  -a, --all_clusters    of all clusters, not only this one
  -M, --cluster=NAMES   of these clusters
      --local           of this cluster (the default)
  -n, --noheader        no header
  -p, --parsable        fields end with |
  -P, --parsable2       fields are separated by |
  -Q, --quiet           print only errors
  -t FORM               how time is shown: seconds, minutes (the default), hours,
                        percent, secper, minper, hourper
  -T, --tres=NAMES      resources to report: cpu, mem, gres/gpu (or gpu), ..., or all
  -v, --verbose         print more
  -V, --version         show the version
  -h, --help            show this list

Reports:
  cluster AccountUtilizationByUser     accounts as a tree, with their users
          UserUtilizationByAccount     users, with a line for each account
          UserUtilizationByWckey       users, with a line for each key
          WCKeyUtilizationByUser       keys, with their users
          Utilization                  used, down, idle and planned time of clusters
  job     SizesByAccount               how much jobs of which size used
          SizesByAccountAndWckey
          SizesByWckey
  reservation Utilization              what reservations held, and what jobs had of it
  user    TopUsage                     the users who used most

Words of all reports:
  Start=TIME End=TIME   the period, in full hours; by default yesterday
  Format=FIELDS         what to show, with %width
  Clusters=NAMES        All_Clusters
Words of some reports:
  Accounts= Users= WCKeys=             only these
  Tree                                 accounts are indented (AccountUtilizationByUser)
  Group TopCount=10                    one line for each user; how many lines (TopUsage)
  Grouping=50,250,500,1000|individual  sizes; FlatView AcctAsParent PrintJobCount
  GID= Jobs= Nodes= Partitions=        only these jobs (Sizes...)
  Names= Nodes=                        only these reservations

Commands: exit, help, nonparsable, parsable, parsable2, quiet, quit, time FORM, verbose,
version, and !! for the last one again.
)";
}

}  // namespace muster::cli
