// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/site.hpp"

#include <fmt/format.h>

#include <utility>

#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

void SiteChoice::be_vendor(std::string cause) {
  plan.reset(), way.reset(), what.clear();
  why = std::move(cause);
}

void SiteChoice::be_ours(Contender contender) {
  plan.emplace(std::move(contender.plan));
  way = std::move(contender.way);
  what = fmt::format("{} ({})", plan->algorithm(), name(plan->executor()));
  why = std::move(contender.why);
}

int Site::timed(VendorCall vendor) {
  const std::uint64_t begin = ticks();
  const int code = vendor();
  vendor_times.count(ticks() - begin);
  return code;
}

void Site::leave(std::string cause) {
  mode = Mode::vendor;
  choice.be_vendor(std::move(cause));
  trial.reset();
  told.is_current = false;
}

void Site::take(Contender contender) {
  mode = Mode::ours;
  choice.be_ours(std::move(contender));
  trial.reset();
  told.is_current = false;
}

std::string_view name_in_rules(const Site& site) {
  const Function function = site.key.function;
  return is_exchanged(function) ? fortran_name(function) : name(*collective_of(function));
}

}  // namespace quadrille::mpi_face
