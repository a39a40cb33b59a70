package pass

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir/op"
)

// speed is what one thread does at a level of the processor, roughly. Choices
// between ways to compute the same are made by these few numbers, so that they
// are the same on every machine that generates.
type speed struct {
	products   int // multiply-adds of a matrix product, in a nanosecond
	transforms int // elements that Winograd's transforms make, in four nanoseconds
	bytes      int // of filters that come from L3, in a nanosecond
	call       int // nanoseconds that a convolution by Winograd's transforms costs beside all this
}

// DefaultLevel is the level that choices are made for where none is said.
const DefaultLevel = "avx512"

// speeds are by the names of levels, as BBGEN_CPU spells them. Those of NEON
// are a guess: nobody has measured them on hardware.
var speeds = map[string]speed{
	"portable": {products: 1, transforms: 1, bytes: 8, call: 10000},
	"avx2":     {products: 40, transforms: 10, bytes: 12, call: 10000},
	"avx512":   {products: 75, transforms: 16, bytes: 24, call: 10000},
	"neon":     {products: 20, transforms: 5, bytes: 8, call: 10000},
}

// IsLevel reports whether choices can be made for a level.
func IsLevel(name string) bool { return speeds[name] != speed{} }

// Levels lists the levels that choices can be made for.
func Levels() []string { return slices.Sorted(maps.Keys(speeds)) }

// direct is how many nanoseconds a convolution takes as a plain sum, for one
// image: the products, and the reading of the filters.
func (s speed) direct(z op.WinogradSizes) int {
	size := z.Channels * ((z.Filters + 15) / 16 * 16)
	return z.Height*z.Width*9*size/s.products + 4*9*size/s.bytes
}

// winograd is how many it takes by Winograd's transforms: a quarter of the
// products, the transforms, and filters that have grown to four times their size.
func (s speed) winograd(z op.WinogradSizes) int {
	tiles := (z.Height + 3) / 4 * ((z.Width + 3) / 4)
	size := z.Channels * ((z.Filters + 15) / 16 * 16)
	return tiles*36*size/s.products + tiles*36*(z.Channels+z.Filters)*4/s.transforms + 4*36*size/s.bytes + s.call
}

// conv is the way that a convolution takes less time. That Winograd's transforms
// round more and need more memory has to pay, too.
func (s speed) conv(z op.WinogradSizes) string {
	if w := s.winograd(z); w+w/8 < s.direct(z) {
		return ByWinograd
	}
	return Direct
}
