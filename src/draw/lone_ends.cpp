// SPDX-License-Identifier: BSD-3-Clause
#include "draw/lone_ends.hpp"

namespace quadrille {

LoneEnds lone_ends(const Problem& problem, const std::vector<Program>& programs, const MessagesByRound& messages) {
  LoneEnds lone;
  for (const auto& [number, sent] : messages)
    for (const RoutedMessage& message : sent) lone.sends[number].emplace(message.from, message.to, message.port);
  const auto receive = [&](Count number, const LoneEnd& ends) {
    const auto& [peer, rank, port] = ends;
    if (peer < 0 || peer >= problem.ranks || peer == rank) return;
    auto& sends = lone.sends[number];
    if (const auto sent = sends.find(ends); sent != sends.end())
      sends.erase(sent);
    else
      lone.receives[number].push_back(ends);
  };
  for (const Program& program : programs)
    for (const Round& round : program.rounds) {
      for (const Message& message : round.receives) receive(round.number, {message.peer, program.rank, message.port});
      if (moves_data(problem.collective)) continue;
      for (const Control& control : round.control_receives) receive(round.number, {control.peer, program.rank, {}});
    }
  return lone;
}

}  // namespace quadrille
