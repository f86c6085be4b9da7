// The approximate instructions with a given error, apart from the machine that runs.
#pragma once

namespace oddtile::simulator {

// `error` 0: within 0.51 ulp. Else every result that is no power of two is the float farthest from
// the exact value, on the side that the argument's bits choose, among those within `error`: not the
// bits of any hardware, but as wrong as hardware with this measured error may be anywhere. The same
// argument gives the same bits.
float exp2_flushed(float x, double error);  // relative
float log2_flushed(float x, double error);  // relative, or absolute where |log2 x| < 1

// ex2.approx.ftz.f32 and lg2.approx.ftz.f32 of an H200, bit for bit (README.md, "Exponentials and
// logarithms").
float exp2_interpolated(float x);
float log2_interpolated(float x);

}  // namespace oddtile::simulator
