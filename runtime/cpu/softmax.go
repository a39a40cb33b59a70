package cpu

import "math"

// Softmax is exp(x)/Σ exp(x) along the middle axis of x, which is [outer, n, inner]. The largest element is
// subtracted first.
func Softmax[T Float](dst, x []T, outer, n, inner int) {
	if d, ok := any(dst).([]float32); ok && inner != 1 {
		eachOuter(d[:outer*n*inner], any(x).([]float32), outer, n, inner, softmaxColumns[float32])
		return
	}
	if inner != 1 {
		for o := range outer * min(n, 1) { // empty columns have no largest element
			softmaxColumns(dst[o*n*inner:(o+1)*n*inner], x[o*n*inner:(o+1)*n*inner], n, inner)
		}
		return
	}
	if d, ok := any(dst).([]float32); ok {
		if outer*n > 0 {
			softmax32(d[:outer*n], any(x).([]float32)[:outer*n], n)
		}
		return
	}
	for o := range outer {
		row := dst[o*n : (o+1)*n]
		var sum T
		top := largest(x[o*n : (o+1)*n])
		for i, v := range x[o*n : (o+1)*n] {
			row[i] = T(math.Exp(float64(v - top)))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

// columns is the number of columns that are computed together.
const columns = 64

// softmaxColumns is softmax of each column of x, which is [n, m].
func softmaxColumns[T Float](dst, x []T, n, m int) {
	for c := 0; c < m; c += columns {
		w := min(columns, m-c)
		var top, sum [columns]T
		columnTops(top[:w], x[c:], n, m)
		for k := range n {
			row := dst[k*m+c : k*m+c+w]
			subRow(row, x[k*m+c:k*m+c+w], top[:w])
			expRow(row, row)
			addRow(sum[:w], sum[:w], row)
		}
		for k := range n {
			row := dst[k*m+c : k*m+c+w]
			divRow(row, row, sum[:w])
		}
	}
}

// columnTops computes the largest element of each of the first columns of x, which is [n, m].
func columnTops[T Float](top, x []T, n, m int) {
	fill(top, lowest[T]())
	for k := range n {
		maxRow(top, top, x[k*m:k*m+len(top)])
	}
}

func largest[T Float](x []T) T {
	if x, ok := any(x).([]float32); ok {
		return T(VecReduceMax32(x))
	}
	top := lowest[T]()
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// LogSoftmax is the logarithm of [Softmax]: x - top - log(Σ exp(x-top)).
func LogSoftmax[T Float](dst, x []T, outer, n, inner int) {
	size := n * inner
	if d, ok := any(dst).([]float32); ok {
		eachOuter(d[:outer*size], any(x).([]float32), outer, n, inner, logSoftmaxColumns[float32])
		return
	}
	for o := range outer * min(n, 1) {
		logSoftmaxColumns(row(dst, o, size), row(x, o, size), n, inner)
	}
}

// logSoftmaxColumns is the logarithm of softmax of each column of x, which is [n, m].
func logSoftmaxColumns[T Float](dst, x []T, n, m int) {
	if m == 1 {
		logSoftmaxRow(dst, x)
		return
	}
	for c := 0; c < m; c += columns {
		w := min(columns, m-c)
		var top, sum, part [columns]T
		columnTops(top[:w], x[c:], n, m)
		for k := range n {
			p := part[:w]
			subRow(p, x[k*m+c:][:w], top[:w])
			expRow(p, p)
			addRow(sum[:w], sum[:w], p)
		}
		for i, s := range sum[:w] {
			sum[i] = T(math.Log(float64(s)))
		}
		for k := range n {
			row := dst[k*m+c:][:w]
			subRow(row, x[k*m+c:][:w], top[:w])
			subRow(row, row, sum[:w])
		}
	}
}

func logSoftmaxRow[T Float](dst, x []T) {
	top := [1]T{largest(x)}
	var total T
	var part [256]T
	for i := 0; i < len(x); i += len(part) {
		p := part[:min(len(part), len(x)-i)]
		subRow(p, x[i:i+len(p)], top[:])
		expRow(p, p)
		total += sum(p)
	}
	subRow(dst, x, top[:])
	top[0] = T(math.Log(float64(total)))
	subRow(dst, dst, top[:])
}

// Hardmax is 1 at the first largest element along the middle axis of x, which
// is [outer, n, inner], and 0 elsewhere. NaN is larger than all numbers, as for [ArgMax].
func Hardmax[T Float](dst, x []T, outer, n, inner int) {
	fill(dst, 0)
	for o := range outer {
		for i := range inner {
			at := o*n*inner + i
			for k := 1; k < n; k++ {
				if j := (o*n+k)*inner + i; x[j] > x[at] || x[j] != x[j] && x[at] == x[at] {
					at = j
				}
			}
			if n > 0 {
				dst[at] = 1
			}
		}
	}
}
