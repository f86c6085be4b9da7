# cmake -DSOURCE=<tree> -DOUTPUT=<commit.h> -DBUILD=<text> -P commit.cmake
# Writes the commit of the tree that is being built, at every build, touching the file only when it
# changes. A tree without git says so (ODDTILE_COMMIT in the environment names it then).
set(commit "$ENV{ODDTILE_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(commit "unknown (no git here)")
  else()
    execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE changes ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(changes)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()
set(text "#pragma once
namespace oddtile::reports {
inline constexpr char kCommit[] = \"${commit}\";
inline constexpr char kBuild[] = \"${BUILD}\";
}  // namespace oddtile::reports
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
