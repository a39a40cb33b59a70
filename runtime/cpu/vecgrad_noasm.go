//go:build !amd64 || purego

package cpu

func vecReluGrad(dst, dy, y []float32)                 { vecReluGradGo(dst, dy, y) }
func vecGeluGrad(dst, dy, x []float32)                 { vecGeluGradGo(dst, dy, x) }
func vecGeluTanhGrad(dst, dy, x []float32)             { vecGeluTanhGradGo(dst, dy, x) }
func vecSubSMul(dst, a, b []float32, s float32)        { vecSubSMulGo(dst, a, b, s) }
func vecMulAdd(dst, a, b []float32)                    { vecMulAddGo(dst, a, b) }
func vecNormGrad(dst, h, u []float32, a, b, c float32) { vecNormGradGo(dst, h, u, a, b, c) }
