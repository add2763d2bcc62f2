// The PMIx server of a step on one node: registers the job with the library, and answers its calls.
#include "step/pmix/pmix_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <set>

#include "base/check.h"
#include "base/codec/codec.h"
#include "step/pmix/callbacks.h"
#include "step/pmix/info.h"

namespace muster::step {
namespace {

struct DataLetter {  // between the PMIx servers of two nodes
  bool is_request = false;
  std::uint32_t id = 0, rank = 0;
  int status = 0;
  std::string data;
  template <class V>
  void fields(V& v) {
    v(1, is_request);
    v(2, id);
    v(3, rank);
    v(4, status);
    v(5, data);
  }
};

// Calls a function that reports its result through a callback, and waits for that.
template <class Call>
pmix_status_t wait_for(Call call) {
  std::promise<pmix_status_t> told;
  const pmix_status_t status = call(
      [](pmix_status_t outcome, void* context) {
        static_cast<std::promise<pmix_status_t>*>(context)->set_value(outcome);
      },
      &told);
  if (status == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  return status == PMIX_SUCCESS ? told.get_future().get() : status;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

void PmixServer::Answer::give(pmix_status_t status, std::string data) const {
  auto* kept = new std::string(std::move(data));
  call(
      status, kept->data(), kept->size(), context,
      [](void* text) { delete static_cast<std::string*>(text); }, kept);
}

PmixServer::PmixServer(const StepSetup& setup, MpiHost host)
    : setup_(setup),
      host_(std::move(host)),
      name_(
          fmt::format("slurm.pmix.{}.{}", setup.launch.ref.job.value, setup.launch.ref.step.value)),
      directory_(fmt::format("{}/pmix.{}.{}", parent_of(parent_of(setup.step_file.str())),
                             setup.launch.ref.job.value, setup.launch.ref.step.value)),
      wakeup_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(wakeup_ >= 0);
  for (std::uint32_t place = 0; place < setup.launch.layout.size(); ++place)
    for (std::uint32_t rank : setup.launch.layout[place].ranks) place_of_[rank] = place;
  host_.exchange.set_letter_reader(
      [this](std::uint32_t from, const std::string& bytes) { on_letter(from, bytes); });
}

PmixServer::~PmixServer() {
  host_.exchange.set_letter_reader(nullptr);
  if (begun_) pmix_.server_finalize();
  set_pmix_server(nullptr);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
  close(wakeup_);
}

Result<void> PmixServer::check(pmix_status_t status, const char* what) const {
  if (status == PMIX_SUCCESS) return {};
  return fail(fmt::format("PMIx: {}: {}", what, pmix_.error_string(status)));
}

pmix_proc_t PmixServer::process(std::uint32_t rank) const {
  pmix_proc_t proc{};
  name_.copy(proc.nspace, PMIX_MAX_NSLEN);
  proc.rank = rank;
  return proc;
}

// The library creates files there as root, so no other user may create any before it. Tasks have a
// directory of their own in it.
Result<void> PmixServer::make_directory() {
  auto failed = [&] { return fail(fmt::format("{}: {}", directory_, std::strerror(errno))); };
  const wire::StepLaunch& launch = setup_.launch;
  const std::string tasks = tasks_directory();
  if (mkdir(directory_.c_str(), 0711) != 0 && errno != EEXIST) return failed();
  if (chmod(directory_.c_str(), setup_.change_user ? 0711 : 0700) != 0) return failed();
  if (mkdir(tasks.c_str(), 0700) != 0 && errno != EEXIST) return failed();
  if (setup_.change_user && lchown(tasks.c_str(), launch.uid.value, launch.gid.value) != 0)
    return failed();
  return {};
}

Result<void> PmixServer::begin() {
  auto library = load_pmix();
  if (!library) return std::unexpected(library.error());
  pmix_ = *library;
  if (auto made = make_directory(); !made) return made;
  set_pmix_server(this);
  PmixInfo info;
  info.add(PMIX_USERID, setup_.launch.uid.value);
  info.add(PMIX_GRPID, setup_.launch.gid.value);
  info.add(PMIX_SERVER_TMPDIR, directory_);
  info.add(PMIX_SYSTEM_TMPDIR, directory_);
  info.add(PMIX_HOSTNAME, setup_.node_name.str());
  info.add_rank(PMIX_SERVER_RANK, setup_.launch.node_index);
  info.add(PMIX_SERVER_NSPACE, name_ + ".servers");
  pmix_server_module_t* callbacks = pmix_callbacks();
  if (auto done = check(pmix_.server_init(callbacks, info.data(), info.size()), "start"); !done)
    return done;
  begun_ = true;
  return register_step();
}

Result<void> PmixServer::register_step() {
  auto info = describe_step(pmix_, setup_, tasks_directory());
  if (!info) return std::unexpected(info.error());
  const auto local = static_cast<int>(setup_.launch.ranks.size());
  const pmix_proc_t whole = process(PMIX_RANK_WILDCARD);
  return check(wait_for([&](pmix_op_cbfunc_t told, void* context) {
                 return pmix_.register_nspace(whole.nspace, local, info->data(), info->size(), told,
                                              context);
               }),
               "the step");
}

Result<int> PmixServer::add_task(std::size_t task, Environment& environment) {
  const pmix_proc_t proc = process(setup_.launch.ranks.at(task));
  const wire::StepLaunch& launch = setup_.launch;
  auto registered = check(wait_for([&](pmix_op_cbfunc_t told, void* context) {
                            return pmix_.register_client(&proc, launch.uid.value, launch.gid.value,
                                                         nullptr, told, context);
                          }),
                          "a task");
  if (!registered) return std::unexpected(registered.error());
  char** variables = nullptr;
  if (auto ready = check(pmix_.setup_fork(&proc, &variables), "a task's variables"); !ready)
    return std::unexpected(ready.error());
  for (char** entry = variables; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) environment.set(text.substr(0, equals), text.substr(equals + 1));
    std::free(*entry);
  }
  std::free(static_cast<void*>(variables));
  return -1;
}

void PmixServer::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  CHECK(write(wakeup_, &one, sizeof one) == sizeof one);
}

void PmixServer::run_posted() {
  std::uint64_t count = 0;
  (void)!read(wakeup_, &count, sizeof count);
  std::vector<std::function<void()>> posted;
  {
    std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (auto& work : posted) work();
}

void PmixServer::watch(io::PollSet& set) {
  set.add(wakeup_, POLLIN, [this](short) { run_posted(); });
}

std::vector<std::uint32_t> PmixServer::places_of(const std::vector<std::uint32_t>& ranks) const {
  std::set<std::uint32_t> places;
  for (std::uint32_t rank : ranks) {
    if (rank == PMIX_RANK_WILDCARD)
      for (const auto& [known, place] : place_of_) places.insert(place);
    else if (auto found = place_of_.find(rank); found != place_of_.end())
      places.insert(found->second);
  }
  return {places.begin(), places.end()};
}

void PmixServer::fence(std::vector<std::uint32_t> ranks, std::string data, Answer answer) {
  // The same processes may have several fences; the count distinguishes them.
  std::ranges::sort(ranks);
  const std::string who = fmt::format("fence of {}", fmt::join(ranks, ","));
  host_.exchange.contribute(fmt::format("{}: {}", who, fences_[who]++), places_of(ranks),
                            std::move(data), [answer](const std::vector<std::string>& parts) {
                              std::string all;
                              for (const std::string& part : parts) all += part;
                              answer.give(PMIX_SUCCESS, std::move(all));
                            });
}

void PmixServer::request_data(std::uint32_t rank, Answer answer) {
  auto place = place_of_.find(rank);
  if (place == place_of_.end()) return answer.give(PMIX_ERR_NOT_FOUND, {});
  requests_[++last_request_] = answer;
  host_.exchange.send(place->second, encode(DataLetter{true, last_request_, rank, 0, {}}));
}

void PmixServer::answer_request(std::uint32_t place, std::uint32_t id, pmix_status_t status,
                                std::string data) {
  host_.exchange.send(place, encode(DataLetter{false, id, 0, status, std::move(data)}));
}

void PmixServer::on_letter(std::uint32_t from, const std::string& bytes) {
  auto letter = decode<DataLetter>(bytes);
  if (!letter) return;
  if (letter->is_request) {
    const pmix_proc_t proc = process(letter->rank);
    const pmix_status_t asked = ask_pmix_for_data(pmix_, proc, {from, letter->id});
    if (asked != PMIX_SUCCESS) answer_request(from, letter->id, asked, {});
    return;
  }
  auto request = requests_.extract(letter->id);
  if (!request.empty()) request.mapped().give(letter->status, std::move(letter->data));
}

void PmixServer::abort(std::uint32_t rank, const std::string& text) {
  host_.abort(fmt::format("task {} called abort{}{}", rank, text.empty() ? "" : ": ", text));
}

}  // namespace muster::step
