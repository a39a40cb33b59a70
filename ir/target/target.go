// Package target describes the machines that code is made for, as far as choices
// between ways to compute the same depend on them. All such numbers stand here,
// each with its unit and where it comes from; a new kind of processor is a new
// [Target], and no search for constants.
//
// Code runs on every machine whatever it was made for: kernels are chosen when a
// program starts. A target only says which way is likely to be the fastest.
package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Target is what one thread of a machine does, roughly. The numbers are few and
// the same on every machine that generates, so that the same model gives the same
// code everywhere.
type Target struct {
	Level      string // of kernels, as BBGEN_CPU spells it
	Products   int    // multiply-adds of a float32 matrix product, in a nanosecond
	Transforms int    // elements that Winograd's transforms make, in four nanoseconds
	Bytes      int    // of filters that come from the last cache, in a nanosecond
	Call       int    // nanoseconds that a convolution by Winograd's transforms costs beside all this
}

// The targets. The numbers of amd64 were measured with the kernels of each level on one
// core of an AMD Zen 4. Those of neon are a guess: nobody has measured them on hardware.
var (
	Portable = &Target{Level: "portable", Products: 1, Transforms: 1, Bytes: 8, Call: 10000}
	AVX2     = &Target{Level: "avx2", Products: 40, Transforms: 10, Bytes: 12, Call: 10000}
	AVX512   = &Target{Level: "avx512", Products: 75, Transforms: 16, Bytes: 24, Call: 10000}
	NEON     = &Target{Level: "neon", Products: 20, Transforms: 5, Bytes: 8, Call: 10000}
)

// Default is the target where nobody says one.
var Default = AVX512

var targets = map[string]*Target{}

func init() {
	for _, t := range []*Target{Portable, AVX2, AVX512, NEON} {
		targets[t.Level] = t
	}
}

// Levels lists the levels that there is a target for.
func Levels() []string { return slices.Sorted(maps.Keys(targets)) }

// Of returns the target of a level of kernels; "" is [Default].
func Of(level string) (*Target, error) {
	if level == "" {
		return Default, nil
	}
	if t := targets[level]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no level %q, want one of %s", level, strings.Join(Levels(), ", "))
}
