// --mpi=pmix: the system's PMIx server library serves the tasks of this node. Data from other nodes
// comes through the step's Exchange. The library calls back on a thread of its own; the callbacks
// only leave work for the supervisor's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "step/mpi.h"
#include "step/pmix/library.h"

namespace muster::step {

class PmixServer : public Mpi {
 public:
  PmixServer(const StepSetup& setup, MpiHost host);
  ~PmixServer() override;

  Result<void> begin() override;
  Result<int> add_task(std::size_t task, Environment& environment) override;
  void watch(io::PollSet& set) override;

  struct Answer {  // a call of the library that waits for data
    pmix_modex_cbfunc_t call = nullptr;
    void* context = nullptr;
    void give(pmix_status_t status, std::string data) const;
  };
  void post(std::function<void()> work);  // from any thread

  // --- on the supervisor's thread ---
  void fence(std::vector<std::uint32_t> ranks, std::string data, Answer answer);
  void request_data(std::uint32_t rank, Answer answer);
  void answer_request(std::uint32_t place, std::uint32_t id, pmix_status_t status,
                      std::string data);
  void abort(std::uint32_t rank, const std::string& text);

 private:
  void run_posted();
  Result<void> make_directory();
  Result<void> register_step();
  std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& ranks) const;
  void on_letter(std::uint32_t from, const std::string& bytes);
  Result<void> check(pmix_status_t status, const char* what) const;
  pmix_proc_t process(std::uint32_t rank) const;

  const StepSetup& setup_;
  MpiHost host_;
  PmixLibrary pmix_;
  std::string name_;       // PMIx's name for the step's processes
  std::string directory_;  // for PMIx's files
  std::string tasks_directory() const { return directory_ + "/tasks"; }
  bool begun_ = false;
  std::map<std::uint32_t, std::uint32_t> place_of_;  // by rank
  std::map<std::string, std::uint32_t> fences_;      // the number so far, by participants
  std::map<std::uint32_t, Answer> requests_;         // for data of tasks on other nodes
  std::uint32_t last_request_ = 0;

  int wakeup_ = -1;  // an eventfd
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
};

}  // namespace muster::step
