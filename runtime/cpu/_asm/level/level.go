// Package level tells which extensions of amd64 a kernel may use, by the end of its name.
package level

import "strings"

// A Level is a set of extensions.
type Level struct {
	Name       string   // the end of the names of its kernels
	Above      string   // the level that it extends; "" is the baseline of amd64
	Extensions []string // by avo's names
	Register   int      // its bytes, if the level is one of package cpu
}

// Levels are all levels, each after the one that it extends. Command needs writes them for the detection of
// processors.
var Levels = []Level{
	{"AVX2", "", []string{"AVX", "AVX2", "F16C", "FMA3"}, 32},
	{"AVX512", "AVX2", []string{"AVX512BW", "AVX512DQ", "AVX512F", "AVX512VL", "BMI2"}, 64},
	{"AMX", "AVX512", []string{"AMXINT8", "AMXTILE"}, 0},
	{"VAES", "AVX512", []string{"AES", "VAES"}, 0},
	{"VAES256", "AVX2", []string{"AES", "VAES"}, 0},
	{"AESNI", "AVX2", []string{"AES"}, 0},
	{"AMXBF16", "AVX512", []string{"AMXBF16", "AMXTILE"}, 0},
	{"VBMI", "AVX512", []string{"AVX512VBMI"}, 0},
	{"VNNI", "AVX512", []string{"AVX512VNNI"}, 0},
	{"VNNI256", "AVX2", []string{"AVXVNNI"}, 0},
	{"VPCLMUL", "AVX512", []string{"SSE4.2", "VPCLMULQDQ"}, 0},
}

// baseline is the extensions of every amd64; avo requires MMX+ for prefetches.
var baseline = []string{"CMOV", "CPUID", "MMX+", "SSE", "SSE2"}

// Of returns the name of a kernel's level, "" for the baseline of amd64.
func Of(kernel string) string {
	for _, l := range Levels {
		if strings.HasSuffix(kernel, l.Name) {
			return l.Name
		}
	}
	return ""
}

// Extensions returns the extensions of a level in addition to the baseline.
func Extensions(name string) []string {
	for _, l := range Levels {
		if l.Name == name {
			return append(Extensions(l.Above), l.Extensions...)
		}
	}
	return nil
}
