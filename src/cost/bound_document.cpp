// SPDX-License-Identifier: BSD-3-Clause
// The JSON form of bounds (docs/bounds.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <sstream>

#include "foundation/text/printable.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/error.hpp"
#include "schedule/forms/json.hpp"

namespace quadrille {
namespace {

constexpr std::string_view bound_format = "quadrille-bound/1";

std::string fraction_json(const Fraction& fraction) {
  return fmt::format(R"(["{}", "{}"])", decimal(fraction.numerator()), decimal(fraction.denominator()));
}

std::string certificate_json(const Certificate& certificate) {
  std::string text = fmt::format("\"kind\": \"{}\", \"ports\": {}", name(certificate.kind), certificate.ports);
  switch (certificate.kind) {
    case BoundKind::spread:
    case BoundKind::crossing: text += fmt::format(", \"members\": [{}]", fmt::join(certificate.members, ", ")); [[fallthrough]];
    case BoundKind::equal_part: return text + fmt::format(", \"outwards\": {}", certificate.outwards);
    case BoundKind::odd_set: return text + fmt::format(", \"members\": [{}]", fmt::join(certificate.members, ", "));
    case BoundKind::flow: return text + fmt::format(", \"prices\": [{}]", fmt::join(certificate.prices, ", "));
    case BoundKind::compound: return text + fmt::format(", \"rounds\": {}", certificate.rounds);
    case BoundKind::time:
      return text + fmt::format(", \"startup_s\": {}, \"byte_s\": {}, \"by_rounds\": {}, \"compound\": {}",
                                fraction_json(certificate.startup_s), fraction_json(certificate.byte_s), certificate.by_rounds,
                                certificate.is_compound);
    default: return text;
  }
}

std::string bound_json(const Bound& bound) {
  std::string text = fmt::format("{{\"figure\": \"{}\", \"value\": {}, \"source\": {},\n  {}", bound.figure,
                                 fraction_json(bound.exact), json_string(bound.source), certificate_json(bound.certificate));
  if (bound.certificate.kind == BoundKind::time) {
    text += ", \"parts\": [";
    for (const Bound& part : bound.parts) text += (&part == &bound.parts[0] ? "\n  " : ",\n  ") + bound_json(part);
    text += "]";
  }
  return text + "}";
}

Fraction::Wide read_wide(const JsonValue& value) {
  const std::string& text = value.text("a whole number in quotes");
  const bool is_negative = text.starts_with('-');
  Fraction::Wide number = 0;
  if (text.size() == (is_negative ? 1u : 0u)) value.expected("a whole number in quotes");
  for (const char digit : std::string_view(text).substr(is_negative ? 1 : 0)) {
    if (digit < '0' || digit > '9') value.expected("a whole number in quotes");
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, digit - '0', &number))
      value.expected("a number of at most 127 bits");
  }
  return is_negative ? -number : number;
}

Fraction read_fraction(const JsonValue& value) {
  if (value.size("a numerator and a denominator") != 2) value.expected("a numerator and a denominator");
  const Fraction::Wide denominator = read_wide(value.entry(1));
  if (denominator <= 0) value.refuse("the denominator is less than 1");
  return {read_wide(value.entry(0)), denominator};
}

std::vector<Count> read_list(const JsonValue& list) {
  std::vector<Count> numbers;
  list.for_each([&](const JsonValue& number) { numbers.push_back(number.integer("a whole number", 0)); });
  return numbers;
}

Bound read_bound(const JsonValue& object) {
  const JsonValue kind = object.key("kind");
  Certificate certificate;
  if (const auto known = bound_kind_named(kind.text()))
    certificate.kind = *known;
  else
    kind.expected("a kind of bound");
  certificate.ports = object.key("ports").integer("a number of ports", 1, std::numeric_limits<std::int32_t>::max());
  switch (certificate.kind) {
    case BoundKind::spread:
    case BoundKind::crossing: certificate.members = read_list(object.key("members")); [[fallthrough]];
    case BoundKind::equal_part: certificate.outwards = object.key("outwards").boolean(); break;
    case BoundKind::odd_set: certificate.members = read_list(object.key("members")); break;
    case BoundKind::flow: certificate.prices = read_list(object.key("prices")); break;
    case BoundKind::compound: certificate.rounds = object.key("rounds").integer("a number of rounds", 0); break;
    case BoundKind::time:
      certificate.startup_s = read_fraction(object.key("startup_s"));
      certificate.byte_s = read_fraction(object.key("byte_s"));
      certificate.by_rounds = object.key("by_rounds").boolean();
      certificate.is_compound = object.key("compound").boolean();
      break;
    default: break;
  }
  const Fraction value = read_fraction(object.key("value"));
  const bool has_parts = certificate.kind == BoundKind::time;
  Bound bound = proved(object.key("figure").text(), value, object.key("source").text(), std::move(certificate));
  if (has_parts) object.key("parts").for_each([&](const JsonValue& part) { bound.parts.push_back(read_bound(part)); });
  return bound;
}

NetworkLinks read_network(const JsonValue& object) {
  constexpr Count most_vertices = Count{1} << 22;
  NetworkLinks network{.vertices = object.key("vertices").integer("a number of vertices", 1, most_vertices)};
  object.key("links").for_each([&](const JsonValue& link) {
    if (link.size("the two ends of a link") != 2) link.expected("the two ends of a link");
    network.links.push_back(
        {link.entry(0).integer("a vertex", 0, network.vertices - 1), link.entry(1).integer("a vertex", 0, network.vertices - 1)});
  });
  if (const auto capacities = object.find("capacities"))
    network.capacities = {object.key("machine_capacity").integer("a capacity", 1), read_list(*capacities)};
  return network;
}

}  // namespace

std::string bounds_json(const BoundDocument& document) {
  std::ostringstream text;
  Printer out(text);
  out.print("{{\"format\": \"{}\",\n\"collective\": \"{}\"", bound_format, name(document.problem.collective));
  write_json_sizes(out, document.problem);
  if (document.network) {
    out.print(",\n\"network\": {{\"vertices\": {}, \"links\": [", document.network->vertices);
    for (const NetworkLinks::Ends& link : document.network->links)
      out.print("{}[{}, {}]", &link == &document.network->links[0] ? "" : ", ", link.from, link.to);
    out.print("]");
    if (const Capacities& capacities = document.network->capacities; !capacities.of_links.empty())
      out.print(",\n \"capacities\": [{}], \"machine_capacity\": {}", fmt::join(capacities.of_links, ", "), capacities.of_machine);
    out.print("}}");
  }
  out.print(",\n\"bounds\": [");
  for (const Bound& bound : document.bounds) out.print("{}\n {}", &bound == &document.bounds[0] ? "" : ",", bound_json(bound));
  out.print("\n]}}\n");
  out.flush();
  return std::move(text).str();
}

BoundDocument parse_bounds(std::string_view text) {
  const nlohmann::json root = json_tree(text);
  const JsonValue document(root);
  const JsonValue format = document.key("format");
  if (format.text() != bound_format) format.expected(fmt::format("'{}'", bound_format));
  BoundDocument read{.problem = read_json_head(document).problem};
  if (const auto network = document.find("network")) read.network = read_network(*network);
  document.key("bounds").for_each([&](const JsonValue& bound) { read.bounds.push_back(read_bound(bound)); });
  return read;
}

}  // namespace quadrille
