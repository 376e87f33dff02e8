// SPDX-License-Identifier: BSD-3-Clause
#include "options/file_format.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "foundation/system/files.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

constexpr const char* converter = "rsvg-convert";

[[noreturn]] void fail(const std::string& reason) {
  throw Error(ErrorCode::environment, fmt::format("cannot convert the picture: {}", reason));
}

void demand(bool done) {
  if (!done) fail(std::strerror(errno));
}

// A file without a name, for the input and output of the converter. Unlike a pipe it holds any amount.
class NamelessFile {
 public:
  NamelessFile() : file_(::memfd_create("picture", MFD_CLOEXEC)) { demand(file_.number() >= 0); }

  int number() const { return file_.number(); }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number(), text.data(), text.size());
      demand(written > 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    demand(::lseek(number(), 0, SEEK_SET) == 0);
  }

  std::string content() const {
    demand(::lseek(number(), 0, SEEK_SET) == 0);
    std::string text;
    std::array<char, 65536> part{};
    for (ssize_t got = 0; (got = ::read(number(), part.data(), part.size())) != 0;) {
      demand(got > 0);
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  Descriptor file_;
};

// Runs a program with three files as stdin, stdout and stderr, and returns its exit code.
int run(const std::string& program, const std::vector<std::string>& arguments, const std::array<const NamelessFile*, 3>& files) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, files[static_cast<std::size_t>(i)]->number(), i);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int status = ::posix_spawn(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) fail(std::strerror(status));
  int end = 0;
  while (::waitpid(process, &end, 0) < 0) demand(errno == EINTR);
  return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
}

// The format that an extension promises. `format` is absent if no subcommand writes it. For pictures, `converter` turns SVG into
// it.
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

// Returns the row of the file's extension if it promises another format than `written` and the command does not convert to it;
// else null.
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

std::optional<std::string> svg_converter() {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "", ':')) {
    const std::string program = fmt::format("{}/{}", folder.empty() ? "." : folder, converter);
    if (::access(program.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(program)) return program;
  }
  return std::nullopt;
}

std::optional<std::string> converted_format(std::string_view file) {
  std::string extension = std::filesystem::path(file).extension();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const std::string format : {"png", "pdf"})
    if (extension == "." + format) return format;
  return std::nullopt;
}

std::string converted_picture(std::string_view svg, const std::string& format) {
  const std::optional<std::string> program = svg_converter();
  if (!program) fail(fmt::format("there is no {} in the folders of PATH", converter));
  const NamelessFile in, out, errors;
  in.write(svg);
  std::vector<std::string> arguments{"--unlimited", "--format=" + format};
  if (format == "png") arguments.emplace_back("--zoom=2");  // sharp in print and on dense screens
  const int code = run(*program, arguments, {&in, &out, &errors});
  if (code != 0)
    fail(fmt::format("{} ended with {}: {}", converter, code < 0 ? "a signal" : fmt::format("exit code {}", code),
                     excerpt(trimmed(errors.content()), 200)));
  return out.content();
}

std::string picture_for(const std::optional<std::string>& file, std::string svg) {
  const auto format = file ? converted_format(*file) : std::nullopt;
  return format ? converted_picture(svg, *format) : svg;
}

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
