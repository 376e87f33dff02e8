// SPDX-License-Identifier: BSD-3-Clause
// The scripts that a thread compiled most recently. Some programs split communicators, use each of them once and free it. They make
// the same plan for each communicator, and compiling the script would take most of the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "foundation/lookup.hpp"
#include "plan/request.hpp"
#include "problem/same_problem.hpp"

namespace quadrille {

// Everything that a script and its request depend on.
struct ScriptKey {
  // Returns nothing for plans whose scripts are not kept. These are plans with keep_step, and irregular collectives, reductions,
  // layouts and plans in place, whose comparison would take long.
  static std::optional<ScriptKey> of(const Problem& problem, const PlanOptions& options, Rank rank, Transport& transport) {
    if (problem.counts || problem.sparse_counts || options.operation || options.in_place || options.keep_step ||
        !options.layouts.input.empty() || !options.layouts.output.empty() || problem.ranks > static_cast<Count>(most_messages))
      return std::nullopt;
    ScriptKey key{problem,
                  options.algorithm,
                  options.policy,
                  options.buffers,
                  options.longest_message,
                  rank,
                  options.executor,
                  transport.executor(),
                  transport.moves_strided_messages(),
                  transport.fuses_reductions(),
                  options.capacity,
                  {}};
    for (Rank peer = 0; peer < problem.ranks; ++peer) key.buffered_bytes.push_back(transport.buffered_message_bytes(peer));
    return key;
  }

  bool operator==(const ScriptKey& other) const {
    const auto fields = [](const ScriptKey& key) {
      return std::tie(key.algorithm, key.policy, key.buffers, key.longest_message, key.rank, key.asked, key.executor,
                      key.strided_messages, key.fuses, key.capacity, key.buffered_bytes);
    };
    return fields(*this) == fields(other) && is_same(problem, other.problem);
  }

  // Limits on scripts that are kept.
  static constexpr std::size_t most_messages = 256, most_copies = 1024;

  Problem problem;
  std::variant<std::string, Candidate> algorithm;
  Policy policy{};
  int buffers = 0;
  Bytes longest_message = 0;
  Rank rank = 0;
  Executor asked{}, executor{};  // the executor asked for, and the one chosen
  bool strided_messages = false, fuses = false;
  Bytes capacity = 0;                 // PlanOptions::capacity
  std::vector<Bytes> buffered_bytes;  // by peer
};

struct KnownScript {
  std::string algorithm;  // with all parameters
  bool own_counts = false;
  std::shared_ptr<const Script> script;
  PlanRequest request;
};

using RecentScripts = Recent<ScriptKey, KnownScript, 4>;

// Larger scripts are not kept.
inline bool is_small(const Script& script) {
  return script.messages.size() <= ScriptKey::most_messages && script.copies.size() <= ScriptKey::most_copies;
}

}  // namespace quadrille
