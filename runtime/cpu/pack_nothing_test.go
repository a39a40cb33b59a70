package cpu

import (
	"fmt"
	"testing"
)

// TestPackNothing packs matrices and filters with a size of 0.
func TestPackNothing(t *testing.T) {
	for at := range 64 {
		pick := func(axis int) int { return []int{3, 0, 33, 1}[at>>(2*axis)&3] }
		a, b, c := pick(0), pick(1), pick(2)
		floats, bytes := make([]float32, a*b*c), make([]int8, a*b*c)
		for name, pack := range map[string]func(){
			"PackB32":             func() { PackB32(make([]float32, PackB32Size(a, b*c)), floats, a, b*c) },
			"PackB32T":            func() { PackB32T(make([]float32, PackB32Size(a, b*c)), floats, a, b*c) },
			"PackB8":              func() { PackB8(make([]int8, PackB8Size(a, b*c)), bytes, a, b*c) },
			"PackB8T":             func() { PackB8T(make([]int8, PackB8Size(a, b*c)), bytes, a, b*c) },
			"PackConv32":          func() { PackConv32(make([]float32, PackConv32Size(a, b, c, 1)), floats, a, b, c, 1) },
			"PackConv8":           func() { PackConv8(make([]int8, PackConv8Size(a, b, c, 1, 1)), bytes, a, b, c, 1, 1) },
			"PackConvTranspose32": func() { PackConvTranspose32(make([]float32, PackConvTranspose32Size(a, b, c)), floats, a, b, c) },
			"PackDepthwise32":     func() { PackDepthwise32(make([]float32, PackDepthwise32Size(a, b*c)), floats, a, b*c) },
			"PackDepth8":          func() { PackDepth8(make([]int8, PackDepth8Size(a, b*c)), bytes, a, b*c) },
			"PackGates":           func() { PackGates(make([]float32, PackGatesSize(a, b, c)), floats, a, b, c) },
			"PackGates8":          func() { PackGates8(make([]int8, PackGates8Size(a, b, c)), bytes, a, b, c) },
			"PackNBits":           func() { PackNBits(make([]byte, PackNBitsSize(8*a, b, 4)), make([]byte, 4*a*b), 8*a, b, 4) },
		} {
			t.Run(fmt.Sprint(name, a, b, c), func(t *testing.T) { pack() })
		}
	}
}
