// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/irregular_blocks.hpp"

namespace quadrille {

void IrregularBlocks::refuse_length(Count elements) {
  throw Error(ErrorCode::too_large, fmt::format("{} elements reach 2^63 bytes", elements));
}

Bytes IrregularBlocks::own_share() const {
  if (arguments().in_place) return bytes(is_root() ? blocks().counts[index(me_)] : arguments().output_elements);
  return bytes(is_scatter() ? arguments().output_elements : arguments().input_elements);
}

void IrregularBlocks::check_all() const {
  check_operation();
  const auto checked = [](Rank, Count, Count) {};
  if (has_pairs()) {
    if (!replaces()) visit_sent(checked);
    return visit_received(checked);
  }
  if (is_rooted() && !is_root()) return;
  is_scatter() ? visit_sent(checked) : visit_received(checked);
  if (arguments().in_place || is_rooted()) return;
  if (is_scatter())
    check_own("output", arguments().output_elements);
  else
    check_own("input", arguments().input_elements);
}

void IrregularBlocks::check_own(std::string_view buffer, Count elements) const {
  const Count own = blocks().counts[index(me_)];
  if (call_.has_buffers && elements != own)
    throw Error(ErrorCode::misuse, fmt::format("{}'s {} has {} elements, and counts[{}], of this rank, is {}",
                                               name(arguments().collective), buffer, elements, me_, own));
}

void IrregularBlocks::compare_share(Rank rank, Bytes share) const {
  if (const Bytes expected = bytes(blocks().counts[index(rank)]); expected != share)
    throw Error(ErrorCode::misuse,
                fmt::format("{}'s counts[{}] is {} B at the root and rank {} {} {} B; they must be equal",
                            name(arguments().collective), rank, expected, rank, is_scatter() ? "has room for" : "gives", share));
}

}  // namespace quadrille
