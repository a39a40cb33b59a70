//go:build amd64 && !purego

package cpu

import (
	"unsafe"

	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate env GOWORK=off go -C _asm run ./half -out ../half_amd64.s

func fromF16(dst []float32, x []tensor.F16) {
	x = x[:len(dst)]
	n := vectors(len(dst), 4)
	d, s := unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x))
	fromF16AtLevel(d, s, n)
	fromF16Go(dst[n:], x[n:])
}

func fromBF16(dst []float32, x []tensor.BF16) {
	x = x[:len(dst)]
	n := vectors(len(dst), 4)
	d, s := unsafe.SliceData(dst), (*uint16)(unsafe.SliceData(x))
	fromBF16AtLevel(d, s, n)
	fromBF16Go(dst[n:], x[n:])
}

func toF16(dst []tensor.F16, x []float32) {
	x = x[:len(dst)]
	n := vectors(len(dst), 4)
	d, s := (*uint16)(unsafe.SliceData(dst)), unsafe.SliceData(x)
	toF16AtLevel(d, s, n)
	toF16Go(dst[n:], x[n:])
}

func toBF16(dst []tensor.BF16, x []float32) {
	x = x[:len(dst)]
	n := vectors(len(dst), 4)
	d, s := (*uint16)(unsafe.SliceData(dst)), unsafe.SliceData(x)
	toBF16AtLevel(d, s, n)
	toBF16Go(dst[n:], x[n:])
}
