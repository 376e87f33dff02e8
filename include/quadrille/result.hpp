// SPDX-License-Identifier: BSD-3-Clause
// A value, or the reason why there is none. Functions return it where a missing value is not an error: an algorithm does not apply,
// a transport has no shared memory. The reason is one sentence without a full stop at its end:
//
//   Result<Count> side = side_of(problem);
//   if (!side) return cannot(side.error());
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace quadrille {

template <class Value = void>
using Result = tl::expected<Value, std::string>;

inline tl::unexpected<std::string> cannot(std::string reason) { return tl::unexpected<std::string>(std::move(reason)); }

}  // namespace quadrille
