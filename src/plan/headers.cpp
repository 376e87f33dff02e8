// SPDX-License-Identifier: BSD-3-Clause
#include "plan/headers.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executions/exchanger.hpp"
#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

struct MessageLengths {
  Bytes header = 0, payload = 0;
};

std::byte* bytes_at(auto* memory) { return reinterpret_cast<std::byte*>(memory); }

// The headers of one stage. Receivers do not know the headers' lengths, so the lengths are sent first. Listing allocates memory,
// so it is done between the two exchanges: within an exchange the other ranks would wait for a rank that runs out of memory.
class StageHeaders {
 public:
  explicit StageHeaders(const std::vector<IncrementalRound>& rounds)
      : rounds_(rounds), sent_(rounds.size()), received_(rounds.size()), headers_(rounds.size()) {
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      const IncrementalRound& round = rounds_[i];
      sent_[i] = {size(round.header), bytes(round.read)};
      if (round.to) lists_.send(*round.to, bytes_at(&sent_[i]), sizeof(MessageLengths));
      if (round.from) lists_.receive(*round.from, bytes_at(&received_[i]), sizeof(MessageLengths));
    }
  }

  // Lists the headers, when the lengths have arrived.
  void list_headers() {
    lists_.clear();
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      const IncrementalRound& round = rounds_[i];
      QUADRILLE_ASSERT(received_[i].header >= 0 && received_[i].payload >= 0);
      headers_[i].resize(index(received_[i].header));
      if (round.to) lists_.send(*round.to, reinterpret_cast<const std::byte*>(round.header.data()), sent_[i].header);
      if (round.from) lists_.receive(*round.from, bytes_at(headers_[i].data()), received_[i].header);
    }
  }

  Edges edges() const { return lists_.edges(); }  // the lengths or headers that were listed last

  void pass_to(IncrementalProgram& incremental) const {
    for (std::size_t i = 0; i < rounds_.size(); ++i)
      if (rounds_[i].from) incremental.arrived(*rounds_[i].from, headers_[i], received_[i].payload);
  }

 private:
  const std::vector<IncrementalRound>& rounds_;
  EdgeLists lists_;
  std::vector<MessageLengths> sent_, received_;     // by round
  std::vector<std::vector<std::uint8_t>> headers_;  // the received headers, by round
};

}  // namespace

Program program_by_headers(Communicator& ranks, IncrementalProgram& incremental) {
  const std::unique_ptr<Exchanger> exchanger = Exchanger::of(ranks);
  std::optional<StageHeaders> stage;
  const auto next_stage = [&] {
    const std::vector<IncrementalRound>* const rounds = incremental.next_stage();
    stage.reset();
    if (rounds) stage.emplace(*rounds);
    return rounds != nullptr;
  };
  ByRank<bool> go_on = gathered_or_thrown(ranks, next_stage);
  while (stage) {
    QUADRILLE_ASSERT(std::all_of(go_on.begin(), go_on.end(), [](bool each) { return each; }));
    exchanger->execute(stage->edges());
    gathered_or_thrown(ranks, [&] {
      stage->list_headers();
      return true;
    });
    exchanger->execute(stage->edges());
    go_on = gathered_or_thrown(ranks, [&] {
      stage->pass_to(incremental);
      return next_stage();
    });
  }
  return made_or_thrown(ranks, [&] { return incremental.finish(); });
}

}  // namespace quadrille
