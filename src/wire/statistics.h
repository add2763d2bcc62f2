// What sdiag shows: counts of slurmctld's work since the last reset. They are kept in memory alone,
// so a restart begins anew.
#pragma once

#include <cstdint>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"

namespace muster::wire {

struct StatisticsRequest {
  bool reset = false;  // instead of showing them
  template <class V>
  void fields(V& v) {
    v(1, reset);
  }
};

// Each task of an array and each component of a heterogeneous job is a job.
struct JobCounts {
  std::uint64_t submitted = 0, started = 0, completed = 0, canceled = 0, failed = 0;
  std::uint64_t pending = 0, running = 0;  // at present
  bool operator==(const JobCounts&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, submitted);
    v(2, started);
    v(3, completed);
    v(4, canceled);
    v(5, failed);
    v(6, pending);
    v(7, running);
  }
};

// A number that each plan has: of the last one, the greatest, and the sum.
struct PlanNumber {
  std::uint64_t last = 0, max = 0, sum = 0;
  void add(std::uint64_t value) {
    last = value;
    max = value > max ? value : max;
    sum += value;
  }
  bool operator==(const PlanNumber&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, last);
    v(2, max);
    v(3, sum);
  }
};

// Plans of one kind: those after every event, or those of the whole queue every few seconds.
struct PlanCounts {
  std::uint64_t plans = 0;
  Time last_at;
  PlanNumber took_us, queued, examined, tried, promised;  // see sched::PlanWork
  bool operator==(const PlanCounts&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, plans);
    v(2, last_at);
    v(3, took_us);
    v(4, queued);
    v(5, examined);
    v(6, tried);
    v(7, promised);
  }
};

// Messages of one type, or of one user.
struct MessageCount {
  std::uint32_t id = 0;  // Slurm's number of the type, or the user's id
  Text name;             // of the type; a user's is the reader's to find
  std::uint64_t count = 0, time_us = 0;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, name);
    v(3, count);
    v(4, time_us);
  }
};

struct StatisticsReply {
  Time now, since;
  std::uint32_t threads = 0;           // that work on answers
  std::uint64_t orders_waiting = 0;    // to nodes
  std::uint32_t nodes_behind = 0;      // that they wait for
  std::uint64_t accounting_rows = 0;   // not yet in the accounting file
  std::uint32_t clock_latency_us = 0;  // of 1000 readings, at the start
  JobCounts jobs;
  PlanCounts quick, thorough;
  std::uint64_t backfilled = 0, backfilled_since_reset = 0, backfilled_components = 0;
  bool is_planning = false;  // of the whole queue
  std::vector<MessageCount> by_type, by_user;
  MessageCount other_users;          // those beyond the table, together
  std::vector<MessageCount> orders;  // of those that wait, by type
  template <class V>
  void fields(V& v) {
    v(1, now);
    v(2, since);
    v(3, threads);
    v(4, orders_waiting);
    v(5, nodes_behind);
    v(6, accounting_rows);
    v(7, clock_latency_us);
    v(8, jobs);
    v(9, quick);
    v(10, thorough);
    v(11, backfilled);
    v(12, backfilled_since_reset);
    v(13, backfilled_components);
    v(14, is_planning);
    v(15, by_type);
    v(16, by_user);
    v(17, other_users);
    v(18, orders);
  }
};

}  // namespace muster::wire
