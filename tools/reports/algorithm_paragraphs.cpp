// SPDX-License-Identifier: BSD-3-Clause
#include "reports/algorithm_paragraphs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace quadrille::command {
namespace {

using enum Collective;

struct AlgorithmParagraph {
  std::array<std::optional<Collective>, 2> collectives;  // one, or two of which the same is true
  std::string_view id;                                   // of the algorithm
  std::string_view text;

  constexpr bool is_about(Collective collective) const {
    return std::find(collectives.begin(), collectives.end(), collective) != collectives.end();
  }
};

constexpr AlgorithmParagraph paragraphs[] = {
    {{alltoall},
     "direct",
     "The whole matrix of the traffic fills in one round, except for its diagonal. No byte travels twice, but every rank starts "
     "p - 1 messages at once: with short blocks the start-ups cost more than the bytes, and some networks become congested."},
    {{alltoall},
     "shift",
     "Each round is one diagonal of the matrix of the traffic: every rank sends one message and receives one, so nobody has to "
     "queue. No byte travels twice; the price is p - 1 rounds, so it suits long blocks."},
    {{alltoallv},
     "shift",
     "Each round is one diagonal of the matrix of the traffic. A round lasts as long as its longest message: with uneven counts "
     "most ranks wait for the one that has the most to send. The algorithms that deal data out first are there to avoid this."},
    {{alltoall},
     "xor",
     "In each round the ranks form pairs, and the two of a pair exchange: the traffic of a round is its own mirror image. So "
     "both directions of a link are in use at once, and on a hypercube no two messages share a link."},
    {{alltoall},
     "scattered",
     "The partners of 8 ranks fit into the default window of 32, so this is the direct exchange in one round. Among more ranks "
     "there are several rounds, and each rank has at most a window of messages under way: a network that takes several messages, "
     "but not all, is not flooded."},
    {{alltoall, alltoallv},
     "one-factor",
     "In each round the ranks form pairs, and the two of a pair exchange, so the traffic of a round is its own mirror image. It "
     "is the timetable of a tournament in which each team meets each other team once; it exists for any number of ranks, where "
     "xor needs a power of two."},
    {{alltoall, alltoallv},
     "clustered",
     "Watch the ranks of a node: in each step only one of them sends to the other node, so nobody else uses the node's way to "
     "the network. All data goes straight to its target. Messages inside nodes have rounds of their own, because they do not "
     "need the network."},
    {{alltoall, alltoallv},
     "combined",
     "First the ranks of a node bring what goes to another node to one of them, then one long message crosses, and last it is "
     "dealt out. With n ranks on each node, one message takes the place of n * n; the price is copies inside the nodes. For "
     "short data that is a good bargain."},
    {{alltoall},
     "ring",
     "Every message goes to the right neighbour, and it is one block shorter than the one before. A block for the left neighbour "
     "travels through all other ranks, so the volume grows with the square of p: that is the price of links that lead to one "
     "neighbour only."},
    {{alltoall},
     "bruck",
     "A block moves in round k if bit k of its distance is 1: follow 0>5, which moves in rounds 0 and 2 and rests in round 1. "
     "About log2 p rounds take the place of p - 1, which decides for short blocks; in return about half of all blocks travel in "
     "each round."},
    {{alltoall},
     "hypercube",
     "In round d the ranks whose numbers differ in bit d swap half of their blocks. Rounds and volume are those of Bruck with "
     "radix 2, but a rank sends to the rank it receives from, which on a hypercube is a neighbour, and blocks change places "
     "without scratch memory."},
    {{alltoall},
     "bine",
     "Rounds and volume are those of the hypercube, but partners are at distances 1, 1, 3, 5, .. instead of 1, 2, 4, 8, .. So "
     "fewer messages leave a group of neighbouring ranks, which matters where few links join the groups."},
    {{alltoall},
     "mesh",
     "Rows and columns exchange as on a ring, with bundles of blocks: r + c - 2 rounds on r rows and c columns take the place of "
     "p - 1. All messages go to neighbours; in return blocks are passed on several times."},
    {{alltoall},
     "torus",
     "Blocks leave in several directions at once, each on a shortest way, and in no round do two messages share a link. No "
     "schedule has a smaller volume on a torus. The price is that a rank copies its blocks before and after."},
    {{alltoall},
     "torus-direct",
     "A block crosses several links in one round, and the view of the network shows the even load: all links are busy all the "
     "time. There are more rounds than with torus, but nothing is copied on the way: it is for long blocks."},
    {{alltoall},
     "imaginary-node",
     "Nine ranks on a ring act as ten: rank 0 also does the work of the rank that does not exist, so it has more to send than "
     "the others. It shows a proposal of a paper that makes odd rings even. The algorithm torus needs no such help, has one "
     "round less and moves less."},
    {{alltoall},
     "submesh",
     "First neighbours exchange inside squares of 2 x 2, then blocks go around rows and columns in hops of two links. A rank "
     "sends one message at a time, although a torus gives it four links; on a square torus, which uses all four, moves a quarter "
     "of the volume."},
    {{alltoall},
     "subtorus",
     "The first hops are four links long, along rows and columns, and neighbouring ranks send in different directions, so no "
     "link is shared. Then blocks reach their targets inside squares of 4 x 4. One port is enough; torus, on four, takes as many "
     "rounds and moves less than half as much."},
    {{alltoallv},
     "direct",
     "All data leaves in one round, in messages as long as the counts say. No byte travels twice and nobody deals anything out, "
     "so the rank that has the most to send or receive decides when all are done. Among more than 32 others, a rank has 32 "
     "messages under way at a time."},
    {{alltoallv},
     "exchange",
     "Short data between two nodes goes to a leader, crosses together with that of its node, and is dealt out there; all other "
     "data goes straight to its target. Both ends see from their totals what a pair of nodes will do, so there is nothing to "
     "agree on. For short data that saves start-ups, and long data does not wait for a leader."},
    {{alltoallv},
     "two-phase",
     "In the first half of the data's rounds all messages of a sender are about equally long, in the second half all those to a "
     "receiver, however uneven the counts are. So nobody waits for a single long block. The price: each byte travels twice."},
    {{alltoallv},
     "scan-two-phase",
     "The messages are as long as those of two-phase, but each element is dealt out on its own, like a card. The view of the "
     "memory shows the many short pieces. This suits data that is not sorted by target; here, where it is, the pieces only cost "
     "time."},
    {{alltoallv},
     "grid",
     "Two exchanges in short lines take the place of one among all: about 2 sqrt(p) rounds instead of p - 1. With uneven counts "
     "some ranks forward much more than others, as the view of the time shows; four-stage avoids that."},
    {{alltoallv},
     "four-stage",
     "The first two stages deal the data out along rows and columns like cards, the last two collect it. In between each rank "
     "holds about as much as any other, so the messages of a round are about equally long, however uneven the counts are. Each "
     "byte travels about four times, in about 4 sqrt(p) rounds."},
    {{alltoallv},
     "groups",
     "Three ranks have something to send, and only the other five receive. When all know the counts, the senders deal the data "
     "out among themselves, then it crosses, and the receivers collect it among themselves. The rounds with data depend on the "
     "sizes of these two groups, not on the number of all ranks."},
    {{alltoallv},
     "folded-four-stage",
     "Rank 6 is alone in the last row of the grid: the rank above it, 3, receives all its data first, acts for it in the four "
     "stages, and hands over the result at the end. A rank that acts for two has twice as much to do; four-stage does without "
     "such moves, and this algorithm is here to be compared with it."},
    {{alltoallv},
     "two-phase-bruck",
     "Blocks move as with Bruck, once for each 1 in their distance, and each round has two messages: first the sizes of the "
     "blocks, then the blocks. About log2 p rounds of data suit short counts. No rank needs to know more than its own counts."},
    {{alltoallv},
     "padded-bruck",
     "First all ranks agree on the longest count. Then every block travels as with Bruck, padded to that length, and no sizes "
     "have to be sent. Padding is counted as control data: with uneven counts there may be more of it than of data."},
    {{allgather, allgatherv},
     "direct",
     "All messages leave in one round, and each rank's own data appears everywhere at once. It is the fewest rounds, but a rank "
     "starts p - 1 messages with the same data, all of which leave by its own link."},
    {{allgather, allgatherv},
     "ring",
     "What a rank has just received, it passes on to the right. All links are busy in every round and no rank gets anything "
     "twice, so long data moves as fast as possible; there are p - 1 rounds, and a slow rank delays them all."},
    {{allgather, allgatherv},
     "neighbor-exchange",
     "Ranks exchange with the left and the right neighbour in turn, and each time pass on what came from the other side. After "
     "the first round it is two parts at a time, so p / 2 rounds do what takes a ring p - 1, and still all messages go to "
     "neighbours."},
    {{allgather, allgatherv},
     "recursive-doubling",
     "In each round a rank exchanges all it holds with a partner, so what it holds doubles: 1, 2, 4, 8. No algorithm has fewer "
     "rounds on one port, and no rank gets anything twice; but the last partner is the farthest one, and gets half of all data."},
    {{allgather, allgatherv},
     "circulant",
     "What a rank holds about doubles in each round, for any number of ranks: the last round only sends what is still missing. "
     "With equal blocks both the rounds and the volume are the least possible on one port."},
    {{allgather, allgatherv},
     "bine",
     "As with recursive doubling, what a rank holds doubles in each round, but partners are at distances 1, 1, 3, 5, .. instead "
     "of 1, 2, 4, 8, .. So less data leaves a group of neighbouring ranks, which matters where few links join the groups."},
    {{allgather},
     "mesh",
     "In the first half the messages are single blocks, in the second half they are as long as a row. There are far fewer rounds "
     "than on one ring, with the same volume, and all messages go to neighbours."},
    {{allgather, allgatherv},
     "concatenation",
     "A rank sends all that it holds to as many ranks as it has ports, one here; the last round is cut byte by byte, so that all "
     "ports have equally much left to send. With several ports it is the way to have the fewest rounds and, but for a few "
     "numbers of ranks, the least volume."},
    {{allgather},
     "gather-broadcast",
     "Everything first flows up a tree to rank 0 and then down again: look at the ranks that wait most of the time. There are "
     "twice the rounds that are needed, and rank 0 sends everything again and again; it is here to be compared with."},
    {{allgather},
     "broadcasts",
     "One rank after the other broadcasts its block down a tree, while most ranks are idle. It takes p times the rounds of one "
     "broadcast, where a ring has p - 1 rounds in all: it shows what an allgather gains from doing all at once."},
    {{allgather, allgatherv},
     "hierarchical",
     "Each lane of leaders, one on every node, gathers between the nodes; then the ranks of a node share what the lanes got. "
     "What belongs to other nodes enters each node once, the least possible."},
    {{broadcast},
     "linear",
     "Only the root sends, to every other rank in one round, so p - 1 vectors leave by its link while all other links carry one "
     "or none. It is for two or three ranks, or for short vectors on a network that takes many messages of a rank at once."},
    {{broadcast},
     "binomial",
     "Every rank that has the vector passes it on, so the number of ranks that have it doubles: 1, 2, 4, 8. No algorithm has "
     "fewer rounds on one port. But the whole vector travels in every round, so long vectors need another way."},
    {{broadcast},
     "mesh",
     "On each line of the grid the rank that has the vector sends it to the other half of the line, and both halves go on in the "
     "same way, so no message crosses another. It is for networks with the sides of the grid that are no powers of two; "
     "otherwise the binomial tree is as good."},
    {{broadcast},
     "chain",
     "The vector moves from neighbour to neighbour in segments, like water through a pipe: once the pipe is full, every rank "
     "receives one segment while it sends another. For a very long vector that takes little more than the time of sending it "
     "once. Here the vector is short, so there is one segment."},
    {{broadcast},
     "circulant",
     "Each segment of the vector takes another tree through the ranks, and the trees fit together so that every rank receives "
     "and sends in each round. Only log2 p - 1 rounds are added to the number of segments, the fewest possible, for any number "
     "of ranks. Here the vector is short, so there is one segment."},
    {{broadcast},
     "bine",
     "The tree has as many rounds as the binomial one, but its edges have the lengths 1, 1, 3, 5, .. instead of 1, 2, 4, 8, .. "
     "So fewer messages leave a group of neighbouring ranks, which matters where few links join the groups."},
    {{broadcast},
     "knomial",
     "A rank that has the vector sends it to radix - 1 others in each round, so the number of ranks that have it grows by the "
     "factor radix. A larger radix means fewer rounds, but more messages that leave a rank at once."},
    {{broadcast},
     "tree",
     "Segments of the vector flow down a tree in which every rank has two children by default: a rank receives one segment while "
     "it sends the previous one to both. The tree is flatter than a chain, so the pipe fills sooner, but a rank sends twice as "
     "much as it receives. Here the vector is short, so there is one segment."},
    {{broadcast},
     "scatter-allgather",
     "First each rank gets its share of the vector down a tree, then all ranks gather the shares from each other. Each rank "
     "sends and receives about two vectors in all, however many ranks there are, where a binomial tree sends the whole vector in "
     "every round: it is the way for long vectors."},
    {{broadcast},
     "hierarchical",
     "Between the nodes each lane of leaders carries its part of the vector; then the ranks of a node give each other the parts. "
     "So the vector enters each other node once, and several ranks of a node carry it together."},
    {{reduce},
     "linear",
     "All vectors go to the root, which combines them all, while the other ranks send once and are done. The root receives p - 1 "
     "vectors and does all the work, so it is for two or three ranks."},
    {{reduce},
     "binomial",
     "Vectors flow up a tree: in each round half of the ranks that still have a partial result hand it over and are done. The "
     "colour shows how many operands a vector has. No algorithm has fewer rounds on one port, but a whole vector travels in "
     "each."},
    {{reduce},
     "mesh",
     "Each line of the grid is combined half by half, so no message crosses another, and operands are combined in the order of "
     "the ranks for every root, which the binomial tree does for some roots only. It is for networks with the sides of the grid "
     "that are no powers of two."},
    {{reduce},
     "circulant",
     "It is the broadcast of the same name, backwards: each segment flows to the root along another tree, and every rank "
     "combines in each round. Only log2 p - 1 rounds are added to the number of segments, the fewest possible. Here the vector "
     "is short, so there is one segment."},
    {{reduce},
     "bine",
     "Vectors flow up a tree with as many rounds as the binomial one, but its edges have the lengths 1, 1, 3, 5, .. instead of "
     "1, 2, 4, 8, .. So fewer messages leave a group of neighbouring ranks, which matters where few links join the groups."},
    {{reduce},
     "tree",
     "Segments of the vectors flow up a tree in which every rank has two children by default, and each rank combines both with "
     "its own. While one segment is combined, the next arrives: that is for long vectors among many ranks. Here the vector is "
     "short, so there is one segment."},
    {{reduce},
     "reduce-scatter-gather",
     "First each share of the vector is combined at its own rank, so that all ranks work at the same time, then the root gathers "
     "the finished shares. Messages become shorter round by round, where a binomial tree sends whole vectors: it is the way for "
     "long vectors."},
    {{reduce},
     "hierarchical",
     "The ranks of a node combine their vectors first, each part at the leader of its lane; then the lanes combine between the "
     "nodes. So the bytes of one vector leave each node, however many ranks it has."},
    {{allreduce},
     "direct",
     "Every rank sends its vector to all others in one round and combines all vectors by itself: the same work is done p times. "
     "It is the fewest rounds, and all ranks combine in the same order; for long vectors or many ranks it moves too much."},
    {{allreduce},
     "recursive-doubling",
     "Partners exchange their partial results, so the number of operands in each doubles: 1, 2, 4, 8, as the colour shows. No "
     "algorithm has fewer rounds on one port. But a whole vector travels in every round, so it is for short vectors."},
    {{allreduce},
     "reduce-scatter-allgather",
     "In the first half messages become shorter and shares are combined, until each rank has one finished share; in the second "
     "half the shares spread and messages grow again. Each rank sends less than two vectors in all, the least possible on one "
     "port: it is the way for long vectors."},
    {{allreduce},
     "ring",
     "Each share of the vector goes around the ring twice: first it is combined with each rank's own, and the colour shows how "
     "many operands it has; then the finished share spreads. The volume is the least possible on one port and all messages go to "
     "neighbours, but there are 2 (p - 1) rounds."},
    {{allreduce},
     "circulant",
     "In the first half each round combines about half as many shares as the one before, in the second half the shares spread in "
     "the reverse order. It has the least volume on one port in 2 log2 p rounds, rounded up, for any number of ranks, where "
     "halving needs a power of two."},
    {{allreduce},
     "bine",
     "Partners exchange their partial results, the farthest first, at distances .., 5, 3, 1, 1 instead of .., 8, 4, 2, 1. So "
     "fewer messages leave a group of neighbouring ranks, which matters where few links join the groups."},
    {{allreduce},
     "swing",
     "Shares are combined and then spread, with partners that lie on alternating sides: at distances 1, 1, 3, 5, .. on a ring, "
     "and on a grid in each dimension in turn. They are nearer than those of a hypercube, so messages share fewer links of a "
     "ring or torus, in far fewer rounds than the ring takes."},
    {{allreduce},
     "reduce-broadcast",
     "The vectors flow up a tree to rank 0, and the result flows down again. Half of the time the lower ranks only wait; "
     "recursive doubling, where all ranks combine all the time, takes half the rounds if p is a power of two. It is here to be "
     "compared with."},
    {{allreduce},
     "hierarchical",
     "The vectors of a node are combined inside it, each part at the leader of its lane; the lanes combine between the nodes, "
     "and the ranks of a node share the result. What crosses between nodes does not depend on the number of ranks on a node."},
    {{reduce_scatter, reduce_scatterv},
     "ring",
     "Watch what rank 0 shall get: it starts at rank 7, passes all other ranks on its way to the left, and each combines its "
     "operand with it; the colour shows how many operands it has. All messages go to neighbours and the volume is the least "
     "possible, in p - 1 rounds."},
    {{reduce_scatter},
     "mesh",
     "In the first half the messages are as long as a row, in the second half they are single blocks. There are far fewer rounds "
     "than on one ring, with the same volume, and all messages go to neighbours."},
    {{reduce_scatter, reduce_scatterv},
     "recursive-halving",
     "Partners divide the work: each sends the half that belongs to the other's side and combines the half that it keeps. The "
     "messages halve from round to round. With log2 p rounds and no more volume than a ring, both are the least possible on one "
     "port."},
    {{reduce_scatter, reduce_scatterv},
     "circulant",
     "In each round a rank hands about half of its unfinished results to the rank a skip above and combines what comes from the "
     "rank a skip below. It does for any number of ranks what recursive halving does for powers of two."},
    {{reduce_scatter, reduce_scatterv},
     "hierarchical",
     "The ranks of a node combine first, at the leaders; then each lane of leaders combines between the nodes, and leaders hand "
     "out the results. What belongs to other nodes leaves each node once, already combined."},
    {{reduce_scatter, reduce_scatterv},
     "bine",
     "As with recursive halving, a rank sends half of its partial results in each round, but partners are at distances 1, 1, 3, "
     "5, .. instead of 1, 2, 4, 8, .. So less data leaves a group of neighbouring ranks, which matters where few links join the "
     "groups."},
    {{reduce_scatter, reduce_scatterv},
     "direct",
     "Each rank sends every other rank its operand in one round, and each rank combines all operands that arrive. All ranks can "
     "combine in the same order, so results are reproducible; but a rank needs scratch memory for nearly all operands at once."},
    {{scan, exscan},
     "direct",
     "Every rank sends its vector to all ranks above it in one round: the matrix of the traffic is a triangle. The last rank "
     "receives p - 1 vectors and combines them all, while the first receives none: it is for few ranks and short vectors."},
    {{scan, exscan},
     "hypercube",
     "In round d ranks whose numbers differ in bit d exchange what they have combined; only the upper one of the two also "
     "combines it with its result. It has the fewest rounds on one port, and only works if p is a power of two."},
    {{scan, exscan},
     "distance-doubling",
     "In the rounds each rank sends to the rank 1, 2, 4, .. above, so the number of operands in its partial result doubles. All "
     "messages go upwards, and the upper ranks finish last; it has the fewest rounds for any number of ranks."},
    {{scan, exscan},
     "chain",
     "The result moves upwards from neighbour to neighbour, and each rank combines only once: the least work, in p - 1 rounds "
     "for one segment. Long vectors are cut into segments, which follow each other like water through a pipe. Here the vector is "
     "short, so there is one segment."},
    {{scan, exscan},
     "hierarchical",
     "Each node computes its own prefixes; then the last ranks of the nodes compute the prefixes of the nodes' totals and tell "
     "their nodes, whose ranks combine both. One vector in each round enters a node, however many ranks it has."},
    {{scatter, scatterv},
     "linear",
     "Only the root sends: to every rank its own data, in one round. No byte travels twice, which suits long data; but all p - 1 "
     "start-ups are the root's, where a tree has log2 p."},
    {{gather, gatherv},
     "linear",
     "Only the root receives, one message from each rank, in one round. No byte travels twice, which suits long data; but the "
     "root has to deal with p - 1 messages by itself, while the other ranks send once and are done."},
    {{scatter, scatterv},
     "binomial",
     "The root first sends half of all data to the other half's first rank, which deals with it in the same way: messages halve "
     "from round to round. log2 p rounds, rounded up, are the fewest on one port; in return much of the data travels several "
     "times."},
    {{gather, gatherv},
     "binomial",
     "In each round half of the ranks that still hold data pass all of it on and are done, and the messages double. log2 p "
     "rounds, rounded up, are the fewest on one port; in return much of the data travels several times."},
    {{scatter, scatterv},
     "mesh",
     "The first messages hold whole rows of the grid, later ones fewer and fewer blocks, and the root sends each byte once. It "
     "is for networks with the sides of the grid that are no powers of two: there the messages of the binomial tree may share "
     "links."},
    {{gather, gatherv},
     "mesh",
     "The messages grow from round to round, and the last ones hold whole rows of the grid; the root receives each byte once. It "
     "is for networks with the sides of the grid that are no powers of two: there the messages of the binomial tree may share "
     "links."},
    {{scatter, scatterv},
     "hierarchical",
     "The root hands to the leaders on its own node what goes to other nodes; each lane of leaders carries its part between the "
     "nodes, and leaders deal it out. Each byte leaves the root's node once, and several ranks of a node send at the same time; "
     "with one lane there is one message for each node."},
    {{gather, gatherv},
     "hierarchical",
     "The leaders of each node collect the data of their groups, each lane of leaders brings its part to the root's node, and "
     "there it goes to the root. Each byte enters the root's node once, and several ranks of a node receive at the same time; "
     "with one lane there is one message from each node."},
    {{scatter, scatterv},
     "bine",
     "Whole subtrees travel together down a tree with as many rounds as the binomial one, but with edges of the lengths 1, 1, 3, "
     "5, .. instead of 1, 2, 4, 8, .. So fewer messages leave a group of neighbouring ranks, which matters where few links join "
     "the groups."},
    {{gather, gatherv},
     "bine",
     "Whole subtrees travel together up a tree with as many rounds as the binomial one, but with edges of the lengths 1, 1, 3, "
     "5, .. instead of 1, 2, 4, 8, .. So fewer messages leave a group of neighbouring ranks, which matters where few links join "
     "the groups."},
    {{barrier},
     "dissemination",
     "In each round every rank tells a rank twice as far away what it knows, so a rank knows of 2, 4, 8 ranks that they have "
     "entered. It has the fewest rounds, because nobody waits for a centre; messages carry no data, only the fact that they "
     "arrive."},
    {{barrier},
     "linear",
     "All ranks report to rank 0, and rank 0 tells all: two rounds. Rank 0 deals with p - 1 messages in each of them, so it is "
     "for few ranks."},
    {{barrier},
     "binomial",
     "Reports flow up a tree to rank 0, then the release flows down again. It takes twice the rounds of dissemination, but 2 (p "
     "- 1) messages in all, the fewest possible, which matters on a network that becomes congested."},
    {{barrier},
     "recursive-doubling",
     "Partners at distances 1, 2, 4, .. tell each other which ranks have entered; after log2 p rounds all know it of all. Each "
     "pair exchanges in both directions, so on a hypercube every message has a link of its own; if p is no power of two, it "
     "takes two rounds more than for the next lower one."},
    {{barrier},
     "hierarchical",
     "The ranks of each node meet first, then leaders of different nodes; where not every rank leads, the ranks of a node meet "
     "once more. The rounds between nodes, which are slow, depend on the number of nodes only; those inside nodes are cheap."},
};

}  // namespace

std::string_view paragraph_of(const Algorithm& algorithm) {
  const auto* const found = std::find_if(std::begin(paragraphs), std::end(paragraphs), [&](const AlgorithmParagraph& each) {
    return each.id == algorithm.id && each.is_about(algorithm.collective);
  });
  return found == std::end(paragraphs) ? std::string_view() : found->text;
}

}  // namespace quadrille::command
