# Adds the hardening flags that compiler and linker support to optimised builds; _FORTIFY_SOURCE has
# no effect in other builds. Builds with sanitizers are excluded, which have their own checks.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

option(NBSCOREP_HARDENING "Compile and link optimised builds with hardening flags" ON)
set(hardened "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")

function(harden_compiler)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(nbscorep_flags INTERFACE $<${hardened}:${flag}>)
    endif()
  endforeach()
endfunction()

function(harden_linker)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "HAS${flag}" has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
      target_link_options(nbscorep_flags INTERFACE $<${hardened}:${flag}>)
    endif()
  endforeach()
endfunction()

# Level 3 requires glibc 2.34 and a compiler that determines object sizes at run time.
function(harden_library)
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("
    #include <stdio.h>
    #if __USE_FORTIFY_LEVEL < 3
    #error no level 3
    #endif
    int main(void) { return 0; }" HAS_FORTIFY_SOURCE_3)
  set(level 2)
  if(HAS_FORTIFY_SOURCE_3)
    set(level 3)
  endif()
  target_compile_options(nbscorep_flags INTERFACE
    $<${hardened}:-U_FORTIFY_SOURCE> $<${hardened}:-D_FORTIFY_SOURCE=${level}>)
endfunction()

if(NBSCOREP_HARDENING AND NOT NBSCOREP_SANITIZE AND NOT NBSCOREP_COVERAGE)
  set(NBSCOREP_HARDENED ON)
  check_pie_supported(LANGUAGES C)
  if(CMAKE_C_LINK_PIE_SUPPORTED)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    # Only programs link the static library, and their symbols are not replaced: -fPIE after -fPIC.
    target_compile_options(nbscorep_flags INTERFACE ${CMAKE_C_COMPILE_OPTIONS_PIE})
  endif()
  harden_library()
  harden_compiler(-fstack-protector-strong -fstack-clash-protection -fcf-protection)
  harden_linker(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
