# Reduces compile times. Two things take most of the time: parsing the headers of the standard library, fmt and others again for
# each file, and optimising code that does not run for long.

# Precompiles these headers once for each target. A file still includes what it uses, and `./check --long` also builds without
# precompiled headers to check that.
function(quadrille_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <functional> <map> <memory> <numeric> <optional> <span> <string>
                            <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endfunction()

# Sets a lower level of optimisation for a target in release builds.
function(quadrille_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()
