//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

//go:generate env GOWORK=off go -C _asm run ./needs -out ../needs_amd64.go

// bestLevel returns the highest level whose kernels the processor can run.
func bestLevel() Level {
	switch {
	case has(needs.AVX512):
		return AVX512
	case has(needs.AVX2):
		return AVX2
	default:
		return Portable
	}
}

// has reports whether the processor has all of the extensions.
func has(extensions []string) bool {
	for _, e := range extensions {
		if known := x86[e]; known == nil || !*known {
			return false
		}
	}
	return true
}

// vectors returns how many of n elements of some bytes are in whole vectors of the level.
func vectors(n, size int) int {
	lanes := vectorBytes() / size
	if lanes == 0 {
		return 0
	}
	return n - n%lanes
}

// x86 tells which extensions the processor has, by name. Extensions with registers of their own also need an
// operating system that saves these registers.
var x86 = map[string]*bool{
	"AES":        &cpu.X86.HasAES,
	"AMXBF16":    &cpu.X86.HasAMXBF16,
	"AMXINT8":    &cpu.X86.HasAMXInt8,
	"AMXTILE":    &cpu.X86.HasAMXTile,
	"AVX":        &cpu.X86.HasAVX,
	"AVX2":       &cpu.X86.HasAVX2,
	"AVX512BW":   &cpu.X86.HasAVX512BW,
	"AVX512DQ":   &cpu.X86.HasAVX512DQ,
	"AVX512F":    &cpu.X86.HasAVX512F,
	"AVX512VBMI": &cpu.X86.HasAVX512VBMI,
	"AVX512VL":   &cpu.X86.HasAVX512VL,
	"AVX512VNNI": &cpu.X86.HasAVX512VNNI,
	"AVXVNNI":    &cpu.X86.HasAVXVNNI,
	"BMI2":       &cpu.X86.HasBMI2,
	"F16C":       &cpu.X86.HasF16C,
	"FMA3":       &cpu.X86.HasFMA,
	"SSE4.2":     &cpu.X86.HasSSE42,
	"VAES":       &vaes,
	"VPCLMULQDQ": &cpu.X86.HasAVX512VPCLMULQDQ,
}
