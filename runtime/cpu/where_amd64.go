//go:build amd64 && !purego

package cpu

func vecWhere(dst []float32, cond []bool, a, b []float32) {
	n := 0
	switch level {
	case AVX512:
		n = len(dst) &^ 15
		vecWhereAVX512(dst[:n], cond, a, b)
	case AVX2:
		n = len(dst) &^ 7
		vecWhereAVX2(dst[:n], cond, a, b)
	}
	vecWhereGo(dst[n:], cond[n:], a[n:], b[n:])
}

func vecWhereS(dst []float32, cond []bool, a []float32, s float32) {
	n := 0
	switch level {
	case AVX512:
		n = len(dst) &^ 15
		vecWhereSAVX512(dst[:n], cond, a, s)
	case AVX2:
		n = len(dst) &^ 7
		vecWhereSAVX2(dst[:n], cond, a, s)
	}
	vecWhereSGo(dst[n:], cond[n:], a[n:], s)
}

func vecWhereNotS(dst []float32, cond []bool, a []float32, s float32) {
	n := 0
	switch level {
	case AVX512:
		n = len(dst) &^ 15
		vecWhereNotSAVX512(dst[:n], cond, a, s)
	case AVX2:
		n = len(dst) &^ 7
		vecWhereNotSAVX2(dst[:n], cond, a, s)
	}
	vecWhereNotSGo(dst[n:], cond[n:], a[n:], s)
}
