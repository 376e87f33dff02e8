// SPDX-License-Identifier: BSD-3-Clause
// A reader of GOAL for tests, which shares nothing with the writer. It replays the operations as LogGOPSim does: an operation
// starts when all that it requires are done, and a receive is done when a message with its source and tag has arrived.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::testing {

// From, to, bytes.
using GoalMessage = std::tuple<Rank, Rank, Bytes>;

struct GoalReplay {
  std::multiset<GoalMessage> messages;
  Count depth = 0;                  // the most messages that wait for each other in a chain
  std::vector<Count> computing_ns;  // by rank: the sum of all calc
  std::vector<Count> ends_ns;       // by rank, if messages take no time
  std::string trouble;              // what is wrong; empty: nothing
};

class GoalText {
 public:
  explicit GoalText(const std::string& text) {
    std::istringstream lines(text);
    Rank rank = -1;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first, second, third;
      if (!(words >> first)) continue;
      words >> second;
      if (first == "num_ranks") {
        ranks_.resize(std::stoul(second));
      } else if (first == "rank") {
        if (std::stoll(second) != ++rank) throw std::runtime_error("ranks are not in order: " + line);
      } else if (first == "}") {
        continue;
      } else if (second == "requires") {
        words >> third;
        at(rank, first).requires_.push_back(third);
      } else {
        enter(rank, first, second, words, line);
      }
    }
    if (rank + 1 != static_cast<Rank>(ranks_.size())) throw std::runtime_error("ranks are missing");
  }

  GoalReplay replay() {
    GoalReplay found;
    found.computing_ns.resize(ranks_.size());
    found.ends_ns.resize(ranks_.size());
    std::map<std::tuple<Rank, Rank, Count>, std::deque<std::tuple<Bytes, Count, Count>>> under_way;  // bytes, depth, time
    std::size_t left = 0;
    for (const auto& rank : ranks_) left += rank.size();
    for (bool advances = true; advances && left > 0;) {
      advances = false;
      for (Rank rank = 0; rank < static_cast<Rank>(ranks_.size()); ++rank)
        for (auto& [label, operation] : ranks_[static_cast<std::size_t>(rank)]) {
          if (operation.is_done || !is_ready(rank, operation)) continue;
          for (const std::string& other : operation.requires_) {
            operation.depth = std::max(operation.depth, at(rank, other).depth);
            operation.end_ns = std::max(operation.end_ns, at(rank, other).end_ns);
          }
          if (operation.kind == "calc") {
            found.computing_ns[static_cast<std::size_t>(rank)] += operation.amount;
            operation.end_ns += operation.amount;
          } else if (operation.kind == "send") {
            under_way[{rank, operation.peer, operation.tag}].emplace_back(operation.amount, operation.depth + 1, operation.end_ns);
            found.messages.insert({rank, operation.peer, operation.amount});
          } else {
            auto& coming = under_way[{operation.peer, rank, operation.tag}];
            if (coming.empty()) continue;
            const auto [bytes, depth, time_ns] = coming.front();
            coming.pop_front();
            if (bytes != operation.amount) found.trouble = label + " expects other bytes than are sent";
            operation.depth = std::max(operation.depth, depth);
            operation.end_ns = std::max(operation.end_ns, time_ns);
          }
          operation.is_done = true;
          found.depth = std::max(found.depth, operation.depth);
          found.ends_ns[static_cast<std::size_t>(rank)] = std::max(found.ends_ns[static_cast<std::size_t>(rank)], operation.end_ns);
          --left;
          advances = true;
        }
    }
    if (left > 0) found.trouble = std::to_string(left) + " operations never start or never end";
    for (const auto& [channel, coming] : under_way)
      if (!coming.empty()) found.trouble = "a message is never received";
    return found;
  }

 private:
  struct Operation {
    std::string kind;
    Bytes amount = 0;
    Rank peer = -1;
    Count tag = 0;
    std::vector<std::string> requires_;
    bool is_done = false;
    Count depth = 0, end_ns = 0;
  };

  Operation& at(Rank rank, const std::string& label) {
    const auto found = ranks_.at(static_cast<std::size_t>(rank)).find(label);
    if (found == ranks_[static_cast<std::size_t>(rank)].end()) throw std::runtime_error("no label " + label);
    return found->second;
  }

  bool is_ready(Rank rank, const Operation& operation) {
    return std::all_of(operation.requires_.begin(), operation.requires_.end(),
                       [&](const std::string& other) { return at(rank, other).is_done; });
  }

  // "l1: send 8b to 1 tag 3"
  void enter(Rank rank, std::string label, const std::string& kind, std::istream& words, const std::string& line) {
    if (label.back() != ':') throw std::runtime_error("not understood: " + line);
    label.pop_back();
    Operation operation{.kind = kind};
    std::string amount, direction, tag;
    words >> amount;
    if (kind == "send" || kind == "recv") {
      if (amount.back() != 'b') throw std::runtime_error("no bytes: " + line);
      words >> direction >> operation.peer >> tag >> operation.tag;
      if (direction != (kind == "send" ? "to" : "from") || tag != "tag") throw std::runtime_error("not understood: " + line);
    } else if (kind != "calc") {
      throw std::runtime_error("not understood: " + line);
    }
    operation.amount = std::stoll(amount);
    if (!ranks_.at(static_cast<std::size_t>(rank)).emplace(label, operation).second)
      throw std::runtime_error("a label twice: " + line);
  }

  std::vector<std::map<std::string, Operation>> ranks_;
};

}  // namespace quadrille::testing
