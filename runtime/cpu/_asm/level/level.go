// Package level says which extensions of amd64 a kernel may use: the end of its name tells.
package level

import "strings"

// A Level is a set of extensions that a kernel is written for.
type Level struct {
	Name       string   // how names of its kernels end
	Above      string   // the level whose extensions it has as well, "" for the baseline of amd64
	Extensions []string // as avo names them
}

// Levels are all of them, each after the one it stands above. Command needs tells them to the detection of processors.
var Levels = []Level{
	{"AVX2", "", []string{"AVX", "AVX2", "F16C", "FMA3"}},
	{"AVX512", "AVX2", []string{"AVX512BW", "AVX512DQ", "AVX512F", "AVX512VL", "BMI2"}},
	{"AMX", "AVX512", []string{"AMXINT8", "AMXTILE"}},
	{"VBMI", "AVX512", []string{"AVX512VBMI"}},
	{"VNNI", "AVX512", []string{"AVX512VNNI"}},
	{"VPCLMUL", "AVX512", []string{"SSE4.2", "VPCLMULQDQ"}},
}

// baseline is what every amd64 has; avo says MMX+ for prefetches.
var baseline = []string{"CMOV", "MMX+", "SSE", "SSE2"}

// Of returns the name of a kernel's level, "" for the baseline of amd64.
func Of(kernel string) string {
	for _, l := range Levels {
		if strings.HasSuffix(kernel, l.Name) {
			return l.Name
		}
	}
	return ""
}

// Extensions returns what a level has beyond the baseline.
func Extensions(name string) []string {
	for _, l := range Levels {
		if l.Name == name {
			return append(Extensions(l.Above), l.Extensions...)
		}
	}
	return nil
}
