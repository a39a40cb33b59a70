// Package flat implements the role Index exactly: a search compares the query with every vector.
package flat

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/component/internal/vector"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Index holds vectors of one length under the numbers that it assigned to them.
type Index struct {
	Limit int // vectors; 0: a million

	dim  int // of the vectors; 0 before the first
	next uint64
	ids  []uint64
	data []float32 // the vectors in the order of ids
	hits []vector.Hit
}

const defaultLimit = 1 << 20

// Add adds a vector and returns its number.
func (x *Index) Add(v tensor.Dense[float32]) (uint64, error) {
	limit := x.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if len(x.ids) >= limit {
		return 0, fmt.Errorf("the index holds %d vectors already", len(x.ids))
	}
	if err := vector.Check(v, x.dim); err != nil {
		return 0, err
	}
	x.dim = len(v.Data)
	x.next++
	x.ids, x.data = append(x.ids, x.next), append(x.data, v.Data...)
	return x.next, nil
}

// Search finds the k vectors with the smallest Euclidean distance to a query, the nearest first, for equal
// distances the one that was added first; fewer if there are fewer. The result remains valid.
func (x *Index) Search(q tensor.Dense[float32], k int) (ids tensor.Dense[uint64], distances tensor.Dense[float32], err error) {
	if err := vector.Check(q, x.dim); err != nil {
		return ids, distances, err
	}
	x.hits = x.hits[:0]
	for i, id := range x.ids {
		square := vector.Square(x.data[i*x.dim:(i+1)*x.dim], q.Data)
		x.hits = append(x.hits, vector.Hit{ID: id, Distance: float32(math.Sqrt(square))})
	}
	vector.Sort(x.hits)
	ids, distances = vector.Result(x.hits, k)
	return ids, distances, nil
}

// Remove removes a vector.
func (x *Index) Remove(id uint64) error {
	i, ok := slices.BinarySearch(x.ids, id)
	if !ok {
		return fmt.Errorf("there is no vector %d", id)
	}
	x.ids = slices.Delete(x.ids, i, i+1)
	x.data = slices.Delete(x.data, i*x.dim, (i+1)*x.dim)
	return nil
}

// Train does nothing.
func (x *Index) Train(tensor.Dense[float32]) error { return nil }

// AppendBinary appends the vectors.
func (x *Index) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, x.next)
	b = values.AppendDense(b, tensor.DenseOf(x.ids, len(x.ids)))
	return values.AppendDense(b, tensor.DenseOf(x.data, len(x.ids), x.dim)), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (x *Index) UnmarshalBinary(b []byte) error {
	var next uint64
	var ids tensor.Dense[uint64]
	var data tensor.Dense[float32]
	r := values.NewFields(b)
	values.ReadScalar(r, &next)
	values.ReadDense(r, &ids)
	values.ReadDense(r, &data)
	if err := r.End(); err != nil {
		return err
	}
	if len(ids.Shape) != 1 || len(data.Shape) != 2 || data.Shape[0] != len(ids.Data) {
		return fmt.Errorf("vectors of shape %v for numbers of shape %v", data.Shape, ids.Shape)
	}
	for i, id := range ids.Data {
		if id > next || id == 0 || i > 0 && id <= ids.Data[i-1] {
			return fmt.Errorf("vector %d has number %d of %d", i, id, next)
		}
	}
	x.next, x.ids, x.data, x.dim = next, ids.Data, data.Data, data.Shape[1]
	return nil
}
