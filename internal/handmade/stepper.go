package handmade

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	stepperEnter, stepperEnterType = edge("stepper", "enter", "stepper", "enter int64[]")
	stepperSum, stepperSumType     = edge("stepper", "sum", "stepper", "all_reduce sum float64[?]")
)

// Stepper returns a partition with peers that make steps. The state of each step depends on the state before
// and on the sum over all peers. A peer that begins later, or again, receives the state.
func Stepper(rank, steps, size int) *runtime.Partition {
	p := &stepper{rank: rank, steps: steps, state: make([]float64, size)}
	return &runtime.Partition{
		Class: "stepper", Fingerprint: []byte("handmade stepper 1"), Schema: 12,
		Edges: []runtime.Edge{{
			ID: stepperEnter, Type: stepperEnterType, Name: "stepper.enter", From: "stepper", Dims: collective.Words, Receives: true, Cut: 1,
			Collective: &runtime.Collective{Spec: collective.Spec{Kind: collective.Enter, Elem: tensor.Uint8}, IfLost: collective.Repeat, State: []int{0}},
		}, {
			ID: stepperSum, Type: stepperSumType, Name: "stepper.sum", From: "stepper", Dims: collective.Words, Receives: true, Cut: 2,
			Collective: &runtime.Collective{Spec: collective.Spec{Elem: tensor.Float64}, IfLost: collective.Repeat},
		}},
		Modules: []runtime.Module{{
			Name: "step",
			New:  func() runtime.Body { return &stepFrame{p: p} },
			Blocks: []runtime.Block{{Name: "enter", Wait: 1 << 0, Starts: 1 << 1, Ops: 1}, {Name: "sum", Wait: 1 << 1, Starts: 1 << 2, Ops: 1},
				{Name: "next", Wait: 1 << 2, Ops: 2}},
			Cuts: []runtime.Cut{{Kind: runtime.InputCut, Name: "number"}, {Kind: runtime.CollectiveCut, Name: "enter"},
				{Kind: runtime.CollectiveCut, Name: "sum"}},
			Inputs: []int{0},
		}},
		Components: []runtime.Component{p},
	}
}

// stepper is the state of the peer, which joining peers receive.
type stepper struct {
	rank, steps int
	state       []float64
}

func (p *stepper) AppendBinary(b []byte) ([]byte, error) { return appendVector(b, p.state), nil }

func (p *stepper) UnmarshalBinary(b []byte) error {
	_, err := consumeVector(&p.state, b)
	return err
}

type stepFrame struct {
	runtime.Frame
	p      *stepper
	number int64
	sum    []float64
}

func (f *stepFrame) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		e.Collect(&f.Frame, 1, 0, nil, binary.LittleEndian.AppendUint64(nil, uint64(f.number)))
		return nil
	case 1:
		x := Contribution(f.p.rank, f.p.state)
		e.Collect(&f.Frame, 2, 1, nil, tensor.Raw(x), len(x))
		return nil
	}
	return f.next(e)
}

// next ends a step, reports it to the host, and begins the next one.
func (f *stepFrame) next(e *runtime.Engine) error {
	for i, x := range f.sum {
		f.p.state[i] = f.p.state[i]/2 + x/16
	}
	f.number++
	e.Emit(&f.Frame, "step", tensor.Of(append([]float64{float64(f.number)}, f.p.state...), len(f.sum)+1))
	if f.number == int64(f.p.steps) {
		return nil
	}
	_, err := e.Begin(&f.Frame, 0, tensor.Of([]int64{f.number}))
	return err
}

func (f *stepFrame) Fill(cut int, fill *wire.SlotFill) error {
	if cut == 2 {
		return fillFloat64s(&f.sum, fill)
	}
	if len(fill.Payload) != 8 {
		return fmt.Errorf("got %d bytes, want a number of 8", len(fill.Payload))
	}
	f.number = int64(binary.LittleEndian.Uint64(fill.Payload))
	return nil
}

func (f *stepFrame) Input(_ int, v tensor.Value) error {
	f.number = tensor.Data[int64](v.(*tensor.Tensor))[0]
	return nil
}

func (f *stepFrame) Clear() { f.number, f.sum = 0, f.sum[:0] }

func (f *stepFrame) AppendBinary(b []byte) ([]byte, error) {
	return appendVector(binary.LittleEndian.AppendUint64(b, uint64(f.number)), f.sum), nil
}

func (f *stepFrame) UnmarshalBinary(b []byte) error {
	if len(b) < 8 {
		return fmt.Errorf("got %d bytes, want a number and a vector", len(b))
	}
	f.number = int64(binary.LittleEndian.Uint64(b))
	_, err := consumeVector(&f.sum, b[8:])
	return err
}
