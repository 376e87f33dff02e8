// SPDX-License-Identifier: BSD-3-Clause
// Scatters. Regular and irregular collectives differ only in where shares lie, and a gather is a scatter run backwards.
// So each function here serves four collectives: scatter, scatterv, gather and gatherv.
#pragma once

#include "collectives/shares.hpp"
#include "patterns/trees.hpp"

namespace quadrille {

bool is_gather(Collective collective);
std::string stage_of_scattering(const Problem& problem);  // "gather" or "scatter"

// Turns a scatter into the program of the problem's collective: if this is a gather, the scatter is reversed.
Program for_collective(const Problem& problem, Program scatter);

// Down a tree: a rank receives the shares of its whole subtree, keeps its own share, and sends the others on. The ranks
// of a subtree must be consecutive. A gather goes up the tree.
Program scatter_by_tree(const Problem& problem, const TreePosition& position, const Shares& shares, Rank me);

// The parameter `ports` of linear algorithms.
Parameter ports_of_root(std::string_view summary);

}  // namespace quadrille
