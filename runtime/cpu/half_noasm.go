//go:build !(amd64 || arm64) || purego

package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

func fromF16(dst []float32, x []tensor.F16)   { fromF16Go(dst, x) }
func fromBF16(dst []float32, x []tensor.BF16) { fromBF16Go(dst, x) }
func toF16(dst []tensor.F16, x []float32)     { toF16Go(dst, x) }
func toBF16(dst []tensor.BF16, x []float32)   { toBF16Go(dst, x) }
