// SPDX-License-Identifier: BSD-3-Clause
// MPICH's functions for the table of vendor_choice.hpp.
#pragma once

#include <string>
#include <string_view>

#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"
#include "tune/rules/mpich_trees.hpp"

namespace quadrille {

struct MpichTrees {
  explicit MpichTrees(std::string_view library);  // the bytes of libmpich.so; throws as mpich_tree does

  MpichTree device, shared_memory, messages;
};

Result<std::string> mpich_algorithm(const MpichTrees& trees, const Problem& problem);
Result<std::string> mpich_algorithm(const Problem& problem);  // by the trees of the installed library
Result<std::string> mpich_equivalent(const Problem& problem, std::string_view algorithm);

}  // namespace quadrille
