//go:build amd64 && !purego

package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate env GOWORK=off go -C _asm run ./half -out ../half_amd64.s

// vectors returns how many of n elements are in whole vectors of the level.
func vectors(n int) int {
	switch level {
	case AVX512:
		return n &^ 15
	case AVX2:
		return n &^ 7
	}
	return 0
}

func fromF16(dst []float32, x []tensor.F16) {
	x = x[:len(dst)]
	n := vectors(len(dst))
	d, s := unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x))
	if level == AVX512 {
		fromF16AVX512(d, s, n)
	} else if level == AVX2 {
		fromF16AVX2(d, s, n)
	}
	fromF16Go(dst[n:], x[n:])
}

func fromBF16(dst []float32, x []tensor.BF16) {
	x = x[:len(dst)]
	n := vectors(len(dst))
	d, s := unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x))
	if level == AVX512 {
		fromBF16AVX512(d, s, n)
	} else if level == AVX2 {
		fromBF16AVX2(d, s, n)
	}
	fromBF16Go(dst[n:], x[n:])
}

func toF16(dst []tensor.F16, x []float32) {
	x = x[:len(dst)]
	n := vectors(len(dst))
	d, s := (*uint16)(unsafe.SliceData(dst)), unsafe.SliceData(x)
	if level == AVX512 {
		toF16AVX512(d, s, n)
	} else if level == AVX2 {
		toF16AVX2(d, s, n)
	}
	toF16Go(dst[n:], x[n:])
}

func toBF16(dst []tensor.BF16, x []float32) {
	x = x[:len(dst)]
	n := vectors(len(dst))
	d, s := (*uint16)(unsafe.SliceData(dst)), unsafe.SliceData(x)
	if level == AVX512 {
		toBF16AVX512(d, s, n)
	} else if level == AVX2 {
		toBF16AVX2(d, s, n)
	}
	toBF16Go(dst[n:], x[n:])
}

//go:noescape
func fromF16AVX512(dst *float32, x *uint16, n int)

//go:noescape
func fromBF16AVX512(dst *float32, x *uint16, n int)

//go:noescape
func toF16AVX512(dst *uint16, x *float32, n int)

//go:noescape
func toBF16AVX512(dst *uint16, x *float32, n int)

//go:noescape
func fromF16AVX2(dst *float32, x *uint16, n int)

//go:noescape
func fromBF16AVX2(dst *float32, x *uint16, n int)

//go:noescape
func toF16AVX2(dst *uint16, x *float32, n int)

//go:noescape
func toBF16AVX2(dst *uint16, x *float32, n int)
