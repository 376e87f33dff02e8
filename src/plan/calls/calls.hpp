// SPDX-License-Identifier: BSD-3-Clause
// What a group keeps for calls to which the program passes no plan (collectives.hpp): the plans that these calls run, and the
// exchange for calls that need no plan (irregular_call.cpp). Every rank of a group has its own list of plans.
//
// A plan is found by a key that is equal on all ranks if the call is correct: the key contains no addresses, and no counts that
// only one rank knows. So either all ranks find the plan of a call, or none does. When the list is full, the least recently used
// plan is dropped. Calls are numbered, and each plan has the number of its last call, so all ranks drop the same plan. The memory
// of all plans together has a limit of its own (plan_memory.hpp).
//
// Calls of a second size of the same class (plan/capacity.hpp) make an elastic plan, if their algorithm is homogeneous. It then
// runs the calls of all sizes of the class that have no plan of their own.
//
// If a user's function reduces, the plan does not store the function. The plan's operator forwards to the function
// of the current execution (execution.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "execute/executions/exchanger.hpp"
#include "foundation/lookup.hpp"
#include "plan/calls/irregular_blocks.hpp"
#include "plan/calls/neighbors.hpp"
#include "quadrille/call.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// The algorithm for the plan of a call. Throws Error{misuse} if the call names an algorithm and a family.
std::variant<std::string, Candidate> algorithm_of(const CallOptions& options);

// Does a call with counts run as an exchange by edges? It does unless `options` names an algorithm, a family, a policy or an
// executor.
bool needs_no_plan(const CallOptions& options);

// The key by which a call's plan is found. It owns nothing.
struct CallKey {
  Collective collective;
  bool in_place;
  Bytes block_bytes;
  Rank root;
  Bytes element_bytes;            // 1 unless the collective combines elements
  const CallOperator* operation;  // for reductions
  const CallOptions* options;
  const Problem* problem;  // set if the fields above do not describe the problem fully, otherwise null
};

class Calls {
 public:
  static constexpr std::size_t most_plans = 256;

  Calls();
  ~Calls();

  // This function and those below are collective unless their comments say otherwise.
  void execute(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
  Request start(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);

  // As above, for untyped memory. `operation` is null unless the collective is a reduction.
  void execute(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
               const CallOptions& options);
  Request start(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
                const CallOptions& options);

  // A typed call that was checked and compared. In place, `input` is not used. A request runs `last_step` when its execution is
  // complete.
  void execute(Communicator& ranks, const CallKey& key, const void* input, void* output) {
    execute_with(ranks, key, input, output, true);
  }
  Request start(Communicator& ranks, const CallKey& key, const void* input, void* output,
                std::function<void()> last_step = nullptr) {
    return start_with(ranks, key, input, output, true, std::move(last_step));
  }

  // Collective at the first call.
  const std::shared_ptr<Exchanger>& exchanger(Communicator& ranks) {
    if (!exchanger_) [[unlikely]]
      exchanger_ = Exchanger::of(ranks);
    return exchanger_;
  }

  // The exchange, for a call that needs no plan. Collective if the ranks compare their calls, and at the first call of the group.
  // `check` as in `compare`.
  template <class Check>
  const std::shared_ptr<Exchanger>& exchanger_for(Communicator& ranks, bool asked, std::string_view call, Check&& check) {
    compare(ranks, asked, call, check);
    return exchanger(ranks);
  }

  // Do the ranks compare their calls before they run them? They do if any rank asks for it or has QUADRILLE_CHECK=1.
  bool compares(Communicator& ranks, bool asked) {
    return comparing_ != Comparing::no && (comparing_ == Comparing::yes || find_out_whether_to_compare(ranks, asked));
  }

  // Calls `check`, which throws if this rank's call is wrong. If compares(), all ranks throw if `check` throws on any rank, and
  // all throw Error{misuse} if their calls differ.
  template <class Check>
  void compare(Communicator& ranks, bool asked, const CallKey& key, Check&& check) {
    if (!compares(ranks, asked)) return check();
    compare_with_all(ranks, [&] {
      check();
      return fields_of(key);
    });
  }
  // As above, for a call that is described by its name alone.
  template <class Check>
  void compare(Communicator& ranks, bool asked, std::string_view call, Check&& check) {
    if (!compares(ranks, asked)) return check();
    compare_with_all(ranks, [&] {
      check();
      return fields_of(call);
    });
  }

  // Memory of blocking calls with counts. It is kept: once it is large enough, these calls allocate nothing.
  IrregularEdges edges;
  NeighborEdges neighbor_edges;
  KnownCounts known_counts;
  PackedOutput packed_output;

  std::size_t size() const { return plans_.values().size(); }

 private:
  struct Entry;
  enum class Comparing : std::uint8_t { unknown, no, yes };

  bool find_out_whether_to_compare(Communicator& ranks, bool asked);
  // Names and values of everything that must be equal on all ranks; a zero ends each name and each value.
  static std::string fields_of(const CallKey& key);
  static std::string fields_of(std::string_view call);
  static void compare_with_all(Communicator& ranks, const std::function<std::string()>& fields);
  CallKey checked_key(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
  CallKey checked_key(Communicator& ranks, const Problem& problem, const CallOperator* operation, const CallOptions& options);

  // Collective if the plan has to be made, otherwise local.
  Entry& entry_for(Communicator& ranks, const CallKey& key);
  Entry& make(Communicator& ranks, const CallKey& key);
  void execute_with(Communicator& ranks, const CallKey& key, const void* input, void* output, bool is_typed_call);
  Request start_with(Communicator& ranks, const CallKey& key, const void* input, void* output, bool is_typed_call,
                     std::function<void()> last_step = nullptr);

  HashTable<Entry> plans_;
  Entry* recent_ = nullptr;  // the entry of the last call
  std::uint64_t calls_ = 0;
  Comparing comparing_ = Comparing::unknown;
  std::shared_ptr<Exchanger> exchanger_;
};

}  // namespace quadrille
