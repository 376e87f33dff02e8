// SPDX-License-Identifier: BSD-3-Clause
#include "options/file_format.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "quadrille/indexed.hpp"
#include "support/converted_picture.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

// What an extension promises. `format` is absent if no subcommand writes it. For pictures, `converter` turns SVG into it.
struct Extension {
  std::string_view text, promised;
  std::optional<FileFormat> format = std::nullopt;
  std::string_view converter = {};
};

constexpr std::string_view by_rsvg = "rsvg-convert '{svg}' -f {format} -o '{file}'", by_magick = "convert '{svg}' '{file}'";

constexpr Extension extensions[] = {{"svg", "SVG", FileFormat::svg},
                                    {"json", "JSON", FileFormat::json},
                                    {"csv", "CSV", FileFormat::csv},
                                    {"toml", "TOML", FileFormat::toml},
                                    {"perfetto", "a trace for Perfetto", FileFormat::perfetto},
                                    {"pftrace", "a trace for Perfetto", FileFormat::perfetto},
                                    {"png", "PNG", {}, by_rsvg},
                                    {"pdf", "PDF", {}, by_rsvg},
                                    {"eps", "EPS", {}, by_rsvg},
                                    {"ps", "PostScript", {}, by_rsvg},
                                    {"emf", "EMF", {}, "inkscape '{svg}' -o '{file}'"},
                                    {"jpg", "JPEG", {}, by_magick},
                                    {"jpeg", "JPEG", {}, by_magick},
                                    {"gif", "GIF", {}, by_magick},
                                    {"tif", "TIFF", {}, by_magick},
                                    {"tiff", "TIFF", {}, by_magick},
                                    {"webp", "WebP", {}, by_magick},
                                    {"bmp", "BMP", {}, by_magick},
                                    {"html", "HTML", FileFormat::html},
                                    {"htm", "HTML", FileFormat::html},
                                    {"svgz", "compressed SVG", {}, "gzip -c '{svg}' > '{file}'"}};

std::string_view name(FileFormat format) {
  static constexpr ByEnum<FileFormat, std::string_view, 7> names{
      {"text", "JSON", "CSV", "TOML", "SVG", "a trace for Perfetto", "HTML"}};
  return names[format];
}

bool is_given(const CLI::App& parser, const std::string& flag) {
  const CLI::Option* const option = parser.get_option_no_throw(flag);
  return option && option->count() > 0;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

// Returns what the file's extension promises, if that is not `written` and the command does not convert it; else null.
const Extension* other_promise(const std::string& file, FileFormat written) {
  if (written == FileFormat::svg && converted_format(file) && svg_converter()) return nullptr;
  const std::filesystem::path path = file;
  std::string dotted = lower(path.extension());
  if (dotted.empty()) dotted = lower(path.filename());  // ".png" is a name without an extension
  if (!dotted.starts_with('.')) return nullptr;
  const auto* const found = std::find_if(std::begin(extensions), std::end(extensions),
                                         [&](const Extension& each) { return each.text == std::string_view(dotted).substr(1); });
  return found == std::end(extensions) || found->format == written ? nullptr : found;
}

[[noreturn]] void refuse_promise(const std::string& file, FileFormat written, const Extension& extension, std::string advice) {
  if (written == FileFormat::svg && !extension.converter.empty()) {
    std::filesystem::path svg = std::filesystem::path(file).replace_extension();
    if (svg.extension() != ".svg") svg += ".svg";
    advice = fmt::format(fmt::runtime(extension.converter), fmt::arg("svg", svg.string()), fmt::arg("format", extension.text),
                         fmt::arg("file", file));
    advice = fmt::format("write '{}' and convert it: {}", svg.string(), advice);
  }
  refuse(fmt::format("'{}' would hold {}, not {}; {}", file, name(written), extension.promised, advice));
}

}  // namespace

FileFormat format_of_flags(const CLI::App& parser) {
  if (is_given(parser, "--json")) return FileFormat::json;
  return is_given(parser, "--csv") ? FileFormat::csv : FileFormat::text;
}

void check_extension(const std::string& file, FileFormat written) {
  if (const Extension* const extension = other_promise(file, written))
    refuse_promise(file, written, *extension, "name another file");
}

void check_output_extension(const CLI::App& parser, std::optional<FileFormat> written) {
  if (!written || !is_given(parser, "--output")) return;
  const std::string file = parser.get_option("--output")->as<std::string>();
  const Extension* const extension = other_promise(file, *written);
  if (!extension) return;
  const std::string flag = fmt::format("--{}", extension->text);
  // The subcommand obeys the flag only if the flags decide what it writes.
  const bool has_flag =
      *written == format_of_flags(parser) && extension->format && parser.get_option_no_throw(flag) && !is_given(parser, flag);
  refuse_promise(file, *written, *extension,
                 has_flag ? fmt::format("ask for that by {}, or name another file", flag) : "name another file");
}

}  // namespace quadrille::command
