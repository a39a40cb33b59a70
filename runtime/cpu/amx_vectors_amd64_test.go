//go:build !purego

package cpu

import (
	"encoding/binary"
	"math"
	"strings"
)

// vector is a register of 16 words of 32 bits.
type vector [16]uint32

// lanes are the instructions on vectors that compute a word of the last operand from those of the others. Of two operands, the
// second is the first in Intel's order.
var lanes = map[string]func(a, b uint32) uint32{
	"VPADDD":    func(a, b uint32) uint32 { return a + b },
	"VMULPS":    ofFloats(func(a, b float32) float32 { return a * b }),
	"VCVTDQ2PS": func(a, _ uint32) uint32 { return math.Float32bits(float32(int32(a))) },
	"VCVTPS2DQ": func(a, _ uint32) uint32 { return uint32(int32(math.RoundToEven(float64(math.Float32frombits(a))))) },
	"VMAXPS": ofFloats(func(a, b float32) float32 {
		if b > a {
			return b
		}
		return a
	}),
	"VMINPS": ofFloats(func(a, b float32) float32 {
		if b < a {
			return b
		}
		return a
	}),
}

func ofFloats(f func(a, b float32) float32) func(a, b uint32) uint32 {
	return func(a, b uint32) uint32 {
		return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b)))
	}
}

// vector runs an instruction on vectors.
func (e *tileEmulator) vector(op string, args []string) {
	last := args[len(args)-1]
	switch op {
	case "VBROADCASTSS":
		x := binary.LittleEndian.Uint32(e.at(e.address(args[0]), 4))
		for i := range e.vectorAt(last) {
			e.vectorAt(last)[i] = x
		}
	case "VMOVNTDQ":
		if e.address(last)%64 != 0 {
			e.t.Fatalf("%s: the address %#x is not aligned", e.line, e.address(last))
		}
		e.storeVector(last, *e.vectorAt(args[0]))
	case "VMOVDQU32", "VMOVUPS":
		if x := e.vectorOf(args[0]); strings.HasSuffix(last, ")") {
			e.storeVector(last, x)
		} else {
			*e.vectorAt(last) = x
		}
	case "VPMOVDB":
		for i, x := range e.vectorAt(args[0]) {
			e.at(e.address(last), 16)[i] = byte(x)
		}
	default:
		f, known := lanes[op]
		if !known {
			e.t.Fatalf("%s: unknown", e.line)
		}
		a, b := e.vectorOf(args[0]), e.vectorOf(args[1])
		for i := range a {
			e.vectorAt(last)[i] = f(a[i], b[i])
		}
	}
}

func (e *tileEmulator) vectorAt(register string) *vector {
	return &e.vectors[parseInt(e.t, strings.TrimPrefix(register, "Z"))]
}

// vectorOf returns the value of a register or of memory.
func (e *tileEmulator) vectorOf(s string) (v vector) {
	if !strings.HasSuffix(s, ")") {
		return *e.vectorAt(s)
	}
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(e.at(e.address(s), 64)[4*i:])
	}
	return v
}

func (e *tileEmulator) storeVector(s string, v vector) {
	for i, x := range v {
		binary.LittleEndian.PutUint32(e.at(e.address(s), 64)[4*i:], x)
	}
}
