// Writes and reads jobs as lines of fixed fields, for the short form of squeue.
#include "wire/job_line.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "base/codec/codec.h"

namespace muster::wire {

namespace {

ShownState shown_state(const Job& job) {
  if (job.run->preparing) return ShownState::configuring;
  if (job.lost_reservation()) return ShownState::lost_reservation;
  if (job.special_exit()) return ShownState::special_exit;
  return job.completing() ? ShownState::completing : ShownState::plain;
}

std::string_view shown_reason(const Job& job, const LineFacts& facts) {
  const std::string_view reason = facts.reason.empty() ? "None" : facts.reason;
  if (is_active(job.state)) return reason;
  if (reason == "launch_failed_requeued_held") return "launch failed requeued held";
  if (reason == "job_requeued_in_held_state") return "job requeued in held state";
  if (is_ended(job.state) && !job.end_reason.empty()) return job.end_reason;
  return facts.reason_detail.empty() ? reason : facts.reason_detail;
}

// While nodes clean up after a job, only these count as the job's.
std::uint32_t node_count(const Job& job, std::uint32_t least_nodes) {
  if (job.completing()) return static_cast<std::uint32_t>(job.run->unfinished.size());
  if (!job.run->allocation.empty()) return static_cast<std::uint32_t>(job.run->allocation.size());
  return std::max({job.spec->min_nodes, least_nodes, 1u});
}

}  // namespace

JobLine line_of(const Job& job, const JobView& view, Time now) {
  return line_from(job, {view.reason, view.reason_detail, view.nodes, view.least_nodes}, now);
}

JobLine line_from(const Job& job, const LineFacts& facts, Time now) {
  JobLine line{.id = job.id,
               .array_id = job.array_id,
               .het_id = job.het_id,
               .het_offset = job.het_offset,
               .task_id = job.task_id,
               .task_limit = job.task_limit,
               .waiting_tasks = job.waiting_tasks,
               .others_left = job.array->exits.left > 0,
               .state = job.state,
               .shown = shown_state(job),
               .completing = job.completing(),
               .priority = job.priority,
               .time_limit = job.time_limit,
               .run_time = job.run_time(now),
               .num_nodes = node_count(job, facts.least_nodes),
               .uid = job.spec->uid,
               .user_name = job.spec->user_name,
               .name = job.own.name,
               .partition = job.partition,
               .reason = shown_reason(job, facts),
               .nodes = facts.nodes};
  // A pending job shows all partitions in which it may start.
  if (job.state == JobState::pending && !job.spec->partition.empty())
    line.partition = job.spec->partition;
  return line;
}

namespace {

constexpr std::uint32_t kLine = 1;  // each line is a field of this number

// Writes the fields that differ from the line before, and updates that line.
class Difference {
 public:
  Difference(JobLine& last, std::span<std::string> texts, const JobLine& line, std::string& out)
      : last_(reinterpret_cast<char*>(&last)),
        line_(reinterpret_cast<const char*>(&line)),
        texts_(texts),
        encoder_(out) {}

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    T& last = in_last(value);
    if (last == value) return;
    encoder_.write_value(number, value);
    last = value;
  }
  void operator()(std::uint32_t number, std::string_view& value) {
    std::string& kept = texts_[next_text_++];
    std::string_view& last = in_last(value);
    if (last == value) return;
    encoder_.write_value(number, value);
    kept = value;
    last = kept;
  }
  void operator()(std::uint32_t number, IdSet& tasks) {
    if (!tasks.empty()) encoder_.write_value(number, tasks);
  }

 private:
  template <class T>
  T& in_last(T& value) {
    return *reinterpret_cast<T*>(last_ + (reinterpret_cast<const char*>(&value) - line_));
  }

  char* last_;
  const char* line_;
  std::span<std::string> texts_;
  std::size_t next_text_ = 0;
  Encoder encoder_;
};

bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (std::size_t at = 0; at < in.size() && at < 10; ++at) {
    const auto byte = static_cast<unsigned char>(in[at]);
    value |= std::uint64_t{byte & 0x7fu} << (7 * at);
    if (byte & 0x80) continue;
    in.remove_prefix(at + 1);
    return true;
  }
  return false;
}

// Reads the fields of a line in one pass: they come in ascending order, each at most once. Other
// fields keep their values. (A Decoder would check the whole line first, and then look for each
// field.)
class OnePass {
 public:
  explicit OnePass(std::string_view in) : rest_(in) { next(); }

  template <class T>
  void operator()(std::uint32_t number, T& value) {
    while (number_ < number) next();  // a field of a later version
    if (number_ != number) return;
    if (!read(value)) return reject();
    next();
  }
  bool ok() const { return ok_; }

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  void next();
  bool read(std::string_view& text) const {
    text = bytes_;
    return type_ == 2;
  }
  bool read(IdSet& tasks) const { return type_ == 2 && decode_into(bytes_, tasks).has_value(); }
  template <class Tag, class Number>
  bool read(Id<Tag, Number>& id) const {
    return read(id.value);
  }
  template <class Number, class Period>
  bool read(std::chrono::duration<Number, Period>& time) const {
    time = std::chrono::duration<Number, Period>{codec_detail::unzigzag(value_)};
    return type_ == 0;
  }
  template <codec_detail::Scalar T>
  bool read(T& number) const {
    static_assert(!std::is_signed_v<T>);
    number = static_cast<T>(value_);
    if constexpr (requires { last_of(number); })
      return type_ == 0 && value_ <= static_cast<std::uint64_t>(last_of(number));
    else
      return type_ == 0 && static_cast<std::uint64_t>(number) == value_;
  }
  void reject() {
    ok_ = false;
    number_ = kEnd;
    rest_ = {};
  }

  std::string_view rest_;
  std::uint32_t number_ = 0, type_ = 0;  // the field before rest_
  std::uint64_t value_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
};

void OnePass::next() {
  if (rest_.empty()) {
    number_ = kEnd;
    return;
  }
  std::uint64_t key = 0;
  if (!take_varint(rest_, key) || key >> 3 <= number_ || key >> 3 >= kEnd) return reject();
  number_ = static_cast<std::uint32_t>(key >> 3);
  type_ = key & 7;
  if (type_ == 0) {
    if (!take_varint(rest_, value_)) reject();
    return;
  }
  std::uint64_t size = 8;
  if (type_ == 2 ? !take_varint(rest_, size) : type_ != 1) return reject();
  if (size > rest_.size()) return reject();
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
}

}  // namespace

void LineWriter::append(const JobLine& line, std::string& lines) {
  scratch_.clear();
  Difference difference(last_, texts_, line, scratch_);
  const_cast<JobLine&>(line).fields(difference);  // it only reads the line
  Encoder(lines).bytes(kLine, scratch_);
}

bool LineReader::next(JobLine& line) {
  if (rest_.empty()) return false;
  ok_ = false;
  std::uint64_t key = 0, size = 0;
  if (!take_varint(rest_, key) || key != (kLine << 3 | 2) || !take_varint(rest_, size) ||
      size > rest_.size())
    return false;
  if (line.is_array_record()) line.waiting_tasks = {};
  OnePass fields(rest_.substr(0, size));
  rest_.remove_prefix(size);
  line.fields(fields);
  return ok_ = fields.ok();
}

}  // namespace muster::wire
