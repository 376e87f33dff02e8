// SPDX-License-Identifier: BSD-3-Clause
// Claims of [liu2002] about curves, as ratios of times.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

std::function<std::vector<double>(const std::vector<CurveTimes>&)> ratios(const IrregularCurve& one, const IrregularCurve& other) {
  return [one, other](const std::vector<CurveTimes>& points) {
    std::vector<double> list;
    for (const CurveTimes& times : points) list.push_back(times.at(one) / times.at(other));
    return list;
  };
}

std::string over(const IrregularCurve& one, const IrregularCurve& other) {
  return fmt::format("time of {} over that of {}", one.label(), other.label());
}

}  // namespace

std::string IrregularCurve::label() const {
  constexpr ByMode<const char*> names{{"b", "n1", "n2"}};
  return fmt::format("A{}-{}", algorithm, names[mode]);
}

bool IrregularClaim::is_met_by(double value) const {
  return relation == Relation::at_least ? value >= bound * (1 - claim_tolerance) : value <= bound * (1 + claim_tolerance);
}

bool IrregularClaim::holds(const std::vector<CurveTimes>& points) const {
  const std::vector<double> list = values(points);
  return is_met_by(*decisive(list));
}

std::vector<double>::const_iterator IrregularClaim::decisive(const std::vector<double>& list) const {
  return (relation == Relation::at_least) == at_all_points ? std::min_element(list.begin(), list.end())
                                                           : std::max_element(list.begin(), list.end());
}

IrregularClaim is_lower(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said, const std::string& reason) {
  return has_ratio(one, other, Relation::at_most, 1, said, reason);
}

IrregularClaim has_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                         const Quotation& said, const std::string& reason) {
  return {
      .what = over(one, other), .said = said, .values = ratios(one, other), .relation = relation, .bound = bound, .reason = reason};
}

IrregularClaim has_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const Quotation& said,
                        const std::string& reason) {
  IrregularClaim claim = has_ratio(one, other, Relation::at_most, bound, said, reason);
  claim.at_all_points = false;
  return claim;
}

IrregularClaim or_as(IrregularClaim claim, const IrregularClaim& other) {
  claim.other_readings.push_back(other.values);
  return claim;
}

IrregularClaim gains_less(int number, int than, const Quotation& said, const std::string& reason) {
  using enum ExchangeMode;
  return {.what = fmt::format("nonblocking over blocking time of A{}, divided by the same ratio of A{}", number, than),
          .said = said,
          .values =
              [own = ratios({number, one_buffer}, {number, blocking}),
               other = ratios({than, one_buffer}, {than, blocking})](const std::vector<CurveTimes>& points) {
                std::vector<double> list = own(points);
                const std::vector<double> beside = other(points);
                for (std::size_t i = 0; i < list.size(); ++i) list[i] /= beside[i];
                return list;
              },
          .relation = Relation::at_least,
          .reason = reason};
}

IrregularClaim grows_more(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                          const std::string& reason) {
  return {.what = fmt::format("growth of {} over that of {}", one.label(), other.label()),
          .said = said,
          .values =
              [one, other](const std::vector<CurveTimes>& points) {
                return std::vector{(points.back().at(one) - points.front().at(one)) /
                                   (points.back().at(other) - points.front().at(other))};
              },
          .relation = Relation::at_least,
          .reason = reason};
}

}  // namespace quadrille::papers
