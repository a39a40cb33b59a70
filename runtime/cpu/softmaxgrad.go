package cpu

// SoftmaxGrad is the gradient of [Softmax] along the middle axis of y, which is
// [outer, n, inner]:
//
//	dst = y·(dy - Σ dy·y)
//
// Since Σy is 1, Σdst is 0; the rest that rounding leaves may be distributed over dst.
func SoftmaxGrad[T Float](dst, dy, y []T, outer, n, inner int) {
	if d, ok := any(dst).([]float32); ok && inner == 1 {
		if outer*n > 0 {
			t := rowTasks.get()
			*t = rowTask{row: softmaxGradRow, dst: d[:outer*n], x: any(dy).([]float32), y: any(y).([]float32), n: n}
			t.do(2)
		}
		return
	}
	for o := range outer {
		d, g, p := dst[o*n*inner:(o+1)*n*inner], dy[o*n*inner:(o+1)*n*inner], y[o*n*inner:(o+1)*n*inner]
		if inner == 1 {
			dot := [1]T{dotRow(g, p)}
			subRow(d, g, dot[:])
			mulRow(d, d, p)
			continue
		}
		for c := 0; c < inner; c += columns {
			w := min(columns, inner-c)
			var dot [columns]T
			for k := range n {
				at := k*inner + c
				for i, v := range g[at : at+w] {
					dot[i] += T(v * p[at+i])
				}
			}
			for k := range n {
				at := k*inner + c
				subRow(d[at:at+w], g[at:at+w], dot[:w])
				mulRow(d[at:at+w], d[at:at+w], p[at:at+w])
			}
		}
	}
}

// dotRow is Σx·y.
func dotRow[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += T(v * y[i])
	}
	return s
}
