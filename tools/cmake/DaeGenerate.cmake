# Sources made at build time, into the build tree: the scanner by re2c, the
# parser by Lemon, the pages of `dae explain` from docs/diagnostics.

find_program(RE2C re2c)
find_program(LEMON lemon)
find_file(LEMON_TEMPLATE lempar.c PATHS /usr/share/lemon /usr/local/share/lemon
  PATH_SUFFIXES lemon)
mark_as_advanced(RE2C LEMON LEMON_TEMPLATE)
foreach(tool RE2C LEMON LEMON_TEMPLATE)
  if(NOT ${tool})
    string(REGEX REPLACE "_.*" "" package ${tool})
    string(TOLOWER ${package} package)
    message(FATAL_ERROR "${package} was not found. "
      "On Debian: apt-get install ${package}")
  endif()
endforeach()

# Where coverage is counted, the generated C says which of its lines are rules
# and actions of ours; elsewhere a debugger had better show what is compiled.
if(DAE_COVERAGE)
  set(scanner_lines)
  set(parser_lines)
else()
  set(scanner_lines --no-debug-info)
  set(parser_lines -l)
endif()

# Generated C is exempt from warnings; it lies in generated/ below the folder
# its source has, so that `"syntax/grammar.h"` is found there.
function(dae_generated_path out source ending)
  # the whole path is matched: CMake would apply a bare `^` again and again
  string(REGEX REPLACE "^[^/]*/(.*)$" "\\1" path ${source})
  string(REGEX REPLACE "\\.[a-z]*$" ".${ending}" path ${path})
  set(path ${PROJECT_BINARY_DIR}/generated/${path})
  get_filename_component(folder ${path} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(${out} ${path} PARENT_SCOPE)
endfunction()

function(dae_scanner out source)
  dae_generated_path(c ${source} c)
  add_custom_command(OUTPUT ${c}
    COMMAND ${RE2C} -W -Werror ${scanner_lines} --no-generation-date
      --utf8 --input-encoding utf8 -o ${c} ${PROJECT_SOURCE_DIR}/${source}
    DEPENDS ${PROJECT_SOURCE_DIR}/${source}
    COMMENT "re2c ${source}" VERBATIM)
  set_source_files_properties(${c} PROPERTIES COMPILE_OPTIONS -w)
  set(${out} ${c} PARENT_SCOPE)
endfunction()

# Lemon's exit status is not zero where the grammar has a conflict.
function(dae_grammar out source)
  dae_generated_path(c ${source} c)
  dae_generated_path(h ${source} h)
  get_filename_component(folder ${c} DIRECTORY)
  add_custom_command(OUTPUT ${c} ${h}
    COMMAND ${LEMON} -q ${parser_lines} -T${LEMON_TEMPLATE} -d${folder}
      ${PROJECT_SOURCE_DIR}/${source}
    DEPENDS ${PROJECT_SOURCE_DIR}/${source}
    COMMENT "lemon ${source}" VERBATIM)
  set_source_files_properties(${c} PROPERTIES COMPILE_OPTIONS -w)
  set(${out} ${c} ${h} PARENT_SCOPE)
endfunction()

function(dae_embed_diagnostics out)
  set(script ${PROJECT_SOURCE_DIR}/tools/cmake/embed_diagnostics.cmake)
  set(folder ${PROJECT_SOURCE_DIR}/docs/diagnostics)
  file(GLOB pages CONFIGURE_DEPENDS ${folder}/*.md)
  dae_generated_path(c solver/base/diag_pages.md c)
  add_custom_command(OUTPUT ${c}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${folder} -DOUTPUT=${c} -P ${script}
    DEPENDS ${pages} ${script}
    COMMENT "embed docs/diagnostics" VERBATIM)
  set(${out} ${c} PARENT_SCOPE)
endfunction()
