// SPDX-License-Identifier: BSD-3-Clause
// Records what the program does between and inside its collectives, if QUADRILLE_RECORD names a folder. The MPI library runs all
// calls. docs/recording.md says what is recorded; src/recording writes it.
//
// Each function of MPI that is seen calls `enter` before the MPI library's function, and one of the `leave_...` functions after
// it. Calls inside such a call, and calls of another thread meanwhile, are not recorded: `enter` returns false.
#pragma once

#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/system/ticks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/recording/recorded_sites.hpp"
#include "mpi_face/symbols/function.hpp"
#include "recording/call_log.hpp"
#include "recording/gap_clock.hpp"

namespace quadrille::mpi_face {

class Recorder {
 public:
  // Null unless the program is recorded.
  static Recorder* get() noexcept { return current_; }

  // Call it in MPI_Init on all ranks: collective if QUADRILLE_RECORD asks for a recording.
  static void begin();
  // Call these in MPI_Finalize. `finish` ends the recording. `end` completes this rank's file; then rank 0 collects the files
  // that are not in its folder.
  void finish() noexcept;
  static void end();

  bool enter() noexcept {
    if (is_inside_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      return note_unseen(), false;
    thread_ = ::pthread_self();
    const recording::Gap gap = clock_.end(began_);
    gap_.computing += gap.computing;
    gap_.away += gap.away;
    return true;
  }

  // Runs a blocking collective.
  int run(CommunicatorState& state, const MpiCall& call, VendorCall vendor);

  // A nonblocking or persistent collective was started or made; `request` is null if that failed.
  void leave_passed(Function function, const MpiCall& call, MPI_Request request) noexcept;

  // A point-to-point function, or a function that completes requests, has returned. `took`: ticks of the call that were not for
  // collectives.
  void leave_message(MessageFunction function) noexcept { leave_message(function, ticks() - began_); }
  void leave_message(MessageFunction function, std::uint64_t took) noexcept;
  // The call completed requests of collectives only.
  void leave_requests(MessageFunction function) noexcept { leave(after_messages_[static_cast<std::size_t>(function)]); }

  // A communicator was made from another one; `made` is null if that failed.
  void leave_making(const char* function, MPI_Comm parent, MPI_Comm made) noexcept;

  // A collective whose request exists.
  struct OpenRequest {
    SiteHere *start, *completion;
    bool is_persistent, is_active;
    std::uint64_t took = 0;  // ticks in calls that tested or waited for it
  };
  bool has_requests() const { return !requests_.empty(); }
  OpenRequest* request(MPI_Request request);
  void forget_request(MPI_Request request);
  std::uint64_t began() const { return began_; }
  void write_start(const OpenRequest& request, std::uint64_t took) noexcept;
  void write_completion(OpenRequest& request) noexcept;

  // Called when the communicator is freed, and when the run ends.
  void read_name(CommunicatorState& state);

 private:
  Recorder(const std::string& folder, const recording::RankFacts& facts, const TickMoment& start, double ticks_per_second);
  CommunicatorHere& here(CommunicatorState& state);
  void note_unseen() noexcept;
  void look_for_threads() noexcept;
  void write(const SiteHere& site, std::uint64_t took) noexcept;
  void write(std::uint32_t site, recording::Gap& gap, std::uint64_t took) noexcept;
  void write_messages() noexcept;
  void calibrate() noexcept;
  void leave(recording::Pace& pace) noexcept {
    clock_.begin(pace);
    is_inside_.store(false, std::memory_order_release);
  }

  static Recorder* current_;

  recording::CallLog log_;
  const recording::RankFacts facts_;
  const TickMoment start_;
  RecordedSites sites_;
  recording::GapClock clock_;
  recording::Pace failed_;  // after calls that failed
  recording::Pace after_messages_[recording::most_functions];

  std::atomic<bool> is_inside_{false};
  pthread_t thread_{};       // the thread that is inside
  std::uint64_t began_ = 0;  // when it entered
  recording::Gap gap_;       // before that call, and before calls since the last entry

  // Point-to-point calls since the last entry: one entry for all of them.
  const SiteHere* messages_ = nullptr;
  recording::Gap messages_gap_;
  std::uint64_t messages_took_ = 0, messages_calls_ = 0, most_messages_ticks_;

  std::unordered_map<std::uint64_t, OpenRequest> requests_;
  std::mutex late_names_mutex_;
  std::vector<std::pair<std::size_t, std::string>> late_names_;  // of communicators, read while another thread was inside
  std::uint64_t long_gaps_ = 0, threads_at_start_;
};

}  // namespace quadrille::mpi_face
