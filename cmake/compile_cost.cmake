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

# The same for some sources of a target.
function(quadrille_optimise_sources level)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:${level}>)
endfunction()

# Compiles the sources of a folder as one file, or as several if there are many, unless CMAKE_UNITY_BUILD is OFF. So the headers that
# they share are compiled once, and a new source changes only what is compiled in its folder. Names in unnamed namespaces must be
# unique in a folder.
function(quadrille_compile_by_folder target)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(most 8)  # more would need more memory, and let a core wait for the last
  # A local name may be that of a constant in another file.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                        UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR part "${count_${group}} / ${most}")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()
