# Flags of the project's targets. Everything stands on a target; nothing is
# set for a project that includes this one.

set(DAE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wstrict-prototypes -Wmissing-prototypes -Wdouble-promotion -Wundef)

# What breaks programs that are linked with the libraries: before 1.0 a minor version
# may, from then on a major one (docs/api.md).
set(DAE_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(DAE_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()

# Doubles are computed as doubles: 32-bit x86 would hold them in wider registers, and
# vectors of them need SSE2 there.
include(CheckCSourceCompiles)
check_c_source_compiles("#include <float.h>
#if FLT_EVAL_METHOD != 0
#error doubles are wider
#endif
int main(void) { return 0; }" DAE_DOUBLES_ARE_DOUBLES)
set(DAE_ARITHMETIC -ffp-contract=off)
if(NOT DAE_DOUBLES_ARE_DOUBLES)
  list(APPEND DAE_ARITHMETIC -msse2 -mfpmath=sse)
endif()

# What short runs call stands together (tools/dev/order.py): they meet fewer page faults
# and take 4 to 8 % less time. A linker that cannot do this leaves things as they stand.
include(CheckLinkerFlag)
set(DAE_ORDER "${CMAKE_CURRENT_LIST_DIR}/order.ld")
check_linker_flag(C "-Wl,-T,${DAE_ORDER}" DAE_HAS_ORDER)

# Language, warnings, sanitizers: for everything that is compiled here.
function(dae_flags target)
  target_compile_features(${target} PRIVATE c_std_11)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  # The same bits on every machine: no contraction into fused operations.
  target_compile_options(${target} PRIVATE ${DAE_ARITHMETIC} ${DAE_WARNINGS})
  # snprintf into a fixed text is meant to cut; gcc's guess of when it does
  # changes with the optimization.
  target_compile_options(${target} PRIVATE
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
  if(DAE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(DAE_HAS_ORDER AND NOT DAE_SANITIZE)
    set(optimized $<CONFIG:Release,RelWithDebInfo>)
    target_compile_options(${target} PRIVATE $<${optimized}:-ffunction-sections>)
    target_link_options(${target} PRIVATE $<${optimized}:-Wl,-T,${DAE_ORDER}>)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${DAE_ORDER}")
  endif()
  if(DAE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${DAE_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(DAE_SANITIZE MATCHES address AND NOT DAE_SANITIZE_ALL)
      # which stops at uses of null pointers and beyond objects as well; these
      # and alignment are checked by `tools/check sanitized`
      target_compile_options(${target} PRIVATE
        -fno-sanitize=null,object-size,pointer-overflow,alignment)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${DAE_SANITIZE})
    if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT BUILD_SHARED_LIBS)
      # a process starts, and looks for leaks, in less time
      target_link_options(${target} PRIVATE -static-libasan -static-libubsan)
    endif()
    if(NOT BUILD_SHARED_LIBS)
      # What the sanitizers know of each line is a third of a million pointers,
      # relocated whenever a position-independent program starts. Libraries may be
      # linked with one nevertheless.
      target_link_options(${target} PRIVATE -no-pie)
    endif()
  endif()
  if(DAE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(DAE_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# A library whose sources lie in `folder`, its public headers in
# `folder`/include.
function(dae_library target folder)
  dae_flags(${target})
  string(REPLACE dae_ "" short ${target})
  add_library(dae::${short} ALIAS ${target})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/${folder})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${short} VERSION ${PROJECT_VERSION} SOVERSION ${DAE_SOVERSION})
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PUBLIC DAE_SHARED)
  endif()
endfunction()
