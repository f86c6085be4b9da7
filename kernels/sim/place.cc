#include "kernels/sim/place.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace oddtile::simulator {

namespace {

SourceLine look_up(const void* return_address) {
  Dl_info info;
  if (dladdr(return_address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::string program = info.dli_fname;  // of the main program: as it was called
  std::error_code error;
  if (access(program.c_str(), R_OK) != 0) {
    program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  }
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(return_address) - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase);
  char number[32];
  std::snprintf(number, sizeof(number), "0x%zx", size_t(offset));
  std::FILE* pipe = popen(("addr2line -e '" + program + "' " + number + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  char text[1024] = "";
  const bool answered = std::fgets(text, sizeof(text), pipe) != nullptr;
  pclose(pipe);
  const std::string answer = answered ? text : "";  // "file:line\n", "??:0", "file:line (...)"
  const size_t colon = answer.rfind(':', answer.find(" ("));
  if (colon == std::string::npos || answer[0] == '?') return {};
  return {answer.substr(0, colon), std::atoi(answer.c_str() + colon + 1)};
}

}  // namespace

const SourceLine& source_line(const void* return_address) {
  static std::mutex mutex;
  static std::map<const void*, SourceLine> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, fresh] = known.try_emplace(return_address);
  if (fresh) found->second = look_up(return_address);
  return found->second;
}

}  // namespace oddtile::simulator
