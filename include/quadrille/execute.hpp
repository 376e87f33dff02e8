// SPDX-License-Identifier: BSD-3-Clause
// Running schedules on real data. A Communicator is one rank's handle for a group of ranks: threads of this process, processes of
// `quadrille run`, or the ranks of an MPI communicator. A Plan is a schedule made ready for such a group. Executing a plan
// allocates no memory in this library, unless the plan has given its memory back (see Plan) and allocates it again.
//
//   run_threads(4, [](Communicator& communicator) {
//     Plan alltoall_plan = plan(communicator, Problem::alltoall(4, sizeof(int)), {.algorithm = "bruck:radix=2"});
//     alltoall_plan.execute(input, output);
//   });
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/request.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// ---- Layouts
//
// A layout says where a canonical buffer lies in the user's memory. Schedules address canonical buffers, which have no gaps. A plan
// with a layout works directly on the user's memory, with any gaps and any order, and does not pack it first.
//
//   // alltoallv with MPI's arguments: block i has counts[i] bytes at displacements[i]
//   plan(communicator, problem, {.algorithm = "shift", .layouts = {.output = layout(counts, displacements)}});

// A part of a buffer that is contiguous in the user's memory: `length` bytes that begin at the address passed to execute plus
// `offset`. In the canonical buffer the pieces follow each other.
struct LayoutPiece {
  Bytes offset = 0;
  Bytes length = 0;
  bool operator==(const LayoutPiece&) const = default;
};

// The pieces of the canonical buffer, in its order. Empty: the user's buffer is itself canonical. Pieces of an input may overlap,
// pieces of an output may not. In a reduction, each piece must hold whole elements.
using Layout = std::vector<LayoutPiece>;

// Makes a layout from MPI's counts and displacements, in elements of `element_bytes` bytes. Throws Error{misuse} if the two lists
// differ in length or a count is negative, Error{too_large} on overflow.
Layout layout(std::span<const Count> counts, std::span<const Count> displacements, Bytes element_bytes = 1);

// `count` blocks of `length` bytes whose beginnings are `stride` bytes apart, such as a column of a matrix. Throws Error{misuse}
// if a count or length is negative, Error{too_large} on overflow.
Layout strided(Count count, Bytes length, Bytes stride);

// Returns the layout with all offsets increased by `distance` bytes. Throws Error{too_large} on overflow.
Layout shifted(Layout layout, Bytes distance);

struct Layouts {
  Layout input{}, output{};
};

// Returns where a rank's input and output lie within one buffer if the call uses MPI_IN_PLACE. alltoall(v): the output replaces the
// input. allgather(v) and gather(v): the rank's own block is already at its place in the result. scatter(v): the root's block stays
// where it is. All others: input and output begin at the same address. Throws Error{misuse} for an alltoallv in which this rank
// sends a different number of bytes to some rank than it receives from that rank.
Layouts in_place_layouts(const Problem& problem, Rank rank);

// ---- Execution

class Calls;      // internal: the plans that typed calls make and keep
class Transport;  // internal: how the ranks of a group execute schedules
class Execution;  // internal: the executions of one plan

// How one rank spent the time of one execution, in seconds. distribute: local copies and packing before messages are sent;
// communicate: moving messages and waiting for them; collect: unpacking what was received. The names are those of [liu2002].
struct Phases {
  double distribute_s = 0, communicate_s = 0, collect_s = 0;
};

// The mechanism that moves the bytes of a plan.
enum class Executor : std::uint8_t {
  automatic,  // the preferred executor of the group: shared if possible, else hybrid, else mpi
  mpi,        // messages of the MPI library; for ranks without an MPI library (threads, `quadrille run`): shared memory
  shared,     // shared memory
  hybrid,     // shared memory within a node, messages of the MPI library between nodes
};

std::string_view name(Executor executor);

// How much work `plan` does to choose an algorithm when the caller names none. With every effort, earlier measurements on this
// machine (wisdom.hpp) decide if there are any.
enum class Effort : std::uint8_t {
  estimate,  // chooses the lowest predicted price; takes microseconds, and communicates no more than when an algorithm is named
  // Runs the few candidates with the lowest prices against each other while the plan is made. Nothing is measured if the operator
  // is not built in, if each rank knows only its own counts, or if a node lacks memory for a few copies of its ranks' buffers.
  measure,
  exhaustive,   // as measure, but with all candidates that have a price
  wisdom_only,  // uses earlier measurements only; refuses the plan if there are none
};

std::string_view name(Effort effort);

struct Decision;  // decision.hpp

// One rank's handle for a group. All ranks of the group call the members marked collective, in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Rank rank() const = 0;
  virtual Count size() const = 0;
  virtual std::string_view transport_name() const = 0;  // "threads", "shared", "openmpi", "mpich"

  // Returns the node of each rank. Ranks of one node share memory. Nodes are numbered in the order of their lowest ranks. The
  // first call finds the nodes; later calls return the same list.
  virtual const std::vector<Count>& nodes() const = 0;

  // Collective. Returns when all ranks have called it.
  virtual void barrier() = 0;

  // Collective. Gathers `count` bytes of every rank, in rank order, at all ranks.
  virtual void all_gather(const void* mine, void* all, Bytes count) = 0;

  // Local. Allocates memory that the other ranks of the node can read directly, so that a long message from it is copied only
  // once. Throws std::bad_alloc.
  virtual std::shared_ptr<std::byte> allocate(Bytes bytes) = 0;

  // Ends this process with the exit code and makes the whole group fail: by MPI_Abort, or in shared memory by errors on all other
  // ranks. A rank calls it when it cannot continue.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  // Internal (src/execute/transport.hpp). Valid as long as this object.
  virtual Transport& transport() = 0;

  // Internal (src/plan/calls/calls.hpp): the plans that the typed calls of collectives.hpp have made. Local.
  Calls& calls() { return calls_ ? *calls_ : make_calls(); }

 protected:
  // Returns the object that keeps the plans of typed calls. If a rank can have several Communicators of one group, they share
  // this object.
  virtual std::shared_ptr<Calls> shared_calls();

 private:
  Calls& make_calls();

  std::shared_ptr<Calls> calls_;
};

// The group of a call or plan: a Communicator, or a pointer to one, such as the std::unique_ptr that `over` returns. It owns
// nothing. A null pointer throws Error{misuse}.
class Group {
 public:
  Group(Communicator& ranks) : ranks_(ranks) {}

  template <class Pointer>
  requires requires(const Pointer& pointer) {
    { *pointer } -> std::convertible_to<Communicator&>;
    {static_cast<bool>(pointer)};
  }
  Group(const Pointer& pointer) : ranks_(pointer ? static_cast<Communicator&>(*pointer) : refuse_null()) {}

  operator Communicator&() const { return ranks_; }
  Communicator* operator->() const { return &ranks_; }

 private:
  [[noreturn]] static Communicator& refuse_null();

  Communicator& ranks_;
};

// One way to solve a problem: what runs, and how. Decisions, races, wisdom and plans use this value to name a way.
struct Way {
  Candidate algorithm;
  Policy policy = Policy::blocking;
  int buffers = 2;                          // as in PlanOptions
  Executor executor = Executor::automatic;  // in wisdom, decisions and results of races: the executor that runs the way
  bool keep_step = false;                   // as in PlanOptions

  bool operator==(const Way&) const = default;

  // True for the MPI library's own collective ("the vendor's").
  bool is_vendor() const { return quadrille::is_vendor(algorithm); }
};

// Returns text such as "bruck:radix=4,... blocking shared". It has the number of buffers if that is not 2, as in "dataflow/1".
std::string to_string(const Way& way);

struct PlanOptions {
  // "auto", a specification such as "bruck:radix=2" (parse_candidate reads it), or a Candidate. With "auto" the plan chooses the
  // algorithm, the policy and, if `executor` is automatic, the executor.
  std::variant<std::string, Candidate> algorithm = "auto";
  Effort effort = Effort::estimate;  // how much work to spend on choosing
  Policy policy = Policy::blocking;
  Executor executor = Executor::automatic;
  int buffers = 2;  // policy dataflow: the number of rounds whose packed messages may be in flight together (1 or 2)
  std::shared_ptr<const Operator> operation{};  // the reduction operator; required for reductions (operator.hpp)
  Layouts layouts{};                            // where this rank's data lies in its buffers; ranks may differ
  // Input and output share one buffer. They lie in it where `layouts` say or, without layouts, as with MPI_IN_PLACE
  // (in_place_layouts). Run such a plan by execute_in_place.
  bool in_place = false;
  // A rank starts a round's messages to and from other nodes only when all such messages of its node in earlier rounds are
  // complete. So the messages in flight between a node and other nodes are all of one round of the schedule (if the schedule is
  // for nodes with one port, a single exchange). Requires policy blocking, and memory that the ranks of each node share.
  bool keep_step = false;
  // Internal: if not 0, and the algorithm is homogeneous, the plan runs blocks of all sizes up to this one (plan/capacity.hpp).
  Bytes capacity = 0;
  Bytes longest_message = Bytes{1} << 30;  // executors mpi, hybrid: longer messages are split, because MPI's counts are 32-bit
};

// Returns the options with the way's algorithm, policy, buffers, executor and keep_step, so that the plan runs this way.
PlanOptions plan_options_of(const Way& way, PlanOptions options = {});

// A collective made ready to run any number of times. A plan keeps alive what it needs of its communicator, so the two may be
// destroyed in either order. All ranks must start the plans of a communicator in the same order. If ranks that share memory start
// them in different orders and then wait for each other, each waiting rank throws the same Error{misuse}, which names both calls.
//
// Memory: all plans of a process together keep at most 64 MiB. The environment variable QUADRILLE_PLAN_MEMORY, such as 16MiB,
// sets another bound. If a new plan would exceed the bound at any rank, the least recently executed plans of the same
// communicator give their memory back. The newest plan always keeps its memory, and each communicator may always use 1/64 of the
// bound. If the ranks are threads of one process, each communicator has its own bound. Memory that the MPI library's collectives
// use and the caller's buffers do not count.
//
// The next execution of a plan that gave its memory back is slower: all ranks make the plan ready again and allocate its memory. It
// may throw Error{too_large}, on all ranks, and can then be tried again. While executions started by `start` are in flight, plans
// used since the first of them began keep their memory.
class Plan {
 public:
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  // Collective. `input` and `output` are this rank's buffers: input_bytes(problem, rank) and output_bytes(problem, rank) long
  // without gaps, or arranged as the plan's layouts say. They must not overlap. Returns when this rank's output is complete and its
  // input may be changed. Over MPI this counts as an MPI call for MPI's thread levels, and it drives MPI's progress while it waits.
  // Throws Error{transport, peer_lost}, or Error{misuse} if the ranks start different plans; the output is then undefined. Throws
  // Error{misuse} without side effects for a null pointer to a buffer of more than 0 bytes, for overlapping buffers, and after
  // MPI_Finalize.
  void execute(const void* input, void* output);

  // As execute, but also measures each phase. Not for plans made in place.
  Phases execute_timed(const void* input, void* output);

  // For plans made in place: reads the input from `buffer`, overwrites it, and leaves the output there.
  void execute_in_place(void* buffer);

  // As execute and execute_in_place, but these functions do not wait for other ranks, and return a request. Do not touch the
  // buffers until the request is complete. If an execution of this plan is in flight, later ones queue behind it. A plan that
  // names an algorithm of the MPI library ("vendor:linear_sync") cannot run in the background: it completes everything in flight
  // and then runs at once. A plan that gave its memory back first waits for all ranks, as in `execute`.
  Request start(const void* input, void* output);
  Request start_in_place(void* buffer);

  const std::string& algorithm() const { return algorithm_; }   // its specification, with all parameters
  Executor executor() const { return executor_; }               // mpi, shared or hybrid
  const Decision* decision() const { return decision_.get(); }  // why this algorithm was chosen; null if the caller named it
  // Memory of this plan at this rank, in bytes: scratch memory of the schedule, and staging memory of the executor. The
  // areas in shared memory through which short messages go are not included.
  Bytes scratch_bytes() const { return scratch_bytes_; }
  Bytes staging_bytes() const { return staging_bytes_; }

 private:
  friend struct Draft;                                                  // internal (src/plan/plan.cpp)
  friend const std::shared_ptr<Execution>& shared_execution_of(Plan&);  // internal (src/execute/executions/execution.hpp)
  Plan();

  bool overlap(const void* input, const void* output, Bytes block_bytes) const;
  void check_apart(const void* input, const void* output, std::string_view function) const;
  void check_in_place(const void* buffer) const;

  std::shared_ptr<Execution> execution_;  // shared with open requests
  std::string algorithm_;
  std::shared_ptr<const Decision> decision_;
  std::pair<Bytes, Bytes> input_extent_, output_extent_;  // of an elastic plan: for blocks of one byte
  Bytes capacity_ = 0;
  bool in_place_ = false;
  Executor executor_ = Executor::mpi;
  Bytes scratch_bytes_ = 0, staging_bytes_ = 0;
};

// Makes a plan. Collective: all ranks must ask for the same problem, algorithm and policy; `plan` compares them. If the problem
// names no nodes, the plan uses the communicator's. Throws, on every rank: Error{misuse} if the ranks ask for different things, if
// the algorithm does not apply, or if the problem has another number of ranks than the communicator; Error{environment} if shared
// memory is asked for and the ranks cannot share any.
Plan plan(Group ranks, const Problem& problem, const PlanOptions& options = {});

// Makes a plan of a schedule from anywhere: read from a document (document.hpp), generated, or built by hand. The schedule replaces
// the problem and PlanOptions::algorithm. Collective: all ranks must pass the same schedule.
//
// Rank 0 verifies the schedule, as `verify` (verify.hpp) does by default, and compares the program of each rank with the hash of
// the program that the rank itself holds. Programs are equal only if their lists of regions are equal: if the same bytes are cut
// into other regions, the program is a different one. If the schedule states a symmetry, no rank makes all programs; each rank
// compares its own program with the image of its representative's program. Each process remembers the last 4,096 programs that
// were verified, so making another plan of the schedule does not verify again.
//
// Throws, on every rank: Error{misuse} with the first findings if the schedule is wrong, or with the first difference if the ranks
// pass different schedules; Error{too_large} if the schedule is too large to be verified; and the errors of the function above.
Plan plan(Group ranks, const Schedule& schedule, const PlanOptions& options = {});

// Returns the problem of an alltoallv from `row`, the bytes that this rank sends to each rank. Collective: gathers the rows of all
// ranks. Keep the problem, or its plan, as long as the counts stay the same. Throws, on all ranks:
// Error{misuse} if a row does not have one count per rank or has a negative count; Error{too_large} as `check` does.
Problem alltoallv_of_rows(Group ranks, const std::vector<Bytes>& row);

}  // namespace quadrille
