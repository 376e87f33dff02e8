// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/link_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "execute/mail.hpp"
#include "execute/transport.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// The first rank of each node sends to that of the next node while it receives from that of the one before it.
class Neighbours {
 public:
  explicit Neighbours(Communicator& communicator) : mail_(communicator.transport().mail()) {
    std::vector<Rank> firsts;  // nodes are numbered in the order of their first ranks
    const std::vector<Count>& nodes = communicator.nodes();
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
      if (nodes[rank] == size(firsts)) firsts.push_back(static_cast<Rank>(rank));
    const auto own = index(nodes[index(communicator.rank())]);
    if (firsts[own] != communicator.rank()) return;
    next_ = firsts[(own + 1) % firsts.size()];
    previous_ = firsts[(own + firsts.size() - 1) % firsts.size()];
  }

  // The least seconds of some messages, because other programs only lengthen them. 0 on ranks that are not the first of their node.
  double seconds(Bytes bytes) {
    if (next_ < 0) return 0;
    constexpr int messages = 2;
    const std::vector<std::byte> sent(index(bytes));
    std::vector<std::byte> received(index(bytes));
    double least = std::numeric_limits<double>::infinity();
    for (int message = 0; message < messages; ++message) {
      const auto begin = std::chrono::steady_clock::now();
      mail_->send(next_, sent);
      if (mail_->wait_for(previous_) != bytes) throw Error(ErrorCode::transport, "a message to time a link has another length");
      mail_->receive(received.data());
      mail_->finish_sends();
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return least;
  }

 private:
  std::unique_ptr<Mail> mail_;
  Rank next_ = -1, previous_ = -1;
};

}  // namespace

double measured_us_per_byte(Communicator& communicator) {
  constexpr Bytes few = 8, more = Bytes{1} << 16;
  Neighbours neighbours(communicator);
  const double few_s = neighbours.seconds(few);  // its first message also makes the connection
  return std::max(0.0, neighbours.seconds(more) - few_s) * 1e6 / static_cast<double>(more - few);
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
