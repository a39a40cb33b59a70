//go:build amd64 && !purego

package cpu

func vecWhere(dst []float32, cond []bool, a, b []float32) {
	n := vectors(len(dst), 4)
	vecWhereAtLevel(dst[:n], cond, a, b)
	vecWhereGo(dst[n:], cond[n:], a[n:], b[n:])
}

func vecWhereS(dst []float32, cond []bool, a []float32, s float32) {
	n := vectors(len(dst), 4)
	vecWhereSAtLevel(dst[:n], cond, a, s)
	vecWhereSGo(dst[n:], cond[n:], a[n:], s)
}

func vecWhereNotS(dst []float32, cond []bool, a []float32, s float32) {
	n := vectors(len(dst), 4)
	vecWhereNotSAtLevel(dst[:n], cond, a, s)
	vecWhereNotSGo(dst[n:], cond[n:], a[n:], s)
}
