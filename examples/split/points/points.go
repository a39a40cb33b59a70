// Package points has the data of the example: points, and which of three corners
// each was drawn around.
package points

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The sizes of a point, of a batch, and how many corners there are.
const (
	Size    = 4
	Corners = 3
	Count   = 16
)

// Source draws points.
type Source struct{ Seed uint64 }

// Batch returns the points of a round, and their corners.
func (s Source) Batch(round int64) (tensor.Dense[float32], tensor.Dense[int64], error) {
	r := rand.New(rand.NewPCG(s.Seed, uint64(round)))
	x := tensor.DenseOf(make([]float32, Count*Size), Count, Size)
	corners := tensor.DenseOf(make([]int64, Count), Count)
	for i := range Count {
		corner := r.IntN(Corners)
		corners.Data[i] = int64(corner)
		for k := range Size {
			x.Data[i*Size+k] = float32(r.NormFloat64())*0.75 + float32((corner+k)%Corners)
		}
	}
	return x, corners, nil
}
