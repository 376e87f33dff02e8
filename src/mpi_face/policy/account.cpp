// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/account.hpp"

namespace quadrille::mpi_face {
namespace {

Account account, tuning;
ExpectedCosts costs;

}  // namespace

Account& Account::of_process() { return account; }
Account& Account::of_tuning() { return tuning; }
ExpectedCosts& ExpectedCosts::of_process() { return costs; }

}  // namespace quadrille::mpi_face
