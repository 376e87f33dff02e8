// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/script_part.hpp"

#include "foundation/assert.hpp"

namespace quadrille {

ScriptPart part_of(const Script& whole, const std::function<std::optional<Rank>(Rank)>& rank_in_part) {
  auto script = std::make_shared<Script>();
  script->rank = whole.rank;
  script->ranks = whole.ranks;
  script->policy = whole.policy;
  script->longest_message = whole.longest_message;
  ScriptPart part;
  std::vector<std::uint32_t> before(whole.messages.size() + 1);  // by message of the whole: how many earlier ones are in the part
  for (std::uint32_t i = 0; i < whole.messages.size(); ++i) {
    before[i] = static_cast<std::uint32_t>(script->messages.size());
    QUADRILLE_ASSERT(whole.messages[i].effect == Effect::overwrite);
    if (const auto peer = rank_in_part(whole.messages[i].peer)) {
      script->messages.push_back(whole.messages[i]);
      script->messages.back().peer = *peer;
      part.of_whole.push_back(i);
    }
  }
  before.back() = static_cast<std::uint32_t>(script->messages.size());
  for (const Window& window : whole.windows)
    script->windows.push_back({{}, {before[window.messages.first], before[window.messages.last]}, {}});
  QUADRILLE_ASSERT(script->windows.empty() || script->windows.back().messages.last == script->messages.size());
  part.script = std::move(script);
  return part;
}

}  // namespace quadrille
