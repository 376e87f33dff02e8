// SPDX-License-Identifier: BSD-3-Clause
#include "options/document_kind.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "support/json.hpp"
#include "trace/trace_format.hpp"

namespace quadrille::command {
namespace {

constexpr std::string_view any_trace = "quadrille-trace/", report_format = "quadrille-report";
constexpr int report_version = 1;

[[noreturn]] void refuse_version(const std::string& label, const std::string& found, std::string_view known) {
  throw Error(
      ErrorCode::malformed,
      fmt::format("{} has the format {}, and this version reads {}; use the version of quadrille that wrote it, or write it "
                  "again with this one",
                  label, found, known));
}

DocumentKind kind_of_format(const std::string& format, const Json& document, const std::string& label) {
  if (format.starts_with(any_trace)) {
    if (format != trace_format) refuse_version(label, format, trace_format);
    return DocumentKind::trace;
  }
  if (format != report_format) return DocumentKind::schedule;
  if (const auto version = document.find("format_version"); version != document.end() && *version != report_version)
    refuse_version(label, fmt::format("{} {}", format, version->dump()), fmt::format("{} {}", report_format, report_version));
  return DocumentKind::report;
}

}  // namespace

DocumentKind kind_of_document(const std::string& text, const std::string& label) {
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& document = all.is_array() && !all.empty() ? all.front() : all;
  if (!document.is_object()) return DocumentKind::schedule;
  if (const auto format = document.find("format"); format != document.end())
    return format->is_string() ? kind_of_format(format->get<std::string>(), document, label) : DocumentKind::schedule;
  if (document.contains("sizes")) return DocumentKind::race;
  if (document.contains("cells")) return DocumentKind::tuning;
  return document.contains("candidates") ? DocumentKind::prediction : DocumentKind::schedule;
}

}  // namespace quadrille::command
