# The drop-in, three libraries for each MPI that has a plug-in. lib/libquadrille-<mpi>.so has the collectives with MPI's own arguments,
# and the functions of the C interface that take MPI's handles; programs link with it as quadrille::<mpi>.
# lib/quadrille/quadrille-preload-<mpi>.so defines MPI's symbols, which call these collectives, and quadrille-record-<mpi>.so those of
# point-to-point functions, which are seen while a program is recorded. With -D QUADRILLE_MPI_ABI=FOLDER, the
# folder with the mpi.h of MPI 5's standard ABI, lib/quadrille/quadrille-preload-abi.so is built, too; it passes all calls through.

set(QUADRILLE_MPI_ABI "" CACHE PATH "the folder of the standard ABI's mpi.h, for a library to preload")
file(GLOB quadrille_preload_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi_face/symbols/*.cpp)
file(GLOB quadrille_record_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi_face/recorded_symbols/*.cpp)

function(quadrille_mpi_face mpi)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi_face/*.cpp ${PROJECT_SOURCE_DIR}/src/mpi_face/recording/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/rules\\.cpp$")  # part of the library

  # The symbol by which a program finds that it links with the library for its MPI (quadrille/mpi_package.h).
  set(package ${CMAKE_CURRENT_BINARY_DIR}/package_${mpi}.cpp)
  file(CONFIGURE OUTPUT ${package} @ONLY
       CONTENT "extern \"C\" {\nextern const char quadrille_package_@mpi@;\nconst char quadrille_package_@mpi@ = 0;\n}\n")

  set(target quadrille_face_${mpi})
  add_library(${target} SHARED ${sources} ${package})
  add_library(quadrille::${mpi} ALIAS ${target})
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" OUTPUT_NAME quadrille-${mpi} VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE QUADRILLE_MPI_LIBRARY="${mpi}")
  target_link_libraries(${target} PUBLIC quadrille_c $<BUILD_INTERFACE:quadrille> $<BUILD_INTERFACE:quadrille_uses_${mpi}>
                        PRIVATE $<BUILD_INTERFACE:quadrille_settings> fmt::fmt)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${mpi})
  quadrille_call_directly(${target})
  target_precompile_headers(${target} REUSE_FROM quadrille_${mpi})  # the plug-in
  quadrille_optimise(${target} -O2)
  quadrille_compile_by_folder(${target} BY_LAYER)

  # An empty library that has the name of the MPI library with which the drop-in is linked. It is preloaded, too, if the program is
  # linked with this MPI under another name (libmpi.so.12 of Intel MPI for libmpich.so.12): then the loader looks for no second MPI.
  execute_process(COMMAND ${CMAKE_READELF} -d ${QUADRILLE_LIBRARY_${mpi}} OUTPUT_VARIABLE dynamic)
  if(dynamic MATCHES "SONAME[^[]*\\[([^]]+)")
    set(empty ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
    file(CONFIGURE OUTPUT ${empty} CONTENT "typedef int quadrille_empty;\n")
    add_library(quadrille_alias_${mpi} MODULE ${empty})
    set_target_properties(quadrille_alias_${mpi} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-alias-${mpi}
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille)
    target_link_options(quadrille_alias_${mpi} PRIVATE LINKER:-soname,${CMAKE_MATCH_1})
    add_dependencies(quadrille_plug_ins quadrille_alias_${mpi})
    install(TARGETS quadrille_alias_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
  endif()

  # What is preloaded: always, and where a program is recorded.
  foreach(kind preload record)
    set(preloaded quadrille_${kind}_${mpi})
    add_library(${preloaded} MODULE ${quadrille_${kind}_sources})
    set_target_properties(${preloaded} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-${kind}-${mpi}
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille
                          BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
    target_include_directories(${preloaded} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${preloaded} PRIVATE QUADRILLE_MPI_LIBRARY="${mpi}")
    target_link_libraries(${preloaded} PRIVATE ${target} quadrille_settings)
    add_dependencies(quadrille_plug_ins ${preloaded})
    install(TARGETS ${preloaded} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
  endforeach()

  quadrille_optimise(quadrille_record_${mpi} -O1)

  add_dependencies(quadrille_plug_ins ${target})
  install(TARGETS ${target} EXPORT quadrille-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

foreach(mpi ${quadrille_mpi_libraries})
  if(TARGET quadrille_${mpi})
    quadrille_mpi_face(${mpi})
  endif()
endforeach()

# A library to preload for the standard ABI, built with the mpi.h in `folder`. It is not linked with an MPI library, because the
# program already is. The ABI does not cover Fortran.
function(quadrille_mpi_abi_face target folder)
  if(NOT EXISTS ${folder}/mpi.h)
    message(FATAL_ERROR "QUADRILLE_MPI_ABI: there is no mpi.h in ${folder}")
  endif()
  set(symbols ${quadrille_preload_sources})
  list(FILTER symbols EXCLUDE REGEX "/(fortran|init_and_request)_symbols\\.cpp$")
  add_library(${target} MODULE ${symbols} ${PROJECT_SOURCE_DIR}/src/mpi_face/calls.cpp ${PROJECT_SOURCE_DIR}/src/mpi_face/abi/pass_through.cpp)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME quadrille-preload-abi)
  target_include_directories(${target} SYSTEM PRIVATE ${folder})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE QUADRILLE_MPI_LIBRARY="abi")
  target_link_libraries(${target} PRIVATE quadrille_settings)
endfunction()

if(QUADRILLE_MPI_ABI)
  quadrille_mpi_abi_face(quadrille_preload_abi ${QUADRILLE_MPI_ABI})
  set_target_properties(quadrille_preload_abi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille)
  add_dependencies(quadrille_plug_ins quadrille_preload_abi)
  install(TARGETS quadrille_preload_abi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quadrille)
endif()
