// SPDX-License-Identifier: BSD-3-Clause
// Random changes of correct schedules. Besides common mistakes, they include mistakes with elements: bytes of an
// element change places, elements are put together from two results, regions cut elements. Some changes leave a
// schedule correct.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::testing {

class Mutator {
 public:
  Mutator(const Schedule& schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs_.push_back(schedule.program(rank));
  }

  // Applies a random change, which may have no effect. Returns its name.
  std::string mutate() {
    struct Change {
      const char* name;
      void (Mutator::*make)();
      int weight;
    };
    static constexpr Change changes[] = {
        {"permute operands", &Mutator::permute_operands, 6},
        {"combine twice", &Mutator::combine_twice, 4},
        {"exchange results", &Mutator::exchange_results, 3},
        {"permute message", &Mutator::permute_message, 3},
        {"shift operands", &Mutator::shift_operands, 2},
        {"split region", &Mutator::split_region, 2},
        {"move region", &Mutator::move_region, 2},
        {"reorder regions", &Mutator::reorder_regions, 1},
        {"reorder locals", &Mutator::reorder_locals, 1},
        {"turn order", &Mutator::turn_order, 2},
        {"change kind", &Mutator::change_kind, 1},
        {"repeat local", &Mutator::repeat_local, 1},
        {"drop local", &Mutator::drop_local, 1},
        {"redirect", &Mutator::redirect, 1},
    };
    int drawn = static_cast<int>(below(std::accumulate(std::begin(changes), std::end(changes), 0,
                                                       [](int sum, const Change& change) { return sum + change.weight; })));
    const Change* change = changes;
    for (; drawn >= change->weight; ++change) drawn -= change->weight;
    (this->*change->make)();
    return change->name;
  }

  Schedule mutant() const {
    Schedule schedule = schedule_;
    schedule.symmetry.reset();
    schedule.program = [programs = programs_](Rank rank) { return programs.at(static_cast<std::size_t>(rank)); };
    return schedule;
  }

  Count below(Count end) { return static_cast<Count>(random_() % static_cast<std::uint64_t>(end)); }

 private:
  struct Byte {
    Buffer buffer;
    Bytes offset;
  };

  static std::vector<Byte> bytes_of(const Regions& regions) {
    std::vector<Byte> list;
    for (const Region& region : regions)
      for_each_run(region, [&](Bytes offset, Bytes length) {
        for (Bytes i = 0; i < length; ++i) list.push_back({region.buffer, offset + i});
      });
    return list;
  }

  // Returns regions with the same bytes in another order: byte i is the one that was byte order[i].
  static Regions permuted(const Regions& regions, const std::vector<std::size_t>& order) {
    const std::vector<Byte> list = bytes_of(regions);
    Regions result;
    for (const std::size_t i : order) {
      const auto [buffer, offset] = list[i];
      if (!result.empty() && result.back().buffer == buffer && result.back().offset + result.back().length == offset)
        ++result.back().length;
      else
        result.push_back({buffer, offset, 1, {}});
    }
    return result;
  }

  Bytes element() const { return schedule_.problem.element_bytes; }

  // Returns a random permutation of `length` bytes. Some permutations only move whole elements, which is correct.
  std::vector<std::size_t> permutation(std::size_t length) {
    std::vector<std::size_t> order(length);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto size = std::min<std::size_t>(static_cast<std::size_t>(element()), length);
    const auto drawn = [&](std::size_t end) { return static_cast<std::size_t>(below(static_cast<Count>(end))); };
    const auto each_element = [&](auto&& change) {
      for (std::size_t first = 0; first + size <= length; first += size)
        change(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(first + size));
    };
    const auto distance = static_cast<std::ptrdiff_t>(drawn(size));
    switch (drawn(6)) {
      case 0: each_element([&](auto first, auto last) { std::rotate(first, first + distance, last); }); break;
      case 1: each_element([&](auto first, auto last) { std::rotate(first, first + (last - first) / 2, last); }); break;
      case 2: each_element([&](auto first, auto last) { std::reverse(first, last); }); break;
      case 3: std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn(length)), order.end()); break;
      case 4: std::swap(order[drawn(length)], order[drawn(length)]); break;
      case 5: {  // whole elements
        std::vector<std::size_t> elements(length / size);
        std::iota(elements.begin(), elements.end(), std::size_t{0});
        std::shuffle(elements.begin(), elements.end(), random_);
        for (std::size_t i = 0; i < elements.size() * size; ++i) order[i] = elements[i / size] * size + i % size;
        break;
      }
    }
    return order;
  }

  struct LocalPlace {
    Program* program;
    std::vector<Local>* locals;
    std::size_t index;
    Local& local() const { return (*locals)[index]; }
  };

  std::optional<LocalPlace> any_local(std::optional<LocalKind> kind = {}) {
    std::vector<LocalPlace> places;
    for (Program& program : programs_)
      for (Round& round : program.rounds)
        for (std::size_t i = 0; i < round.locals.size(); ++i)
          if (!kind || round.locals[i].kind == *kind) places.push_back({&program, &round.locals, i});
    if (places.empty()) return std::nullopt;
    return places[static_cast<std::size_t>(below(static_cast<Count>(places.size())))];
  }

  std::vector<Regions*> all_lists() {
    std::vector<Regions*> lists;
    for (Program& program : programs_)
      for (Round& round : program.rounds) {
        for (Local& local : round.locals) lists.push_back(&local.source), lists.push_back(&local.target);
        for (Message& message : round.sends) lists.push_back(&message.regions);
        for (Message& message : round.receives) lists.push_back(&message.regions);
      }
    std::erase_if(lists, [](const Regions* list) { return list->empty(); });
    return lists;
  }

  Regions* any_list() {
    const std::vector<Regions*> lists = all_lists();
    return lists.empty() ? nullptr : lists[static_cast<std::size_t>(below(static_cast<Count>(lists.size())))];
  }

  static Regions scratch(Program& program, Bytes length) {
    const Region region{Buffer::scratch, program.scratch_bytes, length, {}};
    program.scratch_bytes += length;
    return {region};
  }

  static std::vector<Local>::iterator at(const LocalPlace& place) {
    return place.locals->begin() + static_cast<std::ptrdiff_t>(place.index);
  }

  // Permutes the bytes of both operands before a reduction, and restores their order afterwards.
  void permute_operands() {
    const auto place = any_local(LocalKind::reduce);
    if (!place) return;
    const Local reduce = place->local();
    const Bytes length = bytes(reduce.target);
    if (length == 0) return;
    const auto order = permutation(static_cast<std::size_t>(length));
    const auto other = below(4) == 0 ? permutation(order.size()) : order;
    const Regions source = scratch(*place->program, length), target = scratch(*place->program, length);
    const Regions of_source = permuted(reduce.source, other), of_target = permuted(reduce.target, order);
    place->locals->insert(place->locals->erase(at(*place)), {{LocalKind::copy, {}, of_source, source},
                                                             {LocalKind::copy, {}, of_target, target},
                                                             {LocalKind::reduce, reduce.order, source, target},
                                                             {LocalKind::copy, {}, target, of_target}});
  }

  // Repeats a reduction, perhaps with its operands exchanged, and takes some bytes from the second result.
  void combine_twice() {
    const auto place = any_local(LocalKind::reduce);
    if (!place) return;
    const Local reduce = place->local();
    const auto length = bytes(reduce.target);
    if (length == 0) return;
    const Regions second = scratch(*place->program, length);
    const bool turned = below(3) > 0;
    const OperandOrder other_order =
        reduce.order == OperandOrder::source_first ? OperandOrder::target_first : OperandOrder::source_first;
    std::vector<std::size_t> taken(static_cast<std::size_t>(length));
    std::iota(taken.begin(), taken.end(), std::size_t{0});
    const auto unit = below(3) == 0 ? element() : 1;
    const Bytes first = below(length / unit) * unit, last = first + (1 + below((length - first) / unit)) * unit;
    taken = {taken.begin() + first, taken.begin() + last};
    place->locals->insert(at(*place) + 1, {LocalKind::copy, {}, permuted(second, taken), permuted(reduce.target, taken)});
    place->locals->insert(at(*place), {{LocalKind::copy, {}, reduce.target, second},
                                       {LocalKind::reduce, turned ? other_order : reduce.order, reduce.source, second}});
  }

  // At the end, a rank takes some bytes of its result from another rank, which has the same result.
  void exchange_results() {
    const Problem& problem = schedule_.problem;
    const Bytes length = output_bytes(problem, 0);
    if (problem.collective != Collective::allreduce || problem.ranks < 2 || length == 0) return;
    const Rank from = below(problem.ranks), to = (from + 1 + below(problem.ranks - 1)) % problem.ranks;
    const Bytes first = below(length);
    const Regions part{{Buffer::output, first, 1 + below(length - first), {}}};
    Count number = 0;
    for (const Stage& stage : programs_[0].stages) number = std::max(number, stage.first_round + stage.round_count);
    for (Program& program : programs_) {
      program.stages.push_back({"exchange results", number, 1});
      if (program.rank == from) program.rounds.push_back({number, {}, {{to, part, {}}}, {}, {}, {}});
      if (program.rank == to) program.rounds.push_back({number, {}, {}, {{from, part, {}}}, {}, {}});
    }
  }

  // A message lists its bytes in another order, usually at both ends.
  void permute_message() {
    Program& program = programs_[static_cast<std::size_t>(below(schedule_.problem.ranks))];
    if (program.rounds.empty()) return;
    Round& round = program.rounds[static_cast<std::size_t>(below(static_cast<Count>(program.rounds.size())))];
    if (round.sends.empty()) return;
    Message& message = round.sends[static_cast<std::size_t>(below(static_cast<Count>(round.sends.size())))];
    const auto order = permutation(bytes_of(message.regions).size());
    if (order.empty()) return;
    message.regions = permuted(message.regions, order);
    if (below(4) == 0 || message.peer < 0 || message.peer >= schedule_.problem.ranks) return;
    for (Round& other : programs_[static_cast<std::size_t>(message.peer)].rounds)
      for (Message& receive : other.receives)
        if (other.number == round.number && receive.peer == program.rank && receive.port == message.port &&
            bytes_of(receive.regions).size() == order.size())
          receive.regions = permuted(receive.regions, order);
  }

  void shift_operands() {
    const auto place = any_local(LocalKind::reduce);
    if (!place) return;
    const Bytes by = below(2) == 0 ? 1 : -1;
    for (Regions* regions : {&place->local().source, &place->local().target})
      for (Region& region : *regions) region.offset += by;
  }

  // Splits a region into two regions, or into two runs of one; in half of the cases, a region of an operand.
  void split_region() {
    const auto reduce = below(2) == 0 ? any_local(LocalKind::reduce) : std::nullopt;
    Regions* list = reduce ? &reduce->local().target : any_list();
    if (!list || list->empty()) return;
    const auto index = static_cast<std::size_t>(below(static_cast<Count>(list->size())));
    Region& region = (*list)[index];
    if (region.length < 2 || region.levels != std::array<Level, 3>{}) return;
    if (region.length % 2 == 0 && below(2) == 0) {
      region.length /= 2;
      region.levels[0] = {2, region.length};
      return;
    }
    const Bytes first = 1 + below(region.length - 1);
    const Region rest{region.buffer, region.offset + first, region.length - first, {}};
    region.length = first;
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(index) + 1, rest);
  }

  void move_region() {
    Regions* list = any_list();
    if (!list) return;
    Region& region = (*list)[static_cast<std::size_t>(below(static_cast<Count>(list->size())))];
    const Bytes distances[] = {1, -1, element(), -element(), element() / 2, schedule_.problem.block_bytes};
    region.offset += distances[below(std::size(distances))];
  }

  void reorder_regions() {
    std::vector<Regions*> lists = all_lists();
    std::erase_if(lists, [](const Regions* list) { return list->size() < 2; });
    if (lists.empty()) return;
    Regions& list = *lists[static_cast<std::size_t>(below(static_cast<Count>(lists.size())))];
    std::rotate(list.begin(), list.begin() + 1 + below(static_cast<Count>(list.size()) - 1), list.end());
  }

  void reorder_locals() {
    const auto place = any_local();
    if (place && place->index + 1 < place->locals->size())
      std::swap((*place->locals)[place->index], (*place->locals)[place->index + 1]);
  }

  void turn_order() {
    const auto place = any_local(LocalKind::reduce);
    if (!place) return;
    OperandOrder& order = place->local().order;
    order = order == OperandOrder::source_first ? OperandOrder::target_first : OperandOrder::source_first;
  }

  void change_kind() {
    const auto place = any_local();
    if (!place) return;
    LocalKind& kind = place->local().kind;
    kind = kind == LocalKind::copy ? LocalKind::reduce : LocalKind::copy;
  }

  void repeat_local() {
    const auto place = any_local();
    if (!place) return;
    const Local again = place->local();
    place->locals->insert(at(*place), again);
  }

  void drop_local() {
    if (const auto place = any_local()) place->locals->erase(at(*place));
  }

  void redirect() {
    Program& program = programs_[static_cast<std::size_t>(below(schedule_.problem.ranks))];
    for (Round& round : program.rounds)
      if (!round.sends.empty() && below(2) == 0) {
        round.sends[0].peer = (round.sends[0].peer + 1) % schedule_.problem.ranks;
        return;
      }
  }

  const Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<Program> programs_;
};

}  // namespace quadrille::testing
