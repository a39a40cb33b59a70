package robust

import "math"

// block is how many elements are compared at a time: those of all contributions fit into the cache.
const block = 4096

// Distances returns the squared distances between contributions, in float64.
func Distances(x [][]float32) [][]float64 {
	d := make([][]float64, len(x))
	for i := range d {
		d[i] = make([]float64, len(x))
	}
	for at := 0; at < len(x[0]); at += block {
		end := min(at+block, len(x[0]))
		for i := range x {
			for j := range i {
				d[i][j] += Squared(x[i][at:end], x[j][at:end])
			}
		}
	}
	for i := range d {
		for j := range i {
			d[j][i] = d[i][j]
		}
	}
	return d
}

// Squared returns the squared distance of x and y. Four independent sums hide the latency of additions.
func Squared(x, y []float32) float64 {
	var s [4]float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		a, b := x[i:i+4:i+4], y[i:i+4:i+4]
		for k := range s {
			d := float64(a[k]) - float64(b[k])
			s[k] += float64(d * d)
		}
	}
	for i := n; i < len(x); i++ {
		d := float64(x[i]) - float64(y[i])
		s[0] += float64(d * d)
	}
	return s[0] + s[1] + s[2] + s[3]
}

// Norm returns the Euclidean norm of a contribution.
func Norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(float64(v) * float64(v))
	}
	return math.Sqrt(sum)
}
