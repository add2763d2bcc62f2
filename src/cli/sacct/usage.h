// sacct's columns about a step's usage: AveRSS, MaxDiskReadNode, TRESUsageInMin and so on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/sacct/row.h"

namespace muster::cli {

// How an amount is printed.
void put_cpu_amount(const AcctLine& line, std::uint64_t microseconds, std::string& out);
void put_kib_amount(const AcctLine& line, std::uint64_t kib, std::string& out);
void put_disk_amount(const AcctLine& line, std::uint64_t bytes, std::string& out);
void put_count(const AcctLine& line, std::uint64_t count, std::string& out);

// Which value of a measure to print.
inline std::uint64_t average_of(const Measure& m) { return m.average(); }
inline std::uint64_t max_of(const Measure& m) { return m.max; }
inline std::uint64_t min_of(const Measure& m) { return m.min; }
inline std::uint64_t total_of(const Measure& m) { return m.total; }
inline NodeId max_node_of(const Measure& m) { return m.max_node; }
inline NodeId min_node_of(const Measure& m) { return m.min_node; }
inline std::uint32_t max_task_of(const Measure& m) { return m.max_task; }
inline std::uint32_t min_task_of(const Measure& m) { return m.min_task; }

bool has_usage(const AcctLine& line);
std::string_view usage_node(const AcctLine& line, NodeId node);

template <auto What, auto Value, auto Put>
void put_measure(const AcctLine& line, std::string& out) {
  if (has_usage(line)) Put(line, Value(line.step->usage.*What), out);
}
template <auto What, auto Node>
void put_measure_node(const AcctLine& line, std::string& out) {
  if (has_usage(line)) out += usage_node(line, Node(line.step->usage.*What));
}
template <auto What, auto Task>
void put_measure_task(const AcctLine& line, std::string& out) {
  if (has_usage(line)) out += std::to_string(Task(line.step->usage.*What));
}

// The TRESUsageIn and TRESUsageOut columns.
using MeasureValue = std::uint64_t (*)(const Measure&);
using MeasureNode = NodeId (*)(const Measure&);
using MeasureTask = std::uint32_t (*)(const Measure&);
std::string usage_in_text(const AcctLine& line, MeasureValue value);
std::string usage_in_nodes(const AcctLine& line, MeasureNode node);
std::string usage_in_tasks(const AcctLine& line, MeasureTask task);
std::string usage_out_text(const AcctLine& line, MeasureValue value);
std::string usage_out_nodes(const AcctLine& line, MeasureNode node);
std::string usage_out_tasks(const AcctLine& line, MeasureTask task);

}  // namespace muster::cli
