// SPDX-License-Identifier: BSD-3-Clause
// An exchange by edges: each rank lists its sends and receives, each with the other rank and the memory. No plan is made. Both
// ends of an edge know its length. There may be several edges from one rank to another: the k-th edge that the sender lists
// belongs to the k-th edge that the receiver lists.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "execute/executions/execution.hpp"
#include "execute/transport.hpp"
#include "quadrille/edges.hpp"

namespace quadrille {

// The lists behind an Edges. Edges of 0 bytes are left out: both ends know that no bytes move.
class EdgeLists {
 public:
  void clear() {
    sends_.clear();
    receives_.clear();
  }
  void send(Rank to, const std::byte* memory, Bytes bytes) {
    if (bytes != 0) sends_.push_back({to, memory, bytes});
  }
  void receive(Rank from, std::byte* memory, Bytes bytes) {
    if (bytes != 0) receives_.push_back({from, memory, bytes});
  }
  // For edges in the order of ranks: moves the edges with ranks above `rank` to the front, so that not all ranks begin with the
  // same rank.
  void begin_after(Rank rank) {
    rotate(sends_, [rank](const Edges::Send& edge) { return edge.to > rank; });
    rotate(receives_, [rank](const Edges::Receive& edge) { return edge.from > rank; });
  }
  Edges edges(bool may_pack = true) const { return {sends_, receives_, may_pack}; }

 private:
  template <class Edge, class IsHigher>
  static void rotate(std::vector<Edge>& edges, IsHigher&& is_higher) {
    if (edges.size() < 2) return;
    const auto first = std::find_if(edges.begin(), edges.end(), is_higher);
    if (first != edges.begin() && first != edges.end()) std::rotate(edges.begin(), first, edges.end());
  }

  std::vector<Edges::Send> sends_;
  std::vector<Edges::Receive> receives_;
};

// The exchanges of one group. All ranks start exchanges and plans of the group in one order. A rank waits only for the ranks at
// the other ends of its edges.
//
// Received memory must not overlap any other memory of the exchange, except that an edge from a rank to itself may have the same
// memory at both ends. If the two ends of an edge name different lengths, the receiver throws Error{misuse} when all other edges
// are complete. A receive that is shorter than its message has got nothing by then; a longer one has got the whole message. The
// next exchange may follow. If only the receiver lists an edge, the receiver throws. If only the sender lists it, the receiver
// throws in its next exchange with that sender, and a sender that lends its memory throws as well. In both cases messages of
// later exchanges between the two ranks may be lost. Throws the errors of Plan::execute if the group has failed.
class Exchanger {
 public:
  // Collective, by the group's preferred transport. Throws on all ranks or on none. The communicator may be destroyed before the
  // result.
  static std::unique_ptr<Exchanger> of(Communicator& ranks);

  // Throws Error{misuse} if an edge names a rank that is not in a group of `ranks` ranks, has a negative length, or has bytes but
  // no memory. The other functions do not check edges.
  static void check(const Edges& edges, Count ranks);

  // Returns when this rank's receives are complete and the memory of its sends may be written.
  void execute(const Edges& edges) { execution_->execute({.edges = &edges}); }

  // Does not wait. `edges` and what it refers to must stay until the request is complete, unless `kept` holds it. `last_step` is
  // Started::last_step.
  Request start(const Edges& edges, std::shared_ptr<const void> kept = nullptr, std::function<void()> last_step = nullptr) {
    return quadrille::start(execution_, {.edges = &edges}, std::move(kept), std::move(last_step));
  }

 private:
  explicit Exchanger(std::shared_ptr<Execution> execution) : execution_(std::move(execution)) {}

  const std::shared_ptr<Execution> execution_;
};

// The base of executables of exchanges by edges. If an execution fails, the executable ends and reports the error to the other
// ranks.
class EdgesExecutable : public Executable {
 public:
  void execute(const Arguments& arguments, Phases*) final {
    if (is_broken_) throw_lost();
    try {
      start(*arguments.edges);
      complete();
    } catch (...) {
      give_up();
      throw;
    }
    end();
  }
  bool runs_in_parts() const final { return true; }
  void begin(const Arguments& arguments) final {
    if (is_broken_) throw_lost();
    try {
      start(*arguments.edges);
    } catch (...) {
      give_up();
      throw;
    }
  }
  bool advance() final {
    try {
      if (!proceed()) return false;
    } catch (...) {
      give_up();
      throw;
    }
    end();
    return true;
  }
  void finish() final {
    try {
      complete();
    } catch (...) {
      give_up();
      throw;
    }
    end();
  }
  void abandon(const Error& why) noexcept final {
    is_broken_ = true;
    withdraw(why);
  }

 protected:
  virtual void start(const Edges& edges) = 0;
  virtual bool proceed() = 0;                            // does not wait; returns whether all edges are complete
  virtual void complete() = 0;                           // waits until all edges are complete
  virtual void end() = 0;                                // may throw Error{misuse}, after which the ranks may go on
  virtual void withdraw(const Error& why) noexcept = 0;  // fails the ranks that wait for this one; tells them `why`
  [[noreturn]] virtual void throw_lost() const = 0;

 private:
  void give_up() noexcept { abandon_because_of_exception(ErrorCode::environment); }

  bool is_broken_ = false;
};

}  // namespace quadrille
