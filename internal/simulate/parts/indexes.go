package parts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/component/nearest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// stores returns a new component of the indexes, of each source of data, and of the packed numbers, as strategies.
func stores() []Strategy {
	return []Strategy{&Searched{}, &Layered{Index: hnsw.Index{M: 2, Ef: 4}}, NewPacked(), NewStreamed(), NewShare()}
}

// Nearest is the number of vectors that a search finds.
const Nearest = 3

// Searched holds vectors in both indexes, and in a list.
type Searched struct {
	exact flat.Index
	graph hnsw.Index
	list  vectors
}

// Open opens the index that needs a seed.
func (s *Searched) Open(env runtime.Env) error { return s.graph.Open(env) }

// Step adds a, sometimes removes the oldest vector, and returns a with the distance of b from the farthest of the
// nearest vectors. Both indexes must find what a comparison with all vectors finds.
func (s *Searched) Step(a, b Model) (Model, error) {
	if err := s.add(a); err != nil {
		return a, err
	}
	if s.list.next%3 == 2 {
		id := s.list.ids[0]
		if err := cmp.Or(s.exact.Remove(id), s.graph.Remove(id)); err != nil {
			return a, err
		}
		s.list.ids, s.list.data = s.list.ids[1:], s.list.data[2:]
	}
	want := s.list.nearest(b)
	for _, index := range []interface {
		Search(Model, int) (tensor.Dense[uint64], Model, error)
	}{&s.exact, &s.graph} {
		ids, distances, err := index.Search(b, Nearest)
		if err != nil {
			return a, err
		}
		for i, w := range want {
			if len(ids.Data) != len(want) || ids.Data[i] != w.ID || distances.Data[i] != w.Distance {
				return a, fmt.Errorf("%T finds %v at %v, want %v", index, ids.Data, distances.Data, want)
			}
		}
	}
	return withFirst(a, want[len(want)-1].Distance), nil
}

// Layered is an index that visits a part of its vectors.
type Layered struct{ hnsw.Index }

// Step adds a, removes every third vector, and returns a with the number of the farther one of the two that are
// nearest to b.
func (x *Layered) Step(a, b Model) (Model, error) {
	id, err := x.Add(a)
	if err == nil && id%3 == 2 {
		err = x.Remove(id - 1)
	}
	if err != nil {
		return a, err
	}
	ids, _, err := x.Search(b, 2)
	if err != nil {
		return a, err
	}
	return withFirst(a, float32(ids.Data[len(ids.Data)-1])), nil
}

// add adds a vector everywhere, under the same number.
func (s *Searched) add(v Model) error {
	want := s.list.add(v)
	first, err := s.exact.Add(v)
	if err != nil {
		return err
	}
	second, err := s.graph.Add(v)
	if err == nil && (first != want || second != want) {
		err = fmt.Errorf("a vector has the numbers %d and %d, want %d", first, second, want)
	}
	return err
}

// AppendBinary appends the state.
func (s *Searched) AppendBinary(b []byte) ([]byte, error) {
	return appendBoth(b, &s.exact, &s.graph, &s.list)
}

// UnmarshalBinary sets the state.
func (s *Searched) UnmarshalBinary(b []byte) error {
	return readBoth(b, &s.exact, &s.graph, &s.list)
}

// vectors is a list of vectors of two elements.
type vectors struct {
	next uint64
	ids  []uint64
	data []float32
}

func (v *vectors) add(x Model) uint64 {
	v.next++
	v.ids, v.data = append(v.ids, v.next), append(v.data, x.Data...)
	return v.next
}

// nearest compares a query with all vectors.
func (v *vectors) nearest(q Model) (list []nearest.Hit) {
	for i, id := range v.ids {
		list = append(list, nearest.Hit{ID: id, Distance: Distance(v.data[2*i:], q.Data)})
	}
	slices.SortFunc(list, func(a, b nearest.Hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	return list[:min(Nearest, len(list))]
}

// Distance returns the distance of two vectors of two elements.
func Distance(a, b []float32) float32 {
	x, y := float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1])
	return float32(math.Sqrt(float64(x*x) + float64(y*y)))
}

// AppendBinary appends the vectors.
func (v *vectors) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendDense(values.AppendScalar(b, v.next), tensor.DenseOf(v.ids, len(v.ids)))
	return values.AppendDense(b, tensor.DenseOf(v.data, len(v.data))), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (v *vectors) UnmarshalBinary(b []byte) error {
	var ids tensor.Dense[uint64]
	var all Model
	f := values.NewFields(b)
	values.ReadScalar(f, &v.next)
	values.ReadDense(f, &ids)
	values.ReadDense(f, &all)
	v.ids, v.data = ids.Data, all.Data
	return f.End()
}

// Tally makes a vector of hits.
type Tally struct{ stateless }

// Of returns the mean of numbers that depend on the order of the hits, and the distance of the farthest one.
func (*Tally) Of(h nearest.Hits) (Vec, error) {
	sum := 0.0
	for i, x := range h.List {
		sum += float64(i+1) * (float64(x.Shard) + float64(x.ID)/4) / Nearest
	}
	last := h.List[len(h.List)-1]
	return tensor.DenseOf([]float64{sum, float64(last.Distance)}, 2), nil
}
