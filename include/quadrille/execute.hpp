// SPDX-License-Identifier: BSD-3-Clause
// Running schedules on real data. A Communicator is one rank's end of a group of ranks: threads of this process, or the
// ranks of an MPI communicator. A Plan is a schedule made ready for such a group; executing it allocates nothing of ours, but
// where counts=headers has the program made anew in each execution, or the plan has given its memory back (see Plan).
//
//   run_threads(4, [](Communicator& communicator) {
//     Plan alltoall_plan = plan(communicator, Problem::alltoall(4, sizeof(int)), {.algorithm = "bruck:radix=2"});
//     alltoall_plan.execute(input, output);
//   });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/layout.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/request.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Calls;      // the plans behind calls without a plan; internal
class Transport;  // how the ranks of a group execute schedules; internal
class Execution;  // of a plan; internal

// Where the time of one execution went on one rank, in seconds: local work and packing before messages leave, waiting for messages
// and moving them, unpacking what has come. (In the irregular exchange's papers: distribute, communicate, collect.)
struct Phases {
  double distribute_s = 0, communicate_s = 0, collect_s = 0;
};

// How messages become copies.
enum class Executor : std::uint8_t {
  automatic,  // by shared memory between ranks that share it, else by messages
  messages,   // by the transport's own messages, if it has any
  shared,     // by shared memory
  hybrid,     // by shared memory within a node, by messages between nodes
};

std::string_view name(Executor executor);

// How much is done to choose an algorithm where none is named. What was measured before on this machine (wisdom.hpp) comes first
// with each of them.
enum class Effort : std::uint8_t {
  estimate,  // by price; microseconds, and no communication beyond the plan's own agreement
  // A few candidates, those of the lowest price, race briefly when the plan is made. Nothing races where the operator is not built
  // in, where each rank knows only its own counts, or where a node has no room for a few times its ranks' buffers.
  measure,
  exhaustive,   // as measure, with all candidates that have a price
  wisdom_only,  // nothing else; where nothing was measured before, the plan is refused
};

std::string_view name(Effort effort);

struct Decision;  // decision.hpp

// One rank's end of a group. The members that are said to be collective are called by all ranks of the group in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Rank rank() const = 0;
  virtual Count size() const = 0;
  virtual std::string_view transport_name() const = 0;  // "threads", "shared", "openmpi", "mpich"

  // The node of each rank, numbered in the order of their first ranks: ranks of one node share memory. Found out once, and kept.
  virtual const std::vector<Count>& nodes() const = 0;

  // Collective. Returns when all ranks have called it.
  virtual void barrier() = 0;

  // Collective. Gathers `count` bytes of every rank, in rank order, at all ranks.
  virtual void all_gather(const void* mine, void* all, Bytes count) = 0;

  // Memory that the other ranks can read, where they share any: what lies there is copied once, however long. Throws
  // std::bad_alloc.
  virtual std::shared_ptr<std::byte> allocate(Bytes bytes) = 0;

  // Ends the whole group at once, for a rank that cannot go on.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  // For the library itself (src/execute/transport.hpp). It lives as long as this object.
  virtual Transport& transport() = 0;

  // For the library itself (src/plan/calls.hpp): the plans behind the calls of collectives.hpp. Local.
  Calls& calls() { return calls_ ? *calls_ : make_calls(); }

 protected:
  // Where several Communicators are one group, all of them share what the first has made.
  virtual std::shared_ptr<Calls> shared_calls();

 private:
  Calls& make_calls();

  std::shared_ptr<Calls> calls_;
};

struct PlanOptions {
  // What runs: "auto", a text that parse_candidate reads for the problem, such as "bruck:radix=2", or what it has read. With "auto"
  // the plan chooses, also the policy and the executor; where `executor` is not automatic, it chooses among what that runs.
  std::variant<std::string, Candidate> algorithm = "auto";
  Effort effort = Effort::estimate;  // of choosing
  Policy policy = Policy::blocking;
  Executor executor = Executor::automatic;
  int buffers = 2;                              // dataflow: rounds whose staged messages may be under way together (1 or 2)
  std::shared_ptr<const Operator> operation{};  // reductions need one (operator.hpp)
  Layouts layouts{};                            // this rank's own; ranks may differ (layout.hpp)
  // Input and output lie in one buffer, as `layouts` say or, where they are empty, as MPI_IN_PLACE does; execute_in_place runs it.
  bool in_place = false;
  // The ranks of a node keep step: what they exchange with other nodes, they exchange round by round, so that a node never has more
  // of it at a time than a round of the schedule gives it (one exchange, say, for a node with one port). Policy blocking; needs
  // memory that the ranks of each node share.
  bool keep_step = false;
  Bytes longest_message = Bytes{1} << 30;  // MPI: longer messages are cut, since its counts end at 2^31 - 1
};

// Ready to run, again and again. It keeps alive what it needs of the communicator it was made for, so the two may be destroyed in
// any order. All ranks start the plans of a communicator in the same order; where ranks that share memory do not, and wait for each
// other in vain, all that wait throw the same Error{misuse}, which names the two calls.
//
// The plans of a process take at most 64 MiB, over all its communicators; the environment variable QUADRILLE_PLAN_MEMORY (16MiB,
// say) gives another bound. When a plan is made for which so much is not left at every rank, those of the same communicator that
// were executed least recently give their memory back. The plan made last keeps its own, and 1/64 of the bound is left to each
// communicator in any case. Where ranks are threads of one process, the bound is for each communicator.
//
// The next execution of a plan that gave its memory back is slower: it makes the plan ready again, waits for all ranks to do so,
// allocates memory, and may throw Error{too_large}, on all ranks; it can then be tried again. While executions in parts are in
// flight, plans used since the first of them began keep their memory. The vendor's collectives and the user's own buffers do not
// count.
class Plan {
 public:
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  // Collective. `input` and `output` are the canonical buffers of the problem at this rank, input_bytes(problem, rank) and
  // output_bytes(problem, rank) long, or where the plan's layouts have them; they must not overlap. Returns when this rank's output
  // is complete and its input may be changed. Over MPI it counts as a call of MPI for MPI's thread levels, and while it waits it
  // drives MPI's progress. Throws Error{transport, peer_lost}, and Error{misuse} if the ranks start different plans; the output is
  // then undefined. Throws Error{misuse} before it does anything: for a null pointer instead of a buffer that is not empty, for
  // buffers that overlap, and after MPI_Finalize.
  void execute(const void* input, void* output);

  // As execute, with a look at the clock at each phase. Not for plans made in place.
  Phases execute_timed(const void* input, void* output);

  // For plans made in place: the input is in `buffer`, where it may be overwritten, and so is the output in the end.
  void execute_in_place(void* buffer);

  // As execute and execute_in_place, but they do not wait for other ranks: they return a request, and the buffers are the
  // execution's until that is over. While an execution of this plan is open, later ones queue behind it. What cannot be run in
  // parts (alltoallv with counts=headers, and an MPI library's algorithm that was named) is run at once, after all that is open;
  // and a plan that gave its memory back first waits for all ranks, as in `execute`.
  Request start(const void* input, void* output);
  Request start_in_place(void* buffer);

  const std::string& algorithm() const { return algorithm_; }   // with all parameters
  Executor executor() const { return executor_; }               // messages, shared or hybrid
  const Decision* decision() const { return decision_.get(); }  // why it is this algorithm; null where one was named
  Bytes scratch_bytes() const { return scratch_bytes_; }  // of the schedule, at this rank; with counts=headers not known before
  Bytes staging_bytes() const { return staging_bytes_; }  // of the executor, at this rank

 private:
  friend struct Draft;  // for the library: what a plan is made of (src/plan/plan.cpp)
  friend const std::shared_ptr<Execution>& shared_execution_of(Plan&);  // for the library (src/execute/execution.hpp)
  Plan();

  void check_apart(const void* input, const void* output) const;
  void check_in_place(const void* buffer) const;

  std::shared_ptr<Execution> execution_;  // requests keep it, too
  std::string algorithm_;
  std::shared_ptr<const Decision> decision_;
  std::pair<Bytes, Bytes> input_extent_, output_extent_;
  bool in_place_ = false;
  Executor executor_ = Executor::messages;
  Bytes scratch_bytes_ = 0, staging_bytes_ = 0;
};

// Collective: all ranks must ask for the same problem, algorithm and policy, and it is checked that they do. Where the problem
// names no nodes, they are those of the communicator.
// Throws Error{misuse} on every rank if they differ, if the algorithm does not apply, or if the problem's number of ranks
// is not the communicator's; Error{environment} if memory is to be shared and cannot be.
Plan plan(Communicator& communicator, const Problem& problem, const PlanOptions& options = {});

// Collective: runs a schedule that anybody has made: read from a document (document.hpp), generated, or built by hand. It takes the
// place of the problem and of PlanOptions::algorithm. A rank compiles its own program; all ranks must hand over the same schedule.
//
// Rank 0 verifies it, as `verify` (verify.hpp) does by default, and compares the program that it has for each rank with the hash of
// the rank's own. Programs are compared by exact value: the same bytes in other regions are another program. Where the schedule
// states a symmetry, nobody makes all programs; each rank compares its own with the image of its representative's. Each process
// remembers what was verified (the last 4,096 programs of its ranks), so another plan of the schedule is not verified again.
//
// Throws, on every rank, Error{misuse} with the first findings if the schedule is wrong, or with where they differ if the schedules
// do; Error{too_large} if it is too large to be verified; else as above.
Plan plan(Communicator& communicator, const Schedule& schedule, const PlanOptions& options = {});

// Collective: the problem of an alltoallv in which each rank knows no more than `row`, the bytes that it sends to each rank.
// Gathers the rows of all, once; keep the problem, or the plan, for as long as the counts stay the same. Throws Error{misuse} on
// all ranks if a row has not one count for each rank or a count is negative, Error{too_large} like `check`.
Problem alltoallv_of_rows(Communicator& communicator, const std::vector<Bytes>& row);

// Runs `body` once for each of `ranks` threads and waits for them. If a rank throws, the others stop waiting for it
// (their calls throw Error{peer_lost}) and the first exception is thrown here.
void run_threads(Count ranks, const std::function<void(Communicator&)>& body);

}  // namespace quadrille
