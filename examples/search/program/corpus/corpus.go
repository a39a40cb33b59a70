// Package corpus contains the vectors of shards, and queries for them.
package corpus

import (
	"context"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/hnsw"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Dim is the number of elements of a vector.
const Dim = 24

const (
	topics = 2 // of each shard, around which its vectors are distributed
	spread = 1 // the standard deviation
)

// Vectors returns the vectors of a shard, which are around topics of its own.
func Vectors(seed uint64, shard, n int) [][]float32 {
	r := rand.New(rand.NewPCG(seed, uint64(shard)))
	var middles [topics][]float32
	for i := range middles {
		middles[i] = around(r, make([]float32, Dim), 1)
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = around(r, middles[r.IntN(topics)], spread)
	}
	return out
}

// around draws a vector near v.
func around(r *rand.Rand, v []float32, far float64) []float32 {
	out := make([]float32, len(v))
	for i, e := range v {
		out[i] = e + float32(far*r.NormFloat64())
	}
	return out
}

// Query returns the query of a round, which is near vectors of one shard.
func Query(seed uint64, round, shards int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1<<32+uint64(round)))
	of := Vectors(seed, r.IntN(shards), 100)
	return around(r, of[r.IntN(len(of))], spread/2)
}

// Loader fills a shard's index.
type Loader struct {
	Index *hnsw.Index // set by Needs
	Each  int         // vectors of a shard

	seed   uint64
	rank   int
	middle []float32
}

// Open stores the rank of the shard.
func (l *Loader) Open(env runtime.Env) error {
	l.seed, l.rank = env.Seed, env.Rank
	l.middle = make([]float32, Dim)
	return nil
}

// Load adds the shard's vectors to the index, and returns
// their number. It is a command, as it takes a while.
func (l *Loader) Load(ctx context.Context) (int64, error) {
	all := Vectors(l.seed, l.rank, l.Each)
	for _, v := range all {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := l.Index.Add(tensor.DenseOf(v, Dim)); err != nil {
			return 0, err
		}
		for i, e := range v {
			l.middle[i] += e / float32(len(all))
		}
	}
	return int64(len(all)), nil
}

// Middle returns the mean of the shard's vectors.
func (l *Loader) Middle(context.Context) (tensor.Dense[float32], error) {
	return tensor.DenseOf(append([]float32(nil), l.middle...), Dim), nil
}

// AppendBinary appends the mean.
func (l *Loader) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendDense(b, tensor.DenseOf(l.middle, len(l.middle))), nil
}

// UnmarshalBinary restores the state written by AppendBinary.
func (l *Loader) UnmarshalBinary(b []byte) error {
	var middle tensor.Dense[float32]
	f := values.NewFields(b)
	values.ReadDense(f, &middle)
	l.middle = middle.Data
	return f.End()
}

// Asker returns the queries.
type Asker struct {
	Shards int

	seed uint64
}

// Open stores the seed.
func (a *Asker) Open(env runtime.Env) error {
	a.seed = env.Seed
	return nil
}

// Query returns the query of a round.
func (a *Asker) Query(round int64) (tensor.Dense[float32], error) {
	return tensor.DenseOf(Query(a.seed, int(round), a.Shards), Dim), nil
}

// AppendBinary appends nothing, as Open restores the seed.
func (a *Asker) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary ignores its argument.
func (a *Asker) UnmarshalBinary([]byte) error { return nil }
