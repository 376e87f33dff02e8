# Links the files of the tarball (scripts/package.sh tarball) in build/release/portable: target quadrille_tarball. The objects are those of
# the usual build, and only the links differ:
# - The C library is that of an older Debian, whose folder is QUADRILLE_PORTABLE_SYSTEM. A link binds each function to the version that
#   this library has. What it lacks is in old_system.cpp; a test in that Debian would miss more. Headers do not matter, because
#   glibc keeps the layouts of its types.
# - Each file has the libraries of C++, fmt, pugixml, hwloc and libdw inside and hides them. So no library of the tarball can be
#   mapped in place of one that the program was built with. Exceptions cross the files, because their types are
#   compared by name, and because they are counted in one place (exceptions_of_thread.cpp).
# - libgcc_s is that of the system, because glibc brings it on all systems, and one process should have one unwinder.
set(system_archives ${QUADRILLE_PORTABLE_SYSTEM}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})

add_library(quadrille_fmt_inside STATIC EXCLUDE_FROM_ALL cmake/fmt_in_archive.cpp)
target_link_libraries(quadrille_fmt_inside PRIVATE fmt::fmt)
quadrille_optimise(quadrille_fmt_inside -O1)
add_library(quadrille_old_system OBJECT EXCLUDE_FROM_ALL packaging/old_system.cpp)
add_custom_target(quadrille_tarball)

# quadrille_twin(TARGET TYPE FOLDER OBJECTS.. LINK LIBRARIES..): the twin of TARGET, in FOLDER of the tarball.
function(quadrille_twin target type folder)
  cmake_parse_arguments(PARSE_ARGV 3 its "" "" "OBJECTS;LINK")
  set(twin ${target}_portable)
  if(type STREQUAL EXECUTABLE)
    add_executable(${twin} EXCLUDE_FROM_ALL ${its_OBJECTS} $<TARGET_OBJECTS:quadrille_old_system>)
  else()
    add_library(${twin} ${type} EXCLUDE_FROM_ALL ${its_OBJECTS} $<TARGET_OBJECTS:quadrille_old_system>)
  endif()
  set_target_properties(${twin} PROPERTIES OUTPUT_NAME ${target})
  foreach(property OUTPUT_NAME PREFIX SOVERSION)
    get_target_property(value ${target} ${property})
    if(NOT value MATCHES "NOTFOUND$")
      set_target_properties(${twin} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(options ${target} LINK_OPTIONS)
  if(NOT options)
    set(options)
  endif()
  string(REGEX REPLACE "[^/]+" ".." up ${folder})
  set(output ${PROJECT_BINARY_DIR}/portable/${folder})
  set_target_properties(${twin} PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${output} LIBRARY_OUTPUT_DIRECTORY ${output}
                        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/${up}/lib")
  target_link_options(${twin} PRIVATE --sysroot=${QUADRILLE_PORTABLE_SYSTEM} -B${system_archives} -static-libstdc++ LINKER:--exclude-libs,ALL,--allow-shlib-undefined -s ${options})
  target_link_libraries(${twin} PRIVATE ${its_LINK} quadrille_fmt_inside -lpthread -ldl -lrt)
  add_dependencies(quadrille_tarball ${twin})
endfunction()

function(quadrille_twin_library target type folder)  # links the objects of TARGET
  quadrille_twin(${target} ${type} ${folder} OBJECTS $<TARGET_OBJECTS:${target}> LINK ${ARGN})
endfunction()

quadrille_twin(quadrille SHARED lib OBJECTS ${quadrille_objects} packaging/exceptions_of_thread.cpp
               LINK $<TARGET_NAME_IF_EXISTS:pugixml::static>)
quadrille_twin_library(quadrille_heap SHARED lib quadrille_portable)
foreach(mpi ${quadrille_mpi_libraries})
  if(TARGET quadrille_${mpi})
    set(quadrille quadrille_portable quadrille_uses_${mpi})
    quadrille_twin_library(quadrille_${mpi} MODULE lib/quadrille ${quadrille})
    quadrille_twin_library(quadrille_face_${mpi} SHARED lib ${quadrille})
    foreach(kind preload record)
      quadrille_twin_library(quadrille_${kind}_${mpi} MODULE lib/quadrille quadrille_face_${mpi}_portable ${quadrille})
    endforeach()
  endif()
endforeach()

# The programs. The archives are named as files, because as targets they would bring the usual libquadrille.
function(quadrille_twin_program target folder)
  set(archives ${ARGN} quadrille_watch quadrille_prove quadrille_support)
  set(files hwloc dw elf lzma bz2 z)
  list(TRANSFORM files REPLACE "(.+)" "${system_archives}/lib\\1.a")
  foreach(archive IN LISTS archives)
    list(APPEND archive_files $<TARGET_FILE:${archive}>)
  endforeach()
  quadrille_twin(${target} EXECUTABLE ${folder} OBJECTS $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:quadrille_subcommands>
                 LINK ${archive_files} quadrille_portable ${files})
  add_dependencies(${target}_portable ${archives})
endfunction()
quadrille_twin_program(quadrille_command bin)
quadrille_twin_program(quadrille_on_demand libexec/quadrille quadrille_papers)
