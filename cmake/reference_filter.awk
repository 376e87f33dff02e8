# SPDX-License-Identifier: BSD-3-Clause
# Prints a header for doxygen: comments that document a declaration begin with three slashes instead of two. These comments are
#   the comment at the head of the file; a class without a comment refers to it
#   a comment directly above a declaration. It is printed again above
#     each further declaration up to the next empty line, if all of these are one line long
#     each later function whose name contains the name of the documented one (alltoall: ialltoall, alltoall_in_place)
#   a comment after a declaration, unless it says in which header a class is defined
# Comments inside functions are left unchanged. Code in comments is indented further, as Markdown requires.

{ line[NR] = $0 }

function indentation(text) { return match(text, /[^ ]/) - 1 }

function declares(text) { return text ~ /[^ ]/ && text !~ /^ *([}#]|public:|private:|protected:)/ }

function is_one_line(text) { return text ~ /;( *\/\/.*)?$/ }

# Returns the name of the function that is declared at line i, or in the lines that follow it; empty if there is none.
function function_at(i, text) {
  if (line[i] ~ /^ *(class|struct|enum|namespace|using|concept|static_assert|friend) /) return ""
  for (; i <= NR && line[i] != ""; ++i)
    if (match(line[i], /[A-Za-z_0-9]+\(/)) return substr(line[i], RSTART, RLENGTH - 1)
    else if (line[i] ~ /[;{]$/) return ""
  return ""
}

function print_documentation(first, last, spaces, i, text) {
  for (i = first; i <= last; ++i) {
    text = line[i]
    sub(/^ *\/\//, "", text)
    if (text ~ /^  /) text = "  " text  # code
    printf "%*s///%s\n", spaces, "", text
  }
}

function print_code(i, text) {
  text = line[i]
  if (text ~ /[;,{)] *\/\/ / && text !~ /^(class|struct) [A-Za-z]*;/) sub(/\/\/ /, "///< ", text)
  print text
}

END {
  file = FILENAME
  sub(/.*\//, "", file)
  i = 1
  if (line[i] ~ /SPDX/) ++i
  for (first = i; line[i] ~ /^\/\//; ++i) continue
  if (i > first) {
    print "/// \\file"
    print_documentation(first, i - 1, 0)
  }
  first = 0  # `first` to `last` are the lines of the last comment that documents something
  while (i <= NR) {
    if (body != "") {  # inside a function; its last line begins with `body`, the brace at the function's indentation
      print line[i]
      if (index(line[i], body) == 1) body = ""
      ++i
      continue
    }
    begins = i
    while (line[i] ~ /^ *\/\//) ++i
    spaces = indentation(line[i])
    starts = declares(line[i]) && !is_continued
    if (i > begins && starts) {
      first = begins
      last = i - 1
      name = spaces == 0 ? function_at(i) : ""
      in_group = is_one_line(line[i])
      print_documentation(first, last, spaces)
    } else if (i > begins) {
      for (; begins < i; ++begins) print line[begins]
    } else if (starts && in_group && is_one_line(line[i]) && line[i] !~ /\/\//) {
      print_documentation(first, last, spaces)
    } else if (starts && spaces == 0 && name != "" && index(function_at(i), name)) {
      print_documentation(first, last, 0)
    } else if (starts && line[i] ~ /^(class|struct) .*\{$/) {
      print "/// See " file "."
    }
    if (!declares(line[i])) in_group = 0
    print_code(i)
    is_continued = declares(line[i]) && line[i] !~ /[;{}:]( *\/\/.*)?$/  # the declaration goes on in the next line
    if (line[i] ~ /\{$/ && line[i] !~ /^ *(class|struct|enum|union|namespace|extern)/ && line[i] !~ /= *\{$/) body = sprintf("%*s}", spaces, "")
    ++i
  }
}
