# SPDX-License-Identifier: BSD-3-Clause
# For doxygen, which reads comments that begin with three slashes, where the headers have two. Documentation are
#   the head of a file
#   a comment directly above a declaration; for all lines of declarations up to the next empty line, and for further functions whose
#     names contain the name of the one it stands above (alltoall: ialltoall, alltoall_in_place)
#   a comment behind a declaration
# but not comments inside functions. Code in comments is indented further, as Markdown wants it.
function as_documentation(line) {
  match(line, /\/\//)
  text = substr(line, RSTART + 2)
  if (text ~ /^  /) text = "  " text  # code
  return substr(line, 1, RSTART - 1) "///" text
}
function print_block(documents) {
  for (i = 1; i <= lines; ++i) print documents ? as_documentation(block[i]) : block[i]
  lines = 0
}
function print_held() {
  for (i = 1; i <= held_lines; ++i) print held[i]
  held_lines = 0
}
function name_of(line) {  # the function's name
  sub(/\(.*/, "", line)
  sub(/.*[ *&]/, "", line)
  return line
}
function keep_block() {
  kept_lines = lines
  for (i = 1; i <= lines; ++i) kept[i] = block[i]
}
/^\/\/ SPDX/ { next }
!past_head && /^\/\// { if (!lines) print "/// \\file"; block[++lines] = $0; next }
!past_head { print_block(1); past_head = 1 }

body != "" {  # of a function: up to the brace at the margin that it began at
  print
  if (index($0, body) == 1) body = ""
  next
}
/^ *\/\/ / { print_held(); block[++lines] = $0; next }
{
  declares = $0 ~ /[^ ]/ && $0 !~ /^ *[}#]/
  indentation = match($0, /[^ ]/) - 1
  if (lines) {
    is_documented = declares
    if (declares) { keep_block(); awaits_name = 1 }
    grouped = declares && $0 ~ /;( *\/\/.*)?$/
    print_block(declares)
  } else if (declares && grouped && $0 ~ /;( *\/\/.*)?$/ && $0 !~ /;  ?\/\//) {
    for (i = 1; i <= kept_lines; ++i) print as_documentation(kept[i])
  } else if (declares && indentation == 0 && !awaits_name && $0 ~ /^(template|inline|void|Request)/) {
    held[++held_lines] = $0
    if ($0 !~ /[a-z_]\(/) next
    if (last_name != "" && index(name_of($0), last_name))
      for (i = 1; i <= kept_lines; ++i) print as_documentation(kept[i])
    print_held_line = held_lines
    $0 = held[held_lines--]
    print_held()
  } else if (held_lines) {
    held[++held_lines] = $0
    if ($0 !~ /[a-z_]\(/) next
    if (last_name != "" && index(name_of($0), last_name))
      for (i = 1; i <= kept_lines; ++i) print as_documentation(kept[i])
    $0 = held[held_lines--]
    print_held()
  }
  if (!declares) { grouped = 0; if ($0 ~ /^ *$/ && 0) awaits_name = 0 }
  if (awaits_name && $0 ~ /[a-zA-Z_]\(/) { last_name = indentation == 0 ? name_of($0) : ""; awaits_name = 0 }
  if (awaits_name && $0 ~ /^ *(class|struct|enum|namespace|using|concept)/) { last_name = ""; awaits_name = 0 }
  if ($0 ~ /[;,{)>] *\/\/ /) sub(/\/\/ /, "///< ")
  print
  if ($0 ~ /\{$/ && $0 !~ /^ *(class|struct|enum|union|namespace|extern)/ && $0 !~ /= *\{$/) body = substr("                ", 1, indentation) "}"
}
