// Between slurmctld and slurmdbd, over one connection that the controller keeps: what a controller
// reports, and what it is told. Commands ask slurmdbd what they would ask slurmctld
// (wire/requests.h).
//
// Records travel in batches with numbers, one after the other. slurmdbd stores the number in the
// same transaction as the rows. So a batch that is sent again, after whatever has broken, is
// recognized, and each batch is stored exactly once. Numbers belong to a stream: the file of a
// controller that keeps what is not stored yet has a name of its own, and a new file begins again.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "model/accounts/accounting_record.h"
#include "model/accounts/accounts_news.h"
#include "model/accounts/site_rows.h"

namespace muster::wire {

// --- of a controller ---
// The first report, and again after each change of the configuration.
struct RegisterCluster {
  ClusterRow cluster;                       // name, port, nodes, resources
  std::vector<std::pair<Text, Text>> tres;  // types and names of what it counts
  std::string stream;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, tres);
    v(3, stream);
  }
};
struct StoreRecords {
  std::uint64_t number = 0;
  std::string records;  // an encoded RecordBatch, as the controller's disk has it
  template <class V>
  void fields(V& v) {
    v(1, number);
    v(2, records);
  }
};
// All that had happened when slurmdbd asked has been sent and stored.
struct RecordsFlushed {
  std::uint64_t id = 0;
  template <class V>
  void fields(V& v) {
    v(1, id);
  }
};
// It follows the accounts of this version, and a restart does not lose that.
struct NewsHeard {
  std::uint64_t version = 0;
  template <class V>
  void fields(V& v) {
    v(1, version);
  }
};
using ControllerReport = std::variant<RegisterCluster, StoreRecords, RecordsFlushed, NewsHeard>;
struct ControllerFrame {
  ControllerReport report;
  template <class V>
  void fields(V& v) {
    v(1, report);
  }
};

struct RecordBatch {
  std::vector<AccountingRecord> records;
  template <class V>
  void fields(V& v) {
    v(1, records);
  }
};

// --- of slurmdbd ---
struct ClusterRegistered {
  std::uint64_t last_stored = 0;  // of the stream; 0 = nothing yet
  template <class V>
  void fields(V& v) {
    v(1, last_stored);
  }
};
struct RecordsStored {
  std::uint64_t number = 0;
  template <class V>
  void fields(V& v) {
    v(1, number);
  }
};
struct FlushRecords {
  std::uint64_t id = 0;
  template <class V>
  void fields(V& v) {
    v(1, id);
  }
};
// A part of the news; they count when the last part is there.
struct NewsPart {
  std::uint64_t version = 0;
  std::vector<SiteRow> rows;
  std::vector<ForgottenUsage> resets;
  bool is_all = false;
  bool more = false;
  template <class V>
  void fields(V& v) {
    v(1, version);
    v(2, rows);
    v(3, resets);
    v(4, is_all);
    v(5, more);
  }
};
// The controller cannot be served, now or ever; the connection ends.
struct ClusterRefused {
  std::string why;
  template <class V>
  void fields(V& v) {
    v(1, why);
  }
};
using DatabaseOrder =
    std::variant<ClusterRegistered, RecordsStored, FlushRecords, NewsPart, ClusterRefused>;
struct DatabaseFrame {
  DatabaseOrder order;
  template <class V>
  void fields(V& v) {
    v(1, order);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::ControllerFrame)
MUSTER_DECLARE_CODEC(muster::wire::RecordBatch)
MUSTER_DECLARE_CODEC(muster::wire::DatabaseFrame)
