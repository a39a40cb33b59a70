package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bbgen/bbgen/internal/bench/peak"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// kind is the type of the operands. Bytes and bfloat16 are compared with the processor's tiles.
type kind string

const (
	floats32 kind = "float32"
	bytes    kind = "int8"
	halves   kind = "bfloat16"
)

func (k *kind) String() string { return string(*k) }

// Set sets k to one of the types.
func (k *kind) Set(s string) error {
	switch kind(s) {
	case floats32, bytes, halves:
		*k = kind(s)
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", floats32, bytes, halves)
}

// peak returns the maximum speed of products of that type.
func (k kind) peak(threads, flops int) float64 {
	if k == floats32 {
		return peak.Together(threads, flops)
	}
	return peak.Tiles(k == halves, threads, flops)
}

// timeBytes times products with packed bytes, as there are no others.
func (r *row) timeBytes(budget time.Duration) {
	n := r.n
	a, b, dst := aligned[uint8](n*n), aligned[int8](n*n), aligned[int32](n*n)
	for i := range a {
		a[i], b[i] = uint8(rand.Uint32()), int8(rand.Uint32())
	}
	packed := aligned[int8](cpu.PackB8Size(n, n))
	cpu.PackB8(packed, b, n, n)
	r.packed = append(r.packed, r.speeds(budget, func() { cpu.MatMulIntegerPacked(dst, a, packed, nil, nil, n, n, n) })...)
}

// timeHalves times products of two operands that are stored in bfloat16, and of one and a constant.
func (r *row) timeHalves(budget time.Duration) {
	n := r.n
	a, b, dst := aligned[tensor.BF16](n*n), aligned[tensor.BF16](n*n), floats(n*n)
	for i := range a {
		a[i], b[i] = tensor.ToBFloat16(rand.Float32()), tensor.ToBFloat16(rand.Float32())
	}
	shape := cpu.MatMulShape{M: n, K: n, N: n}
	r.raw = append(r.raw, r.speeds(budget, func() { cpu.GemmStored(dst, a, b, nil, shape, false, false) })...)
	// The order of elements does not matter here: those of b are as good as its packed ones.
	r.packed = append(r.packed, r.speeds(budget, func() { cpu.MatMulPackedAddStored(dst, a, b, nil, nil, shape, cpu.ActNone) })...)
}
