//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// bestLevel returns the highest level that the CPU has and the operating system saves the registers of.
func bestLevel() Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return Portable
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		return AVX512
	default:
		return AVX2
	}
}
