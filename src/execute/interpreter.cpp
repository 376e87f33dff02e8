// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Identifies a byte in reductions: the number of its element times element_bytes, plus its position in the element.
using ElementByte = std::uint64_t;
constexpr ElementByte no_element = static_cast<ElementByte>(-1);

struct Data {
  ByteVector bytes;
  std::vector<ElementByte> elements;
};

struct Memory {
  std::array<Data, 3> buffers;  // by Buffer

  Data& at(Buffer buffer) { return buffers[static_cast<std::size_t>(buffer)]; }

  // Calls visit(data of the buffer, first byte, last byte + 1) for each run.
  template <class Visit>
  void for_each_run_of(const Regions& regions, Visit&& visit) {
    for (const Region& region : regions) {
      if (bytes(region) == 0) continue;
      const auto [first, last] = hull(region);
      const bool is_staging = region.buffer == Buffer::staging;
      if (is_staging || first < 0 || last > static_cast<Bytes>(at(region.buffer).bytes.size()))
        throw Error(ErrorCode::misuse, "a region lies outside its buffer");
      for_each_run(region, [&](Bytes offset, Bytes length) { visit(at(region.buffer), offset, offset + length); });
    }
  }

  Data read(const Regions& regions) {
    Data data;
    for_each_run_of(regions, [&](const Data& buffer, Bytes first, Bytes last) {
      const auto append = [&](auto& to, const auto& from) { to.insert(to.end(), from.begin() + first, from.begin() + last); };
      append(data.bytes, buffer.bytes);
      if (!buffer.elements.empty()) append(data.elements, buffer.elements);
    });
    return data;
  }

  void write(const Regions& regions, const Data& data) {
    Bytes next = 0;
    for_each_run_of(regions, [&](Data& buffer, Bytes first, Bytes last) {
      const Bytes length = std::min(last - first, static_cast<Bytes>(data.bytes.size()) - next);
      const auto replace = [&](auto& to, const auto& from) {
        std::copy(from.begin() + next, from.begin() + next + length, to.begin() + first);
      };
      replace(buffer.bytes, data.bytes);
      if (!buffer.elements.empty()) replace(buffer.elements, data.elements);
      next += length;
    });
  }
};

// Numbers the elements of a reduction: each element of the inputs, and each result of combining two elements in a given order.
// Equal numbers mean equal elements.
class Elements {
 public:
  explicit Elements(Bytes element_bytes) : size_(static_cast<ElementByte>(element_bytes)) {}

  // Returns the bytes of a whole buffer of new elements.
  std::vector<ElementByte> of_input(std::size_t bytes) {
    std::vector<ElementByte> elements(bytes);
    for (std::size_t i = 0; i < bytes; ++i) elements[i] = count_ * size_ + i;
    count_ += (bytes + size_ - 1) / size_;
    return elements;
  }

  std::vector<ElementByte> combined(const std::vector<ElementByte>& left, const std::vector<ElementByte>& right) {
    std::vector<ElementByte> result;
    for (std::size_t first = 0; first + size_ <= std::min(left.size(), right.size()); first += size_) {
      const auto [entry, fresh] = made_.try_emplace({whole(left, first), whole(right, first)}, count_);
      count_ += fresh ? 1 : 0;
      for (ElementByte i = 0; i < size_; ++i) result.push_back(entry->second * size_ + i);
    }
    return result;
  }

 private:
  ElementByte whole(const std::vector<ElementByte>& bytes, std::size_t first) const {
    for (std::size_t i = 0; i < size_; ++i)
      if (bytes[first] == no_element || bytes[first] % size_ != 0 || bytes[first + i] != bytes[first] + i)
        throw Error(ErrorCode::misuse, fmt::format("a reduction reads {} bytes that are not one whole element", size_));
    return bytes[first] / size_;
  }

  const ElementByte size_;
  ElementByte count_ = 0;
  std::map<std::pair<ElementByte, ElementByte>, ElementByte> made_;
};

void check_runs(const Regions& regions, Bytes element_bytes) {
  for (const Region& region : regions)
    if (region.length % element_bytes != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a reduction has a run of {} bytes, which cuts an element of {}", region.length, element_bytes));
}

void play(const Local& local, Memory& memory, Elements& elements, const InterpreterOptions& options) {
  Data data = memory.read(local.source);
  if (local.kind == LocalKind::reduce) {
    if (!options.operation) throw Error(ErrorCode::misuse, "a reduction needs an operator");
    const Bytes element_bytes = options.operation->element_bytes;
    check_runs(local.source, element_bytes);
    check_runs(local.target, element_bytes);
    const Data source = std::exchange(data, memory.read(local.target));
    const auto length = static_cast<Bytes>(std::min(data.bytes.size(), source.bytes.size()));
    const bool source_first = local.order == OperandOrder::source_first;
    data.elements =
        elements.combined(source_first ? source.elements : data.elements, source_first ? data.elements : source.elements);
    options.operation->combine(source.bytes.data(), data.bytes.data(), length / element_bytes, local.order);
    data.bytes.resize(index(length));
  }
  memory.write(local.target, data);
}

}  // namespace

std::vector<ByteVector> interpret(const Schedule& schedule, const std::vector<ByteVector>& inputs,
                                  const InterpreterOptions& options) {
  const auto p = index(schedule.problem.ranks);
  Elements elements(options.operation ? options.operation->element_bytes : 1);
  std::vector<Program> programs;
  std::vector<Memory> memories;
  std::map<Count, std::vector<std::pair<std::size_t, const Round*>>>
      rounds;  // by round number: the ranks that have such a round, with this round
  for (std::size_t rank = 0; rank < p; ++rank) programs.push_back(schedule.program(static_cast<Rank>(rank)));
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto fresh = [&](Bytes size) {
      const auto length = index(size);
      return Data{ByteVector(length, options.unwritten), std::vector<ElementByte>(options.operation ? length : 0, no_element)};
    };
    const ByteVector& input = inputs.at(rank);
    memories.push_back({{Data{input, elements.of_input(options.operation ? input.size() : 0)},
                         fresh(output_bytes(schedule.problem, static_cast<Rank>(rank))), fresh(programs[rank].scratch_bytes)}});
    for (const Round& round : programs[rank].rounds) rounds[round.number].emplace_back(rank, &round);
  }

  for (const auto& [number, acting] : rounds) {
    for (const auto& [rank, round] : acting)
      for (const Local& local : round->locals) play(local, memories[rank], elements, options);
    // A round's messages are all read before any of them is written.
    std::map<std::tuple<Rank, Rank, std::optional<Port>>, Data> under_way;
    for (const auto& [rank, round] : acting)
      for (const Message& message : round->sends)
        under_way[{static_cast<Rank>(rank), message.peer, message.port}] = memories[rank].read(message.regions);
    for (const auto& [rank, round] : acting)
      for (const Message& message : round->receives)
        if (const auto found = under_way.find({message.peer, static_cast<Rank>(rank), message.port}); found != under_way.end())
          memories[rank].write(message.regions, found->second);
  }

  std::vector<ByteVector> outputs;
  for (Memory& memory : memories) outputs.push_back(std::move(memory.buffers[static_cast<std::size_t>(Buffer::output)].bytes));
  return outputs;
}

}  // namespace quadrille
