// SPDX-License-Identifier: BSD-3-Clause
// Counts calls for the report, if QUADRILLE_REPORT or QUADRILLE=profile asks for one.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mpi_face/call.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/message_calls.hpp"
#include "mpi_face/report/call_checks.hpp"
#include "mpi_face/report/record.hpp"

namespace quadrille::mpi_face {

class Counting {
 public:
  // Returns null if nothing is counted: no report is asked for, or the counters could not be created. MPI must be initialised.
  static Counting* get() {
    static Counting* const counting = make();
    return counting;
  }

  // Runs the call and counts it.
  int run(CommunicatorState& state, const MpiCall& call, VendorCall vendor);

  // Call these before and after a call that the MPI library always runs. `call`: its arguments, as those of the blocking
  // collective; `request`: the request that it returned, or MPI_REQUEST_NULL.
  void enter(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t now);
  void leave(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t began, MPI_Request request);

  // Counts the start of a collective that the MPI library always runs, without its time.
  void count_start(const OpenCollective& collective);

  Record& record() { return record_; }

  // RingEntry::communicator of a communicator.
  std::uint32_t identity_of(CommunicatorState& state) {
    number_of(state);
    return state.counted().identity.load(std::memory_order_relaxed);
  }

  // Reads the communicator's name again. Called before the communicator is freed and at the end of the run, because programs may
  // set the name late.
  void read_name(CommunicatorState& state);
  void forget(CommunicatorState& state);  // it is freed

  // The program has made a communicator. Watchers need to know in which order.
  static void see_made(MPI_Comm communicator) noexcept;

  // The program calls a collective after MPI_Finalize. The MPI library will end it.
  static void see_stray(Function function) noexcept;

  // Call it in MPI_Finalize, also if nothing is counted. A report is written, if one is asked for.
  static void end();

  bool checks() const { return checks_ != nullptr; }  // do ranks compare their calls?

 private:
  Counting(const RecordOptions& options, std::string folder)
      : record_(options), folder_(std::move(folder)), traffic_(record_.traffic()) {}
  static Counting* make();

  int number_of(CommunicatorState& state, bool is_just_made = false);
  void open(CommunicatorState& state, bool is_just_made);
  static int nodes_that_compare(CommunicatorState& state, bool has_identity);
  void check(CommunicatorState& state, const RingEntry& noted, const MpiCall& call) noexcept;
  RingEntry* note(CommunicatorState& state, Function function, const MpiCall& call, std::uint64_t now) noexcept;
  CountedCommunicator::Entry& entry(CommunicatorState& state, Function function, Bytes block_bytes);
  const SeenCall* observe(CommunicatorState& state, Function function, const MpiCall& call, CallOutcome& outcome);
  void count(CommunicatorState& state, const MpiCall& call, const CallOutcome& outcome, std::uint64_t ended, std::uint64_t took);
  void describe(Site& site, Counters& counters);
  PassedCalls& reason(Counters& counters, std::string_view why);
  PassedCalls& reason(CountedCommunicator::Entry& entry, std::string_view why);
  Bytes sent(const KnownCommunicator& communicator, const MpiCall& call, const CallOutcome& outcome, std::uint64_t* traffic);
  Bytes send_to(const KnownCommunicator& communicator, Rank to, Bytes bytes, std::uint64_t* traffic);

  Record record_;
  const std::string folder_;
  std::uint64_t* const traffic_;
  std::mutex mutex_;                                               // guards the making of communicators and entries
  std::unordered_map<std::uint64_t, std::uint32_t> with_members_;  // communicators by the hash of their members
  std::unique_ptr<CallChecks> checks_;                             // if ranks compare their calls
};

}  // namespace quadrille::mpi_face
