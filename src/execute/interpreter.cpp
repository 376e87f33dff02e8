// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/interpreter.hpp"

#include <algorithm>
#include <map>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

struct Memory {
  std::array<ByteVector, 3> buffers;  // by Buffer

  std::byte& at(Buffer buffer, Bytes offset) {
    if (buffer == Buffer::staging || offset < 0 || offset >= static_cast<Bytes>(buffers[static_cast<std::size_t>(buffer)].size()))
      throw Error(ErrorCode::misuse, "a region lies outside its buffer");
    return buffers[static_cast<std::size_t>(buffer)][static_cast<std::size_t>(offset)];
  }

  ByteVector read(const Regions& regions) {
    ByteVector data;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        for (Bytes i = 0; i < length; ++i) data.push_back(at(region.buffer, offset + i));
      });
    return data;
  }

  void write(const Regions& regions, const ByteVector& data) {
    std::size_t next = 0;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        for (Bytes i = 0; i < length && next < data.size(); ++i) at(region.buffer, offset + i) = data[next++];
      });
  }
};

void play(const Local& local, Memory& memory, const InterpreterOptions& options) {
  ByteVector data = memory.read(local.source);
  if (local.kind == LocalKind::reduce) {
    if (!options.operation) throw Error(ErrorCode::misuse, "a reduction needs an operator");
    const ByteVector source = std::exchange(data, memory.read(local.target));
    const auto length = static_cast<Bytes>(std::min(data.size(), source.size()));
    options.operation->combine(source.data(), data.data(), length / options.operation->element_bytes, local.order);
  }
  memory.write(local.target, data);
}

}  // namespace

std::vector<ByteVector> interpret(const Schedule& schedule, const std::vector<ByteVector>& inputs,
                                  const InterpreterOptions& options) {
  const auto p = static_cast<std::size_t>(schedule.problem.ranks);
  std::vector<Program> programs;
  std::vector<Memory> memories;
  std::map<Count, std::vector<std::pair<std::size_t, const Round*>>> rounds;  // by number: who does what
  for (std::size_t rank = 0; rank < p; ++rank) programs.push_back(schedule.program(static_cast<Rank>(rank)));
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto fresh = [&](Bytes size) { return ByteVector(static_cast<std::size_t>(size), options.unwritten); };
    memories.push_back(
        {{inputs.at(rank), fresh(output_bytes(schedule.problem, static_cast<Rank>(rank))), fresh(programs[rank].scratch_bytes)}});
    for (const Round& round : programs[rank].rounds) rounds[round.number].emplace_back(rank, &round);
  }

  for (const auto& [number, acting] : rounds) {
    for (const auto& [rank, round] : acting)
      for (const Local& local : round->locals) play(local, memories[rank], options);
    // Everything is read before anything is written.
    std::map<std::tuple<Rank, Rank, std::optional<Port>>, ByteVector> under_way;
    for (const auto& [rank, round] : acting)
      for (const Message& message : round->sends)
        under_way[{static_cast<Rank>(rank), message.peer, message.port}] = memories[rank].read(message.regions);
    for (const auto& [rank, round] : acting)
      for (const Message& message : round->receives)
        if (const auto found = under_way.find({message.peer, static_cast<Rank>(rank), message.port}); found != under_way.end())
          memories[rank].write(message.regions, found->second);
  }

  std::vector<ByteVector> outputs;
  for (Memory& memory : memories) outputs.push_back(std::move(memory.buffers[static_cast<std::size_t>(Buffer::output)]));
  return outputs;
}

}  // namespace quadrille
