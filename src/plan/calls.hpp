// SPDX-License-Identifier: BSD-3-Clause
// The plans behind calls without a plan (collectives.hpp). Each group of ranks has one at each rank.
//
// What finds a plan is equal on all ranks of a correct call: no addresses, and no counts of one rank. So a call finds its plan on
// all ranks or on none. The plan that goes is the one whose last call is the longest ago, counted in calls, so that it is the same
// everywhere; a plan's memory is bounded for all plans together (plan_memory.hpp).
//
// Reductions by a function keep no function: the plan's operator forwards to that of each execution (operator_slot.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "quadrille/call.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// What finds the plan of a call. Nothing is owned.
struct CallKey {
  Collective collective;
  bool in_place;
  Bytes block_bytes;
  Rank root;
  Bytes element_bytes;            // 1 where nothing is combined
  const CallOperator* operation;  // of reductions
  const CallOptions* options;
  const Problem* problem;  // where the fields above are not all of it, else null
};

class Calls {
 public:
  static constexpr std::size_t most_plans = 256;

  Calls();
  ~Calls();

  // Collective.
  void execute(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
  Request start(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);

  // The same on untyped memory. `operation` is null but for reductions.
  void execute(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
               const CallOptions& options);
  Request start(Communicator& ranks, const Problem& problem, const void* input, void* output, const CallOperator* operation,
                const CallOptions& options);

  // Collective: before a call, where some rank asks for it or QUADRILLE_CHECK=1 is set. `check` throws for what is wrong at this
  // rank; then all ranks throw. All throw Error{misuse} as well if the calls differ.
  template <class Check>
  void compare(Communicator& ranks, bool asked, const CallKey& key, Check&& check) {
    if (comparing_ == Comparing::no) [[likely]]
      return check();
    if (compares(ranks, asked)) return compare_with_all(ranks, key, check);
    check();
  }

  std::size_t size() const { return plans_.size(); }

 private:
  struct Entry;
  enum class Comparing : std::uint8_t { unknown, no, yes };

  bool compares(Communicator& ranks, bool asked);
  static void compare_with_all(Communicator& ranks, const CallKey& key, const std::function<void()>& check);
  CallKey checked_key(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
  CallKey checked_key(Communicator& ranks, const Problem& problem, const CallOperator* operation, const CallOptions& options);

  // Collective where the plan has to be made.
  Entry& entry_for(Communicator& ranks, const CallKey& key);
  Entry& make(Communicator& ranks, const CallKey& key, std::uint64_t hash);
  void execute_with(Communicator& ranks, const CallKey& key, const void* input, void* output);
  Request start_with(Communicator& ranks, const CallKey& key, const void* input, void* output);

  std::unordered_multimap<std::uint64_t, std::unique_ptr<Entry>> plans_;
  Entry* recent_ = nullptr;  // of the last call
  std::uint64_t calls_ = 0;
  Comparing comparing_ = Comparing::unknown;
};

}  // namespace quadrille
