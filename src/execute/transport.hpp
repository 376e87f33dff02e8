// SPDX-License-Identifier: BSD-3-Clause
// The interface between plans and the mechanisms that execute them. A Transport turns a rank's compiled program (a Script) into an
// Executable. Each Communicator has its own Transport, which also offers the other transports of the group: one for each executor
// (executors.hpp). Internal to the library.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/result.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

struct Edges;   // what one rank sends and receives in an exchange
struct Script;  // one rank's compiled program
class Starts;   // the order in which plans are started

// The arguments of an execution: the buffers of a collective, or the edges of an exchange. The caller must keep what they refer to
// until the execution is complete.
struct Arguments {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  const Operator* operation = nullptr;  // if the plan's operator forwards (OperatorSlot): the operator of this execution
  const Edges* edges = nullptr;         // for an exchange by edges (exchanger.hpp), which has no buffers
  Bytes block_bytes = 0;                // of an elastic plan (Script::capacity): the size of this execution's blocks; else 0
};

// A collective made ready on one rank: a script with its messages (script/run.hpp), an exchange by edges
// (executions/exchanger.hpp), or a call of an MPI collective. It runs one execution at a time; executions/execution.hpp queues
// further executions.
class Executable {
 public:
  virtual ~Executable() = default;

  // Returns when the execution is complete. `phases`, if not null, receives the time of each phase; this makes the execution
  // slightly slower.
  virtual void execute(const Arguments& arguments, Phases* phases = nullptr) = 0;

  // `execute` without blocking: call `begin`, then either `finish`, which waits, or `advance` until it returns true. `advance`
  // never waits. If a call throws, the execution is over. If runs_in_parts() is false, `begin` runs the whole execution and waits
  // for other ranks.
  virtual bool runs_in_parts() const { return false; }
  virtual void begin(const Arguments& arguments) { execute(arguments); }
  virtual bool advance() { return true; }
  virtual void finish() {}

  // Is this a collective of the MPI library? MPI requires the same order of calls on all ranks. So its executions begin in the
  // order in which they are started, even while earlier executions are in flight; `advance` and `finish` refer to the oldest
  // execution in flight. MPI does not match a blocking collective with a nonblocking one. So a blocking execution always calls
  // `execute`, never `begin` and `finish`.
  virtual bool is_vendors() const { return false; }

  // Ends the executions in flight without waiting. Afterwards no rank reads or writes this rank's buffers. The exception is a
  // collective of the MPI library, which MPI cannot cancel. Ranks that share memory with this rank and wait for it throw `why`.
  virtual void abandon(const Error& /*why*/) noexcept {}

  // How many bytes this object holds at this rank between two executions.
  virtual Bytes memory_bytes() const { return 0; }

 protected:
  // For exception handlers: calls `abandon` with the exception as the reason. `code` is the code for exceptions other than Error.
  void abandon_because_of_exception(ErrorCode code) noexcept {
    try {
      throw;
    } catch (const Error& error) {
      abandon(error);
    } catch (const std::exception& error) {
      abandon(Error(code, error.what()));
    } catch (...) {
      abandon(Error(code, "an operator has thrown an exception"));
    }
  }
};

template <class... Values>
Bytes memory_bytes_of(const std::vector<Values>&... vectors) {
  return (Bytes{0} + ... + static_cast<Bytes>(vectors.capacity() * sizeof(Values)));
}

// The result of the local half of `prepare`: words for the other ranks. To save an all_gather, the caller sends these words with
// the all_gather of its own data. Then it calls `complete` with the words of all ranks.
class Offer {
 public:
  using Words = std::array<std::uint64_t, 8>;
  virtual ~Offer() = default;
  const Words& words() const { return words_; }  // at least one word is not 0

  // Collective; call it once, with the words of all ranks. Throws on all ranks or on none.
  virtual std::unique_ptr<Executable> complete(const std::vector<Words>& all) = 0;

 protected:
  Words words_{};
};

// Collective: makes a plan whose options name no algorithm.
using PlanChooser = Plan(Communicator& communicator, const Problem& problem, const PlanOptions& options);

class Transport {
 public:
  virtual ~Transport() = default;

  // Returns a Communicator of the same ranks that keeps this transport alive. Plans own this Communicator. They may outlive the
  // user's Communicator, and this transport prepares them again if they have been evicted from memory.
  virtual std::shared_ptr<Communicator> kept() = 0;

  // Collective: copies `count` bytes of rank `from` to `data` at all other ranks.
  virtual void broadcast(void* data, Bytes count, Rank from) = 0;

  // The number of cores on which the ranks of this rank's node may run.
  virtual Count cores() const = 0;

  // The executor of the plans that this transport runs.
  virtual Executor executor() const = 0;

  // Returns the transports of the group, one for each executor that the ranks can use, the preferred one first. All ranks get the
  // same executors. This transport is one of them, and owns the others.
  virtual std::vector<Transport*> offered() { return {this}; }

  // Returns the reason why none of the offered transports uses shared memory.
  virtual std::string no_sharing() const { return "this kind of communicator offers no shared memory"; }

  // Makes a script executable. Collective. Throws on all ranks or on none.
  virtual std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) = 0;

  // Does the first, local half of `prepare`; Offer::complete does the second. Throws std::bad_alloc. Returns null on all ranks if
  // `prepare` of this transport is not divided into halves.
  virtual std::unique_ptr<Offer> offer(const std::shared_ptr<const Script>& /*script*/) { return nullptr; }

  // Collective. Makes exchanges by edges (exchanger.hpp), whose executions take Arguments::edges. Throws on all ranks or on none.
  virtual std::unique_ptr<Executable> prepare_exchange() = 0;

  // Can a message be a list of strided regions? If not, scripts pack such messages into staging memory.
  virtual bool moves_strided_messages() const { return false; }

  // Returns a limit for messages to or from `peer`. When the transport posts a message of up to this many bytes, it copies the
  // message out of the sender's memory, before it writes to the target of any receive of the same window. So such messages may be
  // strided, and their memory may be overwritten right after posting. -1: the transport copies no messages in this way.
  virtual Bytes buffered_message_bytes(Rank /*peer*/) const { return -1; }

  // Can the transport combine received bytes with the target directly? If so, a receive and the reduction after it are fused into
  // one step.
  virtual bool fuses_reductions() const { return false; }

  // Local. Returns the MPI library's own collective for the problem, or the reason why there is none. `operation` must not be null
  // in a reduction. `algorithm` is one of vendor_algorithms; if it is empty, the library chooses. The result is a function that
  // prepares the MPI collective. All ranks call this function together; it throws on all ranks or on none, and may be called
  // after the transport was destroyed.
  using Vendor = std::function<std::unique_ptr<Executable>()>;
  virtual Result<Vendor> vendor(const Problem& /*problem*/, const std::shared_ptr<const Operator>& /*operation*/,
                                const std::string& /*algorithm*/) {
    return cannot("vendor needs an MPI library, and these ranks run without one");
  }

  // Local. Returns the algorithms of the MPI library that `vendor` can force for the problem (at least one), or a reason.
  virtual Result<std::vector<std::string>> vendor_algorithms(const Problem& /*problem*/) {
    return cannot("these ranks run without an MPI library, so none of its algorithms can be used");
  }

  // Returns the record of the plans for `executor` and of their starts. The record keeps alive everything that a plan of this group
  // uses. Plans call this on the communicator's own transport, which must have a record; other transports return null.
  virtual std::shared_ptr<Starts> starts(Executor /*executor*/) { return nullptr; }

  // Makes the plans of this communicator whose options name no algorithm; null if it makes no such plans. The functions that make
  // groups set it (groups/groups.cpp).
  PlanChooser* chooser = nullptr;
};

}  // namespace quadrille
