// Package parts has the component of the program finding.
package parts

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Word gives each peer a value of its own.
type Word struct{ rank int }

// Open sets the peer's rank.
func (w *Word) Open(e runtime.Env) error {
	w.rank = e.Rank
	return nil
}

// Key returns the key of the peer's value.
func (w *Word) Key() (tensor.Dense[uint8], error) { return text("key", w.rank), nil }

// Value returns the peer's value.
func (w *Word) Value() (tensor.Dense[uint8], error) { return text("value", w.rank), nil }

// Next returns the key of the value of the peer with the next rank.
func (w *Word) Next() (tensor.Dense[uint8], error) { return text("key", w.rank+1), nil }

func text(what string, rank int) tensor.Dense[uint8] {
	b := fmt.Appendf(nil, "%s %d", what, rank)
	return tensor.DenseOf(b, len(b))
}

// AppendBinary appends the state.
func (w *Word) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendScalar(b, int64(w.rank)), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (w *Word) UnmarshalBinary(b []byte) error {
	var rank int64
	f := values.NewFields(b)
	values.ReadScalar(f, &rank)
	w.rank = int(rank)
	return f.End()
}
