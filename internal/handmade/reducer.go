package handmade

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

var reducerSum, reducerType = edge("reducer", "sum", "reducer", "all_reduce sum float64[?]")

// Reducer returns a partition with peers that sum a vector by an algorithm, and continue with values derived
// from the sum, for a number of rounds.
func Reducer(rank, rounds int, a collective.Algorithm, lost collective.IfLost) *runtime.Partition {
	return reducerPartition(&reducer{rank: rank, rounds: rounds, failsAt: -1}, a, lost)
}

// FailingReducer returns a [Reducer] that fails in a round, before it gives its vector.
func FailingReducer(rank, rounds int, a collective.Algorithm, lost collective.IfLost, failsAt int) *runtime.Partition {
	return reducerPartition(&reducer{rank: rank, rounds: rounds, failsAt: failsAt}, a, lost)
}

func reducerPartition(p *reducer, a collective.Algorithm, lost collective.IfLost) *runtime.Partition {
	return &runtime.Partition{
		Class: "reducer", Fingerprint: []byte("handmade reducer 1"), Schema: 9,
		Edges: []runtime.Edge{{
			ID: reducerSum, Type: reducerType, Name: "reducer.sum", From: "reducer", Dims: collective.Words, Receives: true, Cut: 1,
			Collective: &runtime.Collective{Spec: collective.Spec{Elem: tensor.Float64, Algorithm: a}, IfLost: lost},
		}},
		Modules: []runtime.Module{{
			Name:   "reducer",
			New:    func() runtime.Body { return &reducerFrame{p: p} },
			Blocks: []runtime.Block{{Name: "sum", Wait: 1 << 0, Starts: 1 << 1, Ops: 1}, {Name: "next", Wait: 1 << 1, Ops: 2}},
			Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "x"}, {Kind: runtime.CollectiveCut, Name: "sum"}},
			Inputs: []int{0},
		}},
		Components: []runtime.Component{p},
	}
}

// reducer is the state of the peer.
type reducer struct{ rank, rounds, done, failsAt int }

func (p *reducer) AppendBinary(b []byte) ([]byte, error) {
	return binary.AppendUvarint(b, uint64(p.done)), nil
}

func (p *reducer) UnmarshalBinary(b []byte) error {
	v, n := binary.Uvarint(b)
	if n != len(b) || n == 0 {
		return fmt.Errorf("got %d bytes, want a number", len(b))
	}
	p.done = int(v)
	return nil
}

type reducerFrame struct {
	runtime.Frame
	p      *reducer
	x, sum []float64
}

func (f *reducerFrame) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		if f.p.done == f.p.failsAt {
			return errors.New("as it should")
		}
		e.Collect(&f.Frame, 1, 0, nil, tensor.Raw(f.x), len(f.x))
		return nil
	case 1:
		return f.block1(e)
	}
	panic("BUG: no such block")
}

// block1 passes the sum to the host and begins the next round.
func (f *reducerFrame) block1(e *runtime.Engine) error {
	e.Emit(&f.Frame, "sum", tensor.Of(append([]float64(nil), f.sum...), len(f.sum)))
	f.p.done++
	if f.p.done >= f.p.rounds {
		return nil
	}
	x := Contribution(f.p.rank, f.sum)
	_, err := e.Begin(&f.Frame, 0, tensor.Of(x, len(x)))
	return err
}

// Contribution returns the contribution of a rank after the previous sum.
func Contribution(rank int, sum []float64) []float64 {
	x := make([]float64, len(sum))
	for i, s := range sum {
		x[i] = s/float64(3+rank) + float64(i+rank)/7
	}
	return x
}

func (f *reducerFrame) Fill(_ int, fill *wire.SlotFill) error { return fillFloat64s(&f.sum, fill) }
func (f *reducerFrame) Input(_ int, v tensor.Value) error     { return vector(&f.x, v) }
func (f *reducerFrame) Clear()                                { f.x, f.sum = f.x[:0], f.sum[:0] }

func (f *reducerFrame) AppendBinary(b []byte) ([]byte, error) {
	return appendVector(appendVector(b, f.x), f.sum), nil
}

func (f *reducerFrame) UnmarshalBinary(b []byte) error {
	b, err := consumeVector(&f.x, b)
	if err == nil {
		b, err = consumeVector(&f.sum, b)
	}
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%d bytes too many", len(b))
	}
	return err
}
