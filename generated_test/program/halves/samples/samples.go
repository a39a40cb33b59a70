// Package samples has the data of the program halves.
package samples

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Source returns a batch for each round: numbers and
// words with their targets, and a weight for each number.
type Source struct {
	Seed uint64
	Size int // of a batch

	next int64
}

// Of returns the batch of a round.
func (s *Source) Of(round int64) (x tensor.Dense[float32], word tensor.Dense[int64], y, weight tensor.Dense[float32], err error) {
	r := rand.New(rand.NewPCG(s.Seed, uint64(round)))
	x, y, weight = numbers(s.Size, 4), numbers(s.Size, 2), numbers(s.Size, 2)
	word = tensor.DenseOf(make([]int64, s.Size), s.Size)
	for i := range word.Data {
		word.Data[i] = r.Int64N(5)
		row := x.Data[4*i : 4*i+4]
		for k := range row {
			row[k] = r.Float32()*2 - 1
		}
		y.Data[2*i], y.Data[2*i+1] = row[0]*row[1], row[2]-float32(word.Data[i])/4
		weight.Data[2*i], weight.Data[2*i+1] = 0.125, 0.0625
	}
	return x, word, y, weight, nil
}

func numbers(rows, cols int) tensor.Dense[float32] {
	return tensor.DenseOf(make([]float32, rows*cols), rows, cols)
}

// NextBatch returns the batch of the next round: the inputs of a model, then the targets
// of its loss.
func (s *Source) NextBatch() (x tensor.Dense[float32], word tensor.Dense[int64], y, weight tensor.Dense[float32], err error) {
	s.next++
	return s.Of(s.next - 1)
}

// AppendBinary appends the number of the next batch.
func (s *Source) AppendBinary(b []byte) ([]byte, error) { return values.AppendScalar(b, s.next), nil }

// UnmarshalBinary sets it.
func (s *Source) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadScalar(r, &s.next)
	return r.End()
}
