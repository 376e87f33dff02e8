// SPDX-License-Identifier: BSD-3-Clause
// What a process knows about its machine when it chooses: wisdom, and preset machines for what was never measured. Ranks choose
// alike only if they know the same, so they compare hashes with each plan. Where these differ, rank 0 hands its knowledge to the
// others: it keeps what it has, or reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

struct Knowledge {
  static constexpr std::uint64_t nothing = 0;  // the hash of a rank that has none yet

  Wisdom wisdom;
  std::optional<MachineCosts> on_one_node, on_several;  // presets; absent where no file of them is found
  std::uint64_t hash = nothing;                         // of all of it

  const std::optional<MachineCosts>& preset(Count nodes) const { return nodes > 1 ? on_several : on_one_node; }
};

// The machine that stands for what was never measured: the one that QUADRILLE_MACHINE names, else the usual one. Absent where no
// file of it is found.
std::optional<MachineCosts> usual_preset(Count nodes);

// What this process has for groups of this transport, on one node or on several; null if it has nothing yet.
std::shared_ptr<const Knowledge> present_knowledge(Communicator& communicator);

// Collective. All ranks have rank 0's afterwards. Rank 0 reads the wisdom of its machine if it has none; where the file is damaged,
// it says so on stderr and goes on without. Throws on all ranks or on none.
std::shared_ptr<const Knowledge> share_knowledge(Communicator& communicator);

// Adds what was measured just now. Ranks that had the same knowledge and add the same have the same afterwards.
std::shared_ptr<const Knowledge> learn(Communicator& communicator, const Knowledge& known, const Wisdom& found);

}  // namespace quadrille
