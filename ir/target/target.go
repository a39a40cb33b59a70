// Package target describes the machines that code is generated for, as far as the choice between alternative
// implementations depends on them. It holds all such numbers, each with its unit and source. A new kind of
// processor is a new [Target]; the file of a [Machine] has the numbers of one that was measured.
//
// Generated code runs on every machine regardless of the target: kernels are chosen at program start. A
// target only determines which alternative is likely the fastest.
package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Target describes the approximate speed of one thread of a machine. The numbers are fixed, so that the same
// model gives the same code on every machine.
type Target struct {
	Level      string // of kernels, as in BBGEN_CPU
	Products   int    // multiply-adds of a float32 matrix product per nanosecond
	Transforms int    // elements that Winograd's transforms compute in four nanoseconds
	Bytes      int    // of filters read from the last-level cache per nanosecond
	Call       int    // fixed overhead of a Winograd convolution in nanoseconds
}

// The targets. The numbers of amd64 were measured with the kernels of each level on one core of an AMD Zen 4, where vectors of
// AVX-512 are computed in two halves; a Cascade Lake multiplies at 38 and 71. There filters are read faster than this
// says while they are in a cache; those of a large model are not.
// Those of neon are estimates that have not been measured on hardware.
var (
	Portable = &Target{Level: "portable", Products: 1, Transforms: 1, Bytes: 8, Call: 10000}
	AVX2     = &Target{Level: "avx2", Products: 55, Transforms: 10, Bytes: 24, Call: 10000}
	AVX512   = &Target{Level: "avx512", Products: 57, Transforms: 16, Bytes: 24, Call: 10000}
	NEON     = &Target{Level: "neon", Products: 20, Transforms: 5, Bytes: 8, Call: 10000}
)

// Default is the target if none is selected.
var Default = AVX512

var targets = map[string]*Target{}

func init() {
	for _, t := range []*Target{Portable, AVX2, AVX512, NEON} {
		targets[t.Level] = t
	}
}

// Levels lists the levels that have a target.
func Levels() []string { return slices.Sorted(maps.Keys(targets)) }

// Of returns the target for a level of kernels; "" selects [Default].
func Of(level string) (*Target, error) {
	if level == "" {
		return Default, nil
	}
	if t := targets[level]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no level %q, want one of %s", level, strings.Join(Levels(), ", "))
}
