// What the usual columns of squeue say of a job, which is little. A long list is sent as these, one
// after the other, and read in place: texts point into the bytes that came.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/idset.h"
#include "base/time.h"
#include "model/job/job.h"
#include "wire/replies.h"

namespace muster::wire {

// A state that squeue tells apart within a JobState.
enum class ShownState : std::uint8_t {
  plain,
  configuring,
  lost_reservation,
  special_exit,
  completing
};
constexpr ShownState last_of(ShownState) { return ShownState::completing; }

struct JobLine {
  JobId id;
  JobId array_id, het_id;
  std::uint32_t het_offset = 0;
  std::uint32_t task_id = kNoTask;
  std::uint32_t task_limit = 0;
  IdSet waiting_tasks;       // of a record that stands for several tasks
  bool others_left = false;  // tasks of the array have records of their own
  JobState state = JobState::pending;
  ShownState shown = ShownState::plain;
  bool completing = false;
  std::uint32_t priority = 0;
  Minutes time_limit{};
  Millis run_time{};
  std::uint32_t num_nodes = 0;
  Uid uid;
  std::string_view user_name, name, partition, reason, nodes;

  bool is_het() const { return static_cast<bool>(het_id); }
  bool is_array_record() const { return !waiting_tasks.empty(); }
  std::uint32_t last_task() const {  // see Job::last_task()
    return others_left && waiting_tasks.size() == 1 ? waiting_tasks.min() : kNoTask;
  }

  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, array_id);
    v(3, het_id);
    v(4, het_offset);
    v(5, task_id);
    v(6, task_limit);
    v(7, waiting_tasks);
    v(8, others_left);
    v(9, state);
    v(10, shown);
    v(11, completing);
    v(12, priority);
    v(13, time_limit);
    v(14, run_time);
    v(15, num_nodes);
    // Tags of one byte end here.
    v(16, uid);
    v(17, user_name);
    v(18, name);
    v(19, partition);
    v(20, reason);
    v(21, nodes);
  }
};

// What a line says of a job that the job itself does not know.
struct LineFacts {
  std::string_view reason, reason_detail;  // why it waits
  std::string_view nodes;                  // where it runs
  std::uint32_t least_nodes = 0;
};
// The line lives as long as the texts of both.
JobLine line_from(const Job& job, const LineFacts& facts, Time now);
// The view's own job is not looked at.
JobLine line_of(const Job& job, const JobView& view, Time now);

// Lines, one after the other. A line leaves out what is as in the one before, which in a long queue
// is nearly all; the tasks of an array are its own.
class LineWriter {
 public:
  LineWriter() = default;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  void append(const JobLine& line, std::string& lines);

 private:
  JobLine last_;  // its texts are these, its tasks are left out
  std::array<std::string, 5> texts_;
  std::string scratch_;
};

class LineReader {
 public:
  explicit LineReader(std::string_view lines) : rest_(lines) {}
  // Makes the line into the next one, which lives as long as the bytes. False at the end, or where
  // they cannot be read.
  bool next(JobLine& line);
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace muster::wire
