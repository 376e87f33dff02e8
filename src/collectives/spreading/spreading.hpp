// SPDX-License-Identifier: BSD-3-Clause
// Ways of spreading data from one rank or from all, and of collecting it, which several collectives share.
#pragma once

#include "collectives/shares.hpp"
#include "patterns/trees.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Algorithms that gather the shares of all ranks at every rank. Regular and irregular collectives differ only in where
// shares lie, and a reduction that scatters its result is a gather run backwards. So each function here serves four
// collectives: allgather, allgatherv, reduce_scatter and reduce_scatterv.

// Each rank passes the shares that it receives from the left on to the right.
Program gather_along_ring(const Problem& problem, const Shares& shares, Rank me);

// Over skips 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the shares of s_k
// ranks, beginning with its own and going upwards; in the round it receives the next s_{k+1} - s_k shares from the rank whose
// number is larger by s_k (mod p).
Program gather_by_skips(const Problem& problem, const Shares& shares, Rank me);

// In each round rank i exchanges all its shares with one partner: i ^ 1, then i ^ 2, i ^ 4 and so on. The shares of a
// message are always contiguous in memory. If p is no power of two, ranks without a partner get the shares passed on
// (patterns/covers.hpp). The second function needs a power of two and uses the partners in the order i ^ p/2, i ^ p/4, ..: its
// messages are strided, but the longest of them go to the nearest partner.
Program gather_by_doubling(const Problem& problem, const Shares& shares, Rank me);
Program gather_by_doubling_from_afar(const Problem& problem, const Shares& shares, Rank me);

// The same as above, but over the Bine butterfly (patterns/bine.hpp), whose partners are nearer. With the nearest partner first:
// the shares of a message are consecutive (mod p), and p may be any even number. With the farthest partner first: most data goes
// to the nearest partner, but messages are strided, and p must be a power of two.
Program gather_by_bine(const Problem& problem, const Shares& shares, Rank me);
Program gather_by_bine_from_afar(const Problem& problem, const Shares& shares, Rank me);

// Rings along the rows of a grid, then rings along its columns that pass on whole rows.
Program gather_on_mesh(const Problem& problem, Count rows, const Shares& shares, Rank me);

// All p - 1 messages in one round, to i + 1, i + 2, .., so that no rank is the first target of all others.
Program gather_directly(const Problem& problem, const Shares& shares, Rank me);

// The symmetry of programs that are the same for all ranks up to translation. All shares must be equal.
std::optional<Symmetry> translation(const Problem& problem, const Parameters&);

// Succeeds if p is a power of two, because partners i ^ m need one.
Result<> has_power_of_two_ranks(const Problem& problem, const Parameters&);

// For the Bine butterfly: the condition for each order of partners, and the symmetry, which adds even numbers to ranks.
Result<> has_even_ranks(Count ranks);
Result<> has_ranks_for_bine_from_afar(Count ranks);
Symmetry even_translation(Count ranks);

// Broadcasts that are also used, run backwards, as reductions: down a tree, over a circulant graph, and down a full tree.

// Walks through a rank's rounds in a tree; the phases of the tree become stages. An algorithm that goes up a tree makes the
// program of one that goes down, and reverses this program. Calls receive(edge) and send(edge) in the rounds of the edges. A
// phase without a name belongs to the current stage.
template <class Receive, class Send>
void go_down(ProgramBuilder& program, const TreePosition& position, Receive&& receive, Send&& send) {
  auto child = position.children.begin();
  Count round = 0;
  for (const TreePhase& phase : position.phases) {
    if (!phase.name.empty()) program.stage(phase.name);
    for (const Count end = round + phase.rounds; round < end; ++round) {
      program.begin_round();
      if (position.parent && position.parent->round == round) receive(*position.parent);
      while (child != position.children.end() && child->round == round) send(*child++);
    }
  }
}

// A vector of `bytes` bytes goes down a tree.
Program broadcast_by_tree(const TreePosition& position, Bytes bytes, Rank me);

// A pipeline of segments over a circulant graph: in round k rank r receives from r - s_k and sends to r + s_k.
Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me);
Parameter segments_of_skips();

// A pipeline of segments down the tree in which every rank has `fan-out` children, with the parameters below; `stage` names its
// stage.
Program broadcast_by_full_tree(const Problem& problem, const Parameters& parameters, std::string stage, Rank me);

std::vector<Parameter> full_tree_parameters();  // fan-out, segments

// The most messages that a rank sends in one round of the broadcast.
Count full_tree_ports(const Problem& problem, const Parameters& parameters);

// Scatters. Regular and irregular collectives differ only in where shares lie, and a gather is a scatter run backwards.
// So each function here serves four collectives: scatter, scatterv, gather and gatherv.

bool is_gather(Collective collective);
std::string stage_of_scattering(const Problem& problem);  // "gather" or "scatter"

// Turns a scatter into the program of the problem's collective: if this is a gather, the scatter is reversed.
Program for_collective(const Problem& problem, Program scatter);

// Down a tree: a rank receives the shares of its whole subtree, keeps its own share, and forwards the other shares. The ranks of
// a subtree must be consecutive. A gather goes up the tree.
Program scatter_by_tree(const Problem& problem, const TreePosition& position, const Shares& shares, Rank me);

// The parameter `ports` of linear algorithms.
Parameter ports_of_root(std::string_view summary);

// The parameter `rows` of algorithms on a grid: rank i is in row i / columns and column i % columns.

Parameter grid_rows();
Result<> has_full_rows(const Problem& problem, const Parameters& parameters);  // `rows` must divide p

// The parameter `rows` of algorithms on grids of any number of dimensions. If `rows` is the first side of the problem's own grid,
// this grid is used, otherwise a grid of two dimensions.
Parameter mesh_rows();
std::vector<Count> mesh_sides(const Problem& problem, Count rows);

// The symmetry of programs that work along rows and then along columns, or the reverse. It maps every row to the next row.
Symmetry rows_moved_on(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille
