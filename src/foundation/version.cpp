// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/version.hpp"

namespace quadrille {

std::string_view version() { return QUADRILLE_VERSION; }

}  // namespace quadrille
