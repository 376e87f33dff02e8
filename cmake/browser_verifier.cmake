# The verifier for browsers, which a course needs (docs/viewer.md). Nothing else needs it, and compiling it takes minutes, so only its
# own target builds it. It needs Debian's emscripten.
set(browser_verifier ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/quadrille/verifier.js)
add_custom_target(quadrille_browser_verifier
                  COMMAND ${PROJECT_SOURCE_DIR}/viewer/scripts/verifier.sh ${CMAKE_BINARY_DIR}/browser_verifier ${browser_verifier}
                  COMMENT "Compiling the verifier for browsers" VERBATIM USES_TERMINAL)
