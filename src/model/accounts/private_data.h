// PrivateData: what users may see only of their own, or not at all. controller/views/visibility.h
// applies it.
#pragma once

namespace muster {

struct PrivateData {
  bool jobs = false;          // jobs and steps of others, and their records in accounting
  bool nodes = false;         // nodes
  bool partitions = false;    // partitions
  bool reservations = false;  // reservations that a user may not use
  bool usage = false;         // what others have used
  bool accounts = false;      // accounts that a user is not in
  bool users = false;         // other users, and what they are in
  bool any() const {
    return jobs || nodes || partitions || reservations || usage || accounts || users;
  }
  bool operator==(const PrivateData&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, nodes);
    v(3, partitions);
    v(4, reservations);
    v(5, usage);
    v(6, accounts);
    v(7, users);
  }
};

}  // namespace muster
