//go:build !purego

package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func fromF16(dst []float32, x []tensor.F16) {
	x = x[:len(dst)]
	n := fours(len(dst))
	fromF16NEON(unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x)), n)
	fromF16Go(dst[n:], x[n:])
}

func fromBF16(dst []float32, x []tensor.BF16) {
	x = x[:len(dst)]
	n := fours(len(dst))
	fromBF16NEON(unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x)), n)
	fromBF16Go(dst[n:], x[n:])
}

func toF16(dst []tensor.F16, x []float32) {
	x = x[:len(dst)]
	n := fours(len(dst))
	toF16NEON((*uint16)(unsafe.SliceData(dst)), unsafe.SliceData(x), n)
	toF16Go(dst[n:], x[n:])
}

func toBF16(dst []tensor.BF16, x []float32) { toBF16Go(dst, x) }

//go:noescape
func fromF16NEON(dst *float32, x *uint16, n int)

//go:noescape
func fromBF16NEON(dst *float32, x *uint16, n int)

//go:noescape
func toF16NEON(dst *uint16, x *float32, n int)
