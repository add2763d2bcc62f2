// Who may see what: the one place that decides it for all answers (PrivateData). Root and SlurmUser
// see everything; other users see what is their own, and what is not private.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

struct Viewer {
  Uid uid;
  bool is_operator = false;
  Text name;                        // of the user; needed where something is private
  std::vector<std::string> groups;  // needed where partitions are for groups
};

class Visibility {
 public:
  // `cluster` must outlive it.
  Visibility(const Cluster& cluster, Viewer viewer)
      : cluster_(cluster), viewer_(std::move(viewer)), rules_(cluster.settings().private_data) {}

  // An error for a request that is refused as a whole; other requests show what is visible.
  std::optional<Error> refuses(const wire::Request& query) const;

  bool sees_job_of(Uid owner) const { return sees_own_or_all(rules_.jobs, owner); }
  bool sees_jobs_of_all() const { return viewer_.is_operator || !rules_.jobs; }
  bool sees(const Job& job) const { return sees_job_of(job.spec->uid); }
  bool sees_nodes() const { return viewer_.is_operator || !rules_.nodes; }
  bool sees_partitions() const { return viewer_.is_operator || !rules_.partitions; }
  bool sees(const Reservation& reservation) const;
  // Partitions whose jobs are left out of lists, unless the user asks for them.
  bool is_hidden(const Partition& partition) const;
  // Usage of an account and its users: a row of sshare.
  bool sees_share(const AssociationKey& share) const;
  // Records of accounting: only this user's; everybody's if empty.
  std::optional<Uid> only_records_of() const;

 private:
  bool sees_own_or_all(bool is_private, Uid owner) const {
    return viewer_.is_operator || !is_private || owner == viewer_.uid;
  }

  const Cluster& cluster_;
  Viewer viewer_;
  const PrivateData rules_;
};

}  // namespace muster::controller
