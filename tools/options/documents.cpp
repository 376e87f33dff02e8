// SPDX-License-Identifier: BSD-3-Clause
#include "options/documents.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "foundation/system/files.hpp"
#include "options/arguments.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "support/text.hpp"
#include "trace/trace_format.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // a limit, because files such as /dev/zero never end

// Returns the result of `read`, and puts the label in front of the text of its errors.
template <class Read>
auto labelled(const std::string& label, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", label, error.what()));
  }
}

constexpr std::string_view any_trace = "quadrille-trace/", report_format = "quadrille-report";
constexpr int report_version = 1;

[[noreturn]] void refuse_version(const std::string& label, const std::string& found, std::string_view known) {
  throw Error(
      ErrorCode::malformed,
      fmt::format("{} has the format {}, and this version reads {}; use the version of quadrille that wrote it, or write it "
                  "again with this one",
                  label, found, known));
}

// The kind of a result of a subcommand, or of a schedule. Results of versions before 0.2.0 have no format.
DocumentKind kind_of_keys(const Json& document) {
  if (document.contains("stages")) return DocumentKind::schedule;
  if (document.contains("sizes")) return DocumentKind::race;
  if (document.contains("cells")) return DocumentKind::tuning;
  return document.contains("candidates") ? DocumentKind::prediction : DocumentKind::schedule;
}

DocumentKind kind_of_format(const std::string& format, const Json& document, const std::string& label) {
  if (format.starts_with(any_trace)) {
    if (format != trace_format) refuse_version(label, format, trace_format);
    return DocumentKind::trace;
  }
  if (format != report_format) return kind_of_keys(document);
  if (const auto version = document.find("format_version"); version != document.end() && *version != report_version)
    refuse_version(label, fmt::format("{} {}", format, version->dump()), fmt::format("{} {}", report_format, report_version));
  return DocumentKind::report;
}

constexpr std::size_t most_listed_titles = 12;

std::vector<std::size_t> with_word(const std::vector<std::string>& titles, const std::string& word) {
  if (const auto number = number_in<std::size_t>(word))
    return *number >= 1 && *number <= titles.size() ? std::vector{*number - 1} : std::vector<std::size_t>();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (titles[i].find(word) != std::string::npos) found.push_back(i);
  return found;
}

}  // namespace

std::string read_text(const std::string& file, const std::string& label) {
  const auto fail = [&](ErrorCode code, const std::string& reason) {
    throw Error(code, fmt::format("cannot read {}: {}", label, reason));
  };
  static bool has_read_stdin = false;
  if (file == "-" && std::exchange(has_read_stdin, true)) fail(ErrorCode::misuse, "it is read already; name '-' once");
  const Descriptor opened(file == "-" ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  const int number = file == "-" ? STDIN_FILENO : opened.number();
  struct stat status {};
  if (number < 0 || ::fstat(number, &status) != 0) fail(ErrorCode::environment, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::environment, "it is a directory");
  std::string text;
  const int error = read_parts(number, [&](std::string_view part) {
    if (part.find('\0') != part.npos) fail(ErrorCode::malformed, "it is not a text file");
    if (text.size() + part.size() > most_bytes) fail(ErrorCode::too_large, "it is longer than 1 GiB");
    text += part;
  });
  if (error != 0) fail(ErrorCode::environment, std::strerror(error));
  constexpr std::string_view mark = "\xef\xbb\xbf";  // a byte order mark
  while (text.starts_with(mark)) text.erase(0, mark.size());
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) fail(ErrorCode::malformed, "it is empty");
  return text;
}

void check_names_file(const std::string& subject, bool about_problem, bool about_algorithm) {
  const bool exists = subject == "-" || ::access(subject.c_str(), F_OK) == 0;
  if (!exists && (about_problem || about_algorithm || nearest_collective(subject)))
    refuse(unknown_collective(subject, "collective or file"));
  if (about_algorithm) refuse("a file says itself which algorithm it holds; leave --algorithm out");
  if (about_problem) refuse("a file says itself which problem it is for; leave --ranks, --block and the like out");
}

std::string label_of(const std::string& file) { return file == "-" ? "stdin" : "'" + file + "'"; }

std::vector<Schedule> read_schedules(const std::string& file, const ReadText& read) {
  const std::string label = label_of(file), text = read(file, label);
  try {
    return labelled(label, [&] { return parse_documents(text); });
  } catch (const Error&) {
    if (kind_of_document(text, label) == DocumentKind::trace)
      refuse(label + " holds a trace, which has no programs; name the schedule it is of, or show the trace by 'quadrille view'");
    throw;
  }
}

std::vector<Trace> read_traces(const std::string& text, const std::string& label) {
  return labelled(label, [&] { return parse_traces(text); });
}

DocumentKind kind_of_document(const std::string& text, const std::string& label) {
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& document = all.is_array() && !all.empty() ? all.front() : all;
  if (!document.is_object()) return DocumentKind::schedule;
  if (const auto format = document.find("format"); format != document.end())
    return format->is_string() ? kind_of_format(format->get<std::string>(), document, label) : DocumentKind::schedule;
  return kind_of_keys(document);
}

OptionRow OnlyOption::row() {
  return {"--only", "N|TITLE", words, "of a file that holds several: this one, by its number (from 1) or a part of its title"};
}

std::vector<std::size_t> OnlyOption::places_in(const std::vector<std::string>& titles, const std::string& label) const {
  std::vector<std::size_t> list;
  for (const std::string& word : words) {
    const std::vector<std::size_t> found = with_word(titles, word);
    if (found.empty()) refuse(fmt::format("{} has nothing that --only {} names; it holds {}", label, word, numbered(titles)));
    if (found.size() > 1)
      refuse(fmt::format("{} titles in {} contain '{}'; pick one by its number: {}", found.size(), label, word, numbered(titles)));
    list.push_back(found.front());
  }
  return list;
}

std::string numbered(const std::vector<std::string>& titles) {
  std::string text;
  for (std::size_t i = 0; i < titles.size() && i < most_listed_titles; ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", i + 1, titles[i]);
  return titles.size() > most_listed_titles ? fmt::format("{}; and {} more", text, titles.size() - most_listed_titles) : text;
}

}  // namespace quadrille::command
