// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of a process about its machine, by which plans choose: wisdom, and preset machines for executors that were never
// measured. Ranks make the same choice only if they have the same knowledge, so they compare its hash when they make a plan. If
// the hashes differ, rank 0 sends its knowledge to all ranks. If rank 0 has no knowledge, it first reads the wisdom file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plan/request.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// Measures the speed of the links between nodes in some milliseconds. A preset machine assumes a fast network. If links are far
// slower, its prices would prefer algorithms that send each byte many times.
//
// Collective, for ranks on several nodes. Returns at rank 0 the microseconds per byte of a long message between two nodes, each
// of which sends one and receives one at the same time. The results of the other ranks have no meaning.
double measured_us_per_byte(Communicator& communicator);

// Returns the machine, with slower links if `us_per_byte` is more than four times its own figure. In that case its name says so.
MachineCosts with_measured_links(MachineCosts machine, double us_per_byte);

struct Knowledge {
  Wisdom wisdom;
  std::optional<MachineCosts> on_one_node, on_several;  // presets; absent if no machine file is found
  std::uint64_t hash = no_knowledge;                    // the hash of all members above

  const std::optional<MachineCosts>& preset(Count nodes) const { return nodes > 1 ? on_several : on_one_node; }
};

// The machine that QUADRILLE_MACHINE names; absent if it is not set. Throws Error{environment} if there is no such machine, or if
// all its figures are for models that need a network, which plans do not know.
std::optional<MachineCosts> machine_of_environment();

// The machine that supplies prices where nothing was measured: the one named by QUADRILLE_MACHINE, otherwise a default one. If the
// variable has a wrong value, this prints a warning once, and returns the default machine. Absent if its file is not found.
std::optional<MachineCosts> usual_preset(Count nodes);

// Returns this process's knowledge for groups of this transport, on one node or on several; null if there is none yet.
std::shared_ptr<const Knowledge> present_knowledge(Communicator& communicator);

// Collective: gives all ranks the knowledge of rank 0. If rank 0 has none, it reads the wisdom file of its machine; if that file is
// damaged, it prints a warning on stderr and continues without wisdom. Throws on all ranks or on none.
std::shared_ptr<const Knowledge> share_knowledge(Communicator& communicator);

// What rank 0 knows before the ranks share it.
struct FirstKnowledge {
  std::string text;
  bool lacks_links = false;  // must the ranks measure their links (measured_us_per_byte)?
};

// Local. Only for rank 0: reads the wisdom file, if this process has no knowledge yet.
FirstKnowledge first_knowledge(Communicator& communicator);

// Local. Only for rank 0: makes and keeps its knowledge. `us_per_byte`: of the links, if they were measured.
std::shared_ptr<const Knowledge> keep_first(Communicator& communicator, FirstKnowledge first, double us_per_byte);

// Adds new measurements and keeps the result. Ranks with equal knowledge that add equal measurements have equal knowledge
// afterwards.
std::shared_ptr<const Knowledge> learn(Communicator& communicator, const Knowledge& known, const Wisdom& found);

}  // namespace quadrille
