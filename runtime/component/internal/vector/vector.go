// Package vector holds the common parts of indexes: checks of vectors, distances, and the order of hits.
package vector

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Check returns an error unless v is a vector of dim elements; 0 accepts any length.
func Check(v tensor.Dense[float32], dim int) error {
	if len(v.Shape) != 1 || len(v.Data) == 0 || dim > 0 && len(v.Data) != dim {
		return fmt.Errorf("a vector of shape %v, want %d elements in one axis", v.Shape, max(dim, 1))
	}
	for i, e := range v.Data {
		if f := float64(e); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d of the vector is %v", i, e)
		}
	}
	return nil
}

// Square returns the square of the Euclidean distance of two vectors of the same length, in four independent
// sums.
func Square(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		d0, d1 := float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1])
		d2, d3 := float64(a[2])-float64(b[2]), float64(a[3])-float64(b[3])
		s0 += float64(d0 * d0)
		s1 += float64(d1 * d1)
		s2 += float64(d2 * d2)
		s3 += float64(d3 * d3)
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		d := float64(v) - float64(b[i])
		s0 += float64(d * d)
	}
	return s0 + s1 + (s2 + s3)
}

// Hit is a vector that a search found.
type Hit struct {
	ID       uint64
	Distance float32
}

// Sort sorts hits by distance, then in the order of their addition.
func Sort(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID)) })
}

// Result returns the first k hits, fewer if there are fewer, in the form of an index.
func Result(hits []Hit, k int) (ids tensor.Dense[uint64], distances tensor.Dense[float32]) {
	k = min(max(k, 0), len(hits))
	ids.Resize(k)
	distances.Resize(k)
	for i, h := range hits[:k] {
		ids.Data[i], distances.Data[i] = h.ID, h.Distance
	}
	return ids, distances
}
