// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/typed.hpp"

#include "quadrille/neighborhood.hpp"
#include "support/random_neighborhood.hpp"
#include "support/typed_calls.hpp"

namespace quadrille::seeds {

std::string make_typed_calls(Communicator& ranks, std::uint64_t seed) {
  const auto root = static_cast<Rank>(seed % static_cast<std::uint64_t>(ranks.size()));
  return testing::TypedCalls<testing::Affine, Communicator&>(ranks, static_cast<Count>(seed / 8 % 4), root).run();
}

std::string exchange_with_neighbors(Communicator& ranks, std::uint64_t seed) {
  using Around = testing::RandomNeighborhood;
  const Around around(ranks.rank(), ranks.size(), seed);
  const Neighbors neighbors = around.neighbors();
  const auto counts_sent = Around::counts_of(around.sent), counts_received = Around::counts_of(around.received);
  const auto input = Around::elements_of(around.sent, Around::packed_places_of(around.sent));
  const auto expected = Around::elements_of(around.received, Around::packed_places_of(around.received));
  std::vector<int> first(expected.size(), -1), second(expected.size(), -1);
  Request exchange = ineighbor_alltoallv(ranks, neighbors, input, counts_sent, first, counts_received);
  neighbor_alltoallv(ranks, neighbors, input, counts_sent, second, counts_received);
  exchange.wait();
  return first == expected && second == expected ? "" : "an exchange with neighbours has wrong elements";
}

}  // namespace quadrille::seeds
