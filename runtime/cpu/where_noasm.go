//go:build !amd64 || purego

package cpu

func vecWhere(dst []float32, cond []bool, a, b []float32)          { vecWhereGo(dst, cond, a, b) }
func vecWhereS(dst []float32, cond []bool, a []float32, s float32) { vecWhereSGo(dst, cond, a, s) }
func vecWhereNotS(dst []float32, cond []bool, a []float32, s float32) {
	vecWhereNotSGo(dst, cond, a, s)
}
