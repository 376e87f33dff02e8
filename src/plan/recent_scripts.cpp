// SPDX-License-Identifier: BSD-3-Clause
#include "plan/recent_scripts.hpp"

#include <tuple>

#include "problem/same_problem.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_messages = 256, most_copies = 1024;  // limits on scripts that are kept

auto fields(const ScriptKey& key) {
  return std::tie(key.algorithm, key.policy, key.buffers, key.longest_message, key.rank, key.asked, key.executor,
                  key.strided_messages, key.fuses, key.buffered_bytes);
}

}  // namespace

std::optional<ScriptKey> ScriptKey::of(const Problem& problem, const PlanOptions& options, Rank rank, Transport& transport) {
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
                {}};
  for (Rank peer = 0; peer < problem.ranks; ++peer) key.buffered_bytes.push_back(transport.buffered_message_bytes(peer));
  return key;
}

bool ScriptKey::operator==(const ScriptKey& other) const {
  return fields(*this) == fields(other) && is_same(problem, other.problem);
}

bool is_small(const Script& script) { return script.messages.size() <= most_messages && script.copies.size() <= most_copies; }

}  // namespace quadrille
