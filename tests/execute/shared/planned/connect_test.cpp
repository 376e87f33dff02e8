// SPDX-License-Identifier: BSD-3-Clause
// Breaks what ranks tell each other about their memory, and tests that no rank connects to a place that is not the sender's.
#include "execute/shared/planned/connect.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "quadrille/program_builder.hpp"
#include "support/apart.hpp"

namespace quadrille::testing {
namespace {

using AllPlaces = ByRank<Connector::Places>;

// Two ranks exchange a short and a long message, but before they connect, each rank changes what it has been told.
void connect_with(const std::function<void(AllPlaces&, Rank me)>& change) {
  run_apart(2, {.costs = costs_of_copying_once(0)}, [&](SharedCommunicator& ranks) {
    constexpr Bytes block = 100'000;
    const Rank me = ranks.rank();
    ProgramBuilder program{me};
    for (const Region& region : {Region{Buffer::input, 0, 8, {}}, Region{Buffer::input, 8, block, {}}}) {
      program.begin_round();
      program.send(1 - me, {region});
      program.receive(1 - me, {{Buffer::output, region.offset, region.length, {}}});
    }
    const Script script = make_script(std::move(program).finish(), 2, {.strided_messages = true});
    SharedSpace& space = *ranks.space();
    Connector connector(space, script);
    AllPlaces places = gathered_or_thrown(space, [&] { return connector.offer(ranks.costs()); });
    change(places, me);
    const Connected connected = connector.connect(places, [](Connected made) { return made; });
    space.barrier();
  });
}

TEST(Connector, ConnectsOnlyToPlacesThatAgreeWithTheSenders) {
  connect_with([](AllPlaces&, Rank) {});
  EXPECT_DEATH(connect_with([](AllPlaces& all, Rank me) { all[me].directory += 64; }), "directory_\\.place\\(\\)");
  EXPECT_DEATH(connect_with([](AllPlaces& all, Rank) { all.pop_back(); }), "quadrille::size\\(all\\) == space_\\.size\\(\\)");
  // The same number of bytes, but divided in another way.
  const auto fewer_acks = [](AllPlaces& all, Rank me) {
    all[1 - me].acks -= 64;
    all[1 - me].counters += 64;
  };
  EXPECT_DEATH(connect_with(fewer_acks), "check_entry: theirs\\.acks == directory\\.ack_bytes");
}

}  // namespace
}  // namespace quadrille::testing
