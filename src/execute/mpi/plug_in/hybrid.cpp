// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/hybrid.hpp"

#include <utility>

#include "execute/agreement.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/shared/hybrid_messages.hpp"

namespace quadrille {

std::unique_ptr<Executable> HybridTransport::prepare(std::shared_ptr<const Script> script) {
  Lease lease = group_.lease();
  return made_or_thrown(group_, [&] {
    const auto make_far = [&](std::shared_ptr<const Script> far) {
      return MpiMessages(std::move(lease), group_.waiter(), std::move(far));
    };
    return script_executable<HybridMessages<MpiMessages>>(*script, *group_.node()->space(), group_.node()->costs(), group_.places(),
                                                          script, make_far);
  });
}

Bytes HybridTransport::buffered_message_bytes(Rank peer) const {
  const Rank place = group_.places()[peer];
  return place < 0 ? -1 : group_.node()->buffered_message_bytes(place);
}

}  // namespace quadrille
