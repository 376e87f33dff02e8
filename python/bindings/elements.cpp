// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace quadrille::python {
namespace {

using Kind = ElementType::Kind;

// Skips the mark of the byte order if it is this machine's. A format of another byte order keeps it, and so has no known kind.
const char* without_order(const char* format) {
  constexpr char own = std::endian::native == std::endian::little ? '<' : '>';
  return *format == '@' || *format == '=' || *format == own ? format + 1 : format;
}

Kind kind_of(const char* format) {
  const bool is_complex = *format == 'Z';
  if (is_complex) ++format;
  if (format[0] == '\0' || format[1] != '\0') return Kind::other;
  if (is_complex) return *format == 'f' || *format == 'd' ? Kind::complex : Kind::other;
  switch (*format) {
    case '?': return Kind::truth;
    case 'f':
    case 'd': return Kind::real;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return Kind::whole;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return Kind::natural;
  }
  return Kind::other;
}

// The letters of a structure's members, without their names and padding: "di" of T{d:value:i:index:}. Empty if it is no structure.
std::string members_of(const char* format) {
  std::string members;
  if (std::strncmp(format, "T{", 2) != 0) return members;
  bool is_name = false;
  for (const char* letter = format + 2; *letter && (is_name || *letter != '}'); ++letter) {
    if (*letter == ':') is_name = !is_name;
    if (!is_name && !std::strchr(":x@=", *letter)) members += *letter;
  }
  return members;
}

// The name of a pair of a value and a 32-bit index, such as "f64_i32"; empty if the structure is none.
std::string pair_name(const char* format) {
  const std::string members = members_of(format);
  if (members.size() != 2 || members[1] != 'i') return "";
  switch (members[0]) {
    case 'f': return "f32_i32";
    case 'd': return "f64_i32";
    case 'h': return "i16_i32";
    case 'i': return "i32_i32";
    case 'l':
    case 'q': return "i64_i32";
  }
  return "";
}

}  // namespace

bool ElementType::operator==(const ElementType& other) const {
  return kind == other.kind && bytes == other.bytes && (kind != Kind::other || std::strcmp(format, other.format) == 0);
}

ElementType element_type_of(const Py_buffer& view) {
  const char* const format = view.format ? without_order(view.format) : "B";
  return {kind_of(format), std::max<Bytes>(view.itemsize, 1), format};
}

bool has_objects(const ElementType& type) {
  if (type.kind != Kind::other) return false;
  bool is_name = false;  // of a member, as in T{d:value:O:object:}
  for (const char* letter = type.format; *letter; ++letter) {
    if (*letter == ':') is_name = !is_name;
    if (*letter == 'O' && !is_name) return true;
  }
  return false;
}

std::string shown(const ElementType& type) {
  switch (type.kind) {
    case Kind::truth: return "bool";
    case Kind::whole: return fmt::format("int{}", 8 * type.bytes);
    case Kind::natural: return fmt::format("uint{}", 8 * type.bytes);
    case Kind::real: return fmt::format("float{}", 8 * type.bytes);
    case Kind::complex: return fmt::format("complex{}", 8 * type.bytes);
    case Kind::other: break;
  }
  const std::string_view format = type.format;
  if (format == "e") return "float16";
  if (format == "g") return "longdouble";
  if (format.starts_with("T{")) {
    const std::string pair = pair_name(type.format);
    return pair.empty() ? fmt::format("structure {}", format) : pair;
  }
  if (const Kind kind = kind_of(type.format + 1); (format[0] == '>' || format[0] == '<') && kind != Kind::other)
    return fmt::format("{} in another byte order (array.astype(array.dtype.newbyteorder('=')) converts it)",
                       shown({kind, type.bytes, type.format}));
  return fmt::format("'{}'", format);
}

std::string name(const ElementType& type) {
  switch (type.kind) {
    case Kind::other: {
      std::string pair = pair_name(type.format);
      return pair.empty() ? type.format : pair;
    }
    case Kind::truth: return "bool";
    case Kind::whole: return fmt::format("i{}", 8 * type.bytes);
    case Kind::natural: return fmt::format("u{}", 8 * type.bytes);
    case Kind::real: return fmt::format("f{}", 8 * type.bytes);
    case Kind::complex: return fmt::format("c{}", 8 * type.bytes);
  }
  return "";
}

}  // namespace quadrille::python
