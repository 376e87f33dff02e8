# Reduces compile times. Two things take most of the time: parsing the headers of the standard library, fmt and others again for
# each file, and optimising code that does not run for long.

# Precompiles these headers once for each target. A file still includes what it uses, and `./check --long` also builds without
# precompiled headers to check that.
function(quadrille_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <array> <functional> <map> <memory> <numeric> <optional> <span> <string>
                            <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endfunction()

# Sets a level of optimisation for a target in release builds. Levels belong to targets and not to sources: CMake leaves a source with
# options of its own out of what is compiled together.
function(quadrille_optimise target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# Compiles the sources of a folder as one file, or as several of `most` if there are many, unless CMAKE_UNITY_BUILD is OFF. So the
# headers that they share are compiled once, and a new source changes only what is compiled in its folder. Names in unnamed
# namespaces must be unique in a folder.
set(quadrille_compiled_together 12)  # more would need more memory, and let a core wait for the last
function(quadrille_compile_by_folder target)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  # A local name may be that of a constant in another file, and a class may have members of types that only its own file knows.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_CODE_BEFORE_INCLUDE
    "#pragma GCC diagnostic ignored \"-Wshadow\"\n#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"")
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE absolute)
    cmake_path(GET absolute PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR part "${count_${group}} / ${quadrille_compiled_together}")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()
