# What compiling costs. Two things take most of it: reading the headers of the standard library, fmt and others again for each file,
# and optimising what does not run for long.

# Each target reads these headers once. A file still includes what it uses: `./check --long` also builds without this.
function(quadrille_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <functional> <map> <memory> <numeric> <optional> <span> <string>
                            <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endfunction()

# The optimisation that is enough for a target, where a build optimises at all.
function(quadrille_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()
