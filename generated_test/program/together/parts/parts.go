// Package parts contains the component with the values of each worker.
package parts

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Source draws values that follow from rank and round.
type Source struct {
	rank int
}

// Open learns which rank it is.
func (s *Source) Open(env runtime.Env) error {
	s.rank = env.Rank
	return nil
}

// Draw returns a rank's value in a round, of some rows.
func (s *Source) Draw(round int64) (tensor.Dense[float32], error) { return Value(s.rank, round), nil }

// Rows is the number of rows of a value; Row is the number of elements of a row.
const (
	Rows = 11
	Row  = 3
)

// Value returns the numbers that [Source.Draw] draws. The sum of such numbers depends on the order.
func Value(rank int, round int64) tensor.Dense[float32] {
	r := rand.New(rand.NewPCG(uint64(rank), uint64(round)))
	x := tensor.DenseOf(make([]float32, Rows*Row), Rows, Row)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64() * math.Exp(r.NormFloat64()*4))
	}
	return x
}

// AppendBinary and UnmarshalBinary: the rank is the environment's.
func (s *Source) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary has nothing to set.
func (s *Source) UnmarshalBinary([]byte) error { return nil }
