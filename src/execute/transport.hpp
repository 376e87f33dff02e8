// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a group execute scripts. Each Communicator has a Transport; only the library uses it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "execute/executable.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

struct Script;  // one rank's program, compiled
class Mail;     // messages of lengths that the receiver does not know
class Starts;   // the order in which plans are started

// The local half of `prepare`: what this rank tells the others, and what it does with what they tell. It saves a gather, as the
// ranks exchange the words with something else.
class Offer {
 public:
  using Words = std::array<std::uint64_t, 8>;
  virtual ~Offer() = default;
  const Words& words() const { return words_; }

  // Collective, once; with the words of all ranks. Throws on all ranks or on none.
  virtual std::unique_ptr<Executable> complete(const std::vector<Words>& all) = 0;

 protected:
  Words words_{};
};

class Transport {
 public:
  virtual ~Transport() = default;

  // The whole group with its transports, which this keeps alive: evicted plans are made ready again by it, and plans may outlive
  // the user's Communicator.
  virtual std::shared_ptr<Communicator> kept() = 0;

  // How messages become copies: messages, shared or hybrid.
  virtual Executor executor() const = 0;

  // Collective. Throws on all ranks or on none.
  virtual std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) = 0;

  // Its words are not all 0. Throws std::bad_alloc. Null on all ranks where `prepare` has no local half.
  virtual std::unique_ptr<Offer> offer(const std::shared_ptr<const Script>& /*script*/) { return nullptr; }

  // Collective. For executions in which lengths are found out on the way.
  virtual std::unique_ptr<Mail> mail() = 0;

  // Can a message be a list of strided regions? If not, scripts stage such messages.
  virtual bool moves_strided_messages() const { return false; }

  // Messages of up to so many bytes, to or from `peer`, may have any regions, and have left them by the time that they are posted;
  // -1: there are none.
  virtual Bytes buffered_message_bytes(Rank /*peer*/) const { return -1; }

  // Can it combine what it receives with what is there? Then a reduction that follows a receive need not be a step of its own.
  virtual bool fuses_reductions() const { return false; }

  // The transport's own collective, or the reason why there is none; local. Reductions have an operation. `algorithm` is one of
  // vendor_algorithms, or empty: then the library chooses. What it returns makes the collective ready: collective, throws on all
  // ranks or on none. The transport need not live until then.
  using Vendor = std::function<std::unique_ptr<Executable>()>;
  virtual Result<Vendor> vendor(const Problem& /*problem*/, const std::shared_ptr<const Operator>& /*operation*/,
                                const std::string& /*algorithm*/) {
    return cannot("ranks that share memory have no collectives of their own; it needs an MPI library");
  }

  // The names of the algorithms for the problem that the transport's own collective can be made to take, at least one; local.
  virtual Result<std::vector<std::string>> vendor_algorithms(const Problem& /*problem*/) {
    return cannot("there is no MPI library here, whose algorithms they would be");
  }

  // The transport that uses shared memory: among all ranks (`shared`) or within each node (`hybrid`). It may be this one itself
  // and lives as long as this one does. On all ranks there is one, or on none; then no two ranks share any memory.
  virtual Result<Transport*> over_shared_memory() { return cannot("there is no memory that they could share"); }

  // Where plans that run by `executor` are listed, and each of their executions. What it returns keeps alive all that a plan of
  // this group uses. Plans are made by a communicator's own transport, which must have it; null: only another transport uses this.
  virtual std::shared_ptr<Starts> starts(Executor /*executor*/) { return nullptr; }
};

}  // namespace quadrille
