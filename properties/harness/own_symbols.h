// Whether a library that was loaded uses what it defines itself.
#pragma once

#include <string>

namespace oddtile::properties {

// A unique symbol (g++ makes one of each inline variable and of each static variable of a template
// or inline function that is visible) exists once a process, even of libraries that were loaded
// apart: the second one that defines, say, a table of configurations reads the first one's.
// The name of such a symbol of `library` (a handle of dlopen) that is another's; empty: none.
std::string symbol_of_another(void* library);

}  // namespace oddtile::properties
