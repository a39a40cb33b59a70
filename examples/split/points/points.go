// Package points contains the data of the example: points, and the corner of three around which each was
// drawn.
package points

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The size of a point and of a batch, and the number of corners.
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
