//go:build !amd64 || purego

package cpu

func vecRotate(da, db, a, b, cos, sin []float32) { vecRotateGo(da, db, a, b, cos, sin) }
