package parts

import (
	"context"
	"errors"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/component/stream"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// stores returns a new component of each index and each source of data, and of the packed numbers, as strategies.
func stores() []Strategy {
	return []Strategy{
		&Flat{}, &Layered{Index: hnsw.Index{M: 2, Ef: 4}}, &Packed{Packed: dp.Packed{Clip: 4, Peers: 2}},
		&Lines{Values: stream.Values{Lines: stream.Lines{Path: "lines.csv", Batch: 2, Shape: []int{1}}}},
		&Examples{Source: shard.Source{Path: "examples", Batch: 3, Peers: 2}},
	}
}

// Flat is an exact index.
type Flat struct{ flat.Index }

// Step adds a, and searches b.
func (x *Flat) Step(a, b Model) (Model, error) { return searched(&x.Index, a, b) }

// Layered is an index that visits a part of its vectors.
type Layered struct{ hnsw.Index }

// Step adds a, and searches b.
func (x *Layered) Step(a, b Model) (Model, error) { return searched(&x.Index, a, b) }

// searched adds a to an index, removes every third vector, and returns a with the number and the distance of the
// farther one of the two that are nearest to b.
func searched(index interface {
	Add(Model) (uint64, error)
	Remove(uint64) error
	Search(Model, int) (tensor.Dense[uint64], Model, error)
}, a, b Model) (Model, error) {
	id, err := index.Add(a)
	if err == nil && id%3 == 2 {
		err = index.Remove(id - 1)
	}
	if err != nil {
		return a, err
	}
	ids, distances, err := index.Search(b, 2)
	if err != nil {
		return a, err
	}
	last := len(ids.Data) - 1
	y := withFirst(a, float32(ids.Data[last]))
	y.Data[1] = (y.Data[1] + min(distances.Data[last], 8)) / 2
	return y, nil
}

// Packed is two numbers in one integer.
type Packed struct{ dp.Packed }

// Step is the mean of two contributions.
func (p *Packed) Step(a, b Model) (Model, error) {
	sum, err := p.Encode(context.Background(), a)
	if err != nil {
		return a, err
	}
	sum = sum.Clone() // the next call may use its memory
	other, err := p.Encode(context.Background(), b)
	if err != nil {
		return a, err
	}
	return p.Mean(context.Background(), added(sum, other), 2)
}

// files are the data of all peers.
var files = fstest.MapFS{
	"lines.csv":          {Data: []byte("1,0\n2,0\n-3,1\n4,1\n-5,0\n6,1\n7,0\n")},
	"examples/train.csv": {Data: []byte("x,class\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n7,0\n8,1\n9,0\n")},
}

// Lines is a file of lines, which is read again from its beginning at its end.
type Lines struct{ stream.Values }

// Open gives it the file.
func (l *Lines) Open(env runtime.Env) error {
	env.Data = files
	return l.Values.Open(env)
}

// Step returns a with the last of the next lines.
func (l *Lines) Step(a, _ Model) (Model, error) {
	x, _, err := l.NextBatch()
	if errors.Is(err, stream.ErrDry) {
		if err = l.Reset(); err == nil {
			x, _, err = l.NextBatch()
		}
	}
	if err != nil {
		return a, err
	}
	return withFirst(a, x.Data[len(x.Data)-1]), nil
}

// Examples is a peer's share of the examples, in a random order in each epoch.
type Examples struct{ shard.Source }

// Open gives it the examples. All ranks from the second on have the same share.
func (e *Examples) Open(env runtime.Env) error {
	env.Data, env.Rank = files, min(env.Rank, 1)
	return e.Source.Open(env)
}

// Step returns a with the last of the next examples and the class of the first.
func (e *Examples) Step(a, _ Model) (Model, error) {
	x, class, err := e.NextBatch()
	if err != nil {
		return a, err
	}
	return withFirst(a, x.Data[len(x.Data)-1]+float32(class.Data[0])/4), nil
}
