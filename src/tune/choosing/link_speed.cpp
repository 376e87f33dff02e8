// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/link_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "execute/transport.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Rank 0 and the first rank of another node. Each of them sends to the other one while it receives. The other nodes need not wait,
// because only rank 0 uses what was measured.
class Pair {
 public:
  explicit Pair(Communicator& communicator) : mail_(communicator.transport().mail()) {
    const std::vector<Count>& nodes = communicator.nodes();
    const auto far = std::find_if(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes[0]; }) - nodes.begin();
    if (communicator.rank() == 0) other_ = far;
    if (communicator.rank() == far) other_ = 0;
  }

  // The least seconds of some messages, because other programs only lengthen them. 0 on all other ranks.
  double seconds(Bytes bytes) {
    if (other_ < 0) return 0;
    constexpr int messages = 2;
    const std::vector<std::byte> sent(index(bytes));
    std::vector<std::byte> received(index(bytes));
    double least = std::numeric_limits<double>::infinity();
    for (int message = 0; message < messages; ++message) {
      const auto begin = std::chrono::steady_clock::now();
      mail_->send(other_, sent);
      if (mail_->wait_for(other_) != bytes) throw Error(ErrorCode::transport, "a message to time a link has another length");
      mail_->receive(received.data());
      mail_->finish_sends();
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return least;
  }

 private:
  std::unique_ptr<Mail> mail_;
  Rank other_ = -1;  // -1 on ranks that are not of the pair
};

}  // namespace

double measured_us_per_byte(Communicator& communicator) {
  constexpr Bytes few = 8, more = Bytes{48} << 10;  // Open MPI asks the receiver before it sends 64 KiB over TCP
  Pair pair(communicator);
  const double few_s = pair.seconds(few);  // its first message also makes the connection
  return std::max(0.0, pair.seconds(more) - few_s) * 1e6 / static_cast<double>(more - few);
}

MachineCosts with_measured_links(MachineCosts machine, double us_per_byte) {
  constexpr double clearly_slower = 4;
  const auto found = machine.models.find("max-rate");
  if (found == machine.models.end()) return machine;
  Coefficients& figures = found->second;
  if (us_per_byte <= clearly_slower * figures["node_us_per_byte"]) return machine;
  figures["node_us_per_byte"] = us_per_byte;
  figures["us_per_byte"] = std::max(figures["us_per_byte"], us_per_byte);
  machine.name += fmt::format(" with links of about {:.2g} Gbit/s, as measured here", 8e-3 / us_per_byte);
  return machine;
}

}  // namespace quadrille
