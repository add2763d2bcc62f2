// The few fields of a job that squeue's usual columns need. A long list is sent as such lines, one
// after the other, and read in place: texts point into the received bytes.
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

// States that squeue shows for one JobState.
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
  IdSet waiting_tasks;       // if the record stands for several tasks
  bool others_left = false;  // other tasks of the array have records of their own
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
    // Tags above have one byte, those below have two.
    v(16, uid);
    v(17, user_name);
    v(18, name);
    v(19, partition);
    v(20, reason);
    v(21, nodes);
  }
};

// Fields of a line that do not come from the job itself.
struct LineFacts {
  std::string_view reason, reason_detail;  // why it waits
  std::string_view nodes;                  // where it runs
  std::uint32_t least_nodes = 0;
};
// The line is valid as long as the texts of job and facts.
JobLine line_from(const Job& job, const LineFacts& facts, Time now);
// Does not look at view.job.
JobLine line_of(const Job& job, const JobView& view, Time now);

// Writes lines one after the other. A line leaves out what equals the line before, which is nearly
// everything in a long queue. The tasks of an array are always written.
class LineWriter {
 public:
  LineWriter() = default;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  void append(const JobLine& line, std::string& lines);

 private:
  JobLine last_;  // its texts are kept here, its tasks are left out
  std::array<std::string, 5> texts_;
  std::string scratch_;
};

class LineReader {
 public:
  explicit LineReader(std::string_view lines) : rest_(lines) {}
  // Reads the next line; its texts point into the bytes. False at the end, and if the bytes are
  // malformed.
  bool next(JobLine& line);
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace muster::wire
