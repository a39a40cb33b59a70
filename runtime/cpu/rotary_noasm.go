//go:build !amd64 || purego

package cpu

func vecRotate(dst, x, cos, sin []float32, vectors, step int) {
	vecRotateGo(dst, x, cos, sin, vectors, step)
}
