// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/concatenation.hpp"

#include "patterns/table_partition.hpp"

namespace quadrille {

ConcatenationRounds concatenation_rounds(Count p, Count ports, Bytes block_bytes, LastRound last_round) {
  ConcatenationRounds rounds;
  if (p == 1 || block_bytes == 0) return rounds;

  // A rank that knows `known` roles sends all of them to `ports` other ranks, until one round can transfer the rest.
  Count known = 1;
  for (; known < ceil_divide(p, ports + 1); known *= ports + 1) {
    auto& round = rounds.emplace_back();
    for (Count port = 1; port <= ports; ++port)
      round.push_back({port * known, port * known * block_bytes, (port + 1) * known * block_bytes});
  }

  // The missing roles form the columns of a table. A message can cover at most as many columns as its sender
  // knows roles.
  Count missing = p - known;
  TablePartition partition = partition_table(missing, block_bytes, ports, known);
  const Bytes excess = partition.longest - ceil_divide(missing * block_bytes, ports);
  if (excess > 0 && (last_round == LastRound::two || (last_round == LastRound::best && excess > startup_worth_bytes))) {
    auto& round = rounds.emplace_back();
    for (Count port = 0; port < ports; ++port, ++known)
      round.push_back({known, known * block_bytes, (known + 1) * block_bytes});  // every rank sends its own block
    missing -= ports;
    partition = partition_table(missing, block_bytes, ports, known);
  }
  auto& round = rounds.emplace_back();
  for (const TableArea& area : partition.areas)
    round.push_back({area.offset, known * block_bytes + area.first, known * block_bytes + area.last});
  return rounds;
}

}  // namespace quadrille
