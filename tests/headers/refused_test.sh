#!/bin/sh
# refused_test.sh COMPILER INCLUDE_FOLDER...: compiles refused.cpp, and passes if the compiler reports exactly one error for each call
# there, with the sentence behind it.
compiler=$1; shift
source=$(dirname "$0")/refused.cpp
for folder in "$@"; do includes="$includes -I$folder"; done
messages=$(LC_ALL=C $compiler -std=c++20 -fsyntax-only $includes "$source" 2>&1) && { echo "refused.cpp compiles"; exit 1; }
failed=0
calls=0
while IFS=: read -r line sentence; do
  calls=$((calls + 1))
  printf '%s\n' "$messages" | grep -q "refused.cpp:$line:" || { echo "refused.cpp:$line compiles"; failed=1; }
  printf '%s\n' "$messages" | grep -qF "$sentence" || { echo "refused.cpp:$line: no error says: $sentence"; failed=1; }
done <<END
$(grep -n '^  [a-z_<>]*(.*;  *// ' "$source" | sed 's|^\([0-9]*\):.*// |\1:|')
END
errors=$(printf '%s\n' "$messages" | grep -c 'error: ')
[ "$errors" = "$calls" ] || { echo "$errors errors for $calls calls:"; printf '%s\n' "$messages" | grep 'error: '; failed=1; }
exit $failed
