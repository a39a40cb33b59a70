package dataparallel

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// enterName is the module that begins a step.
const enterName = "enter"

// Enter begins a step. The training waits meanwhile, so that the node's goroutine may read its state.
func (g *group) Enter(s train.Shared) (joined bool, err error) {
	g.state.given.Store(false)
	g.state.shared.Store(&s)
	defer g.state.shared.Store(nil)
	_, err = g.invoke(enterName, tensor.Of([]int64{0}))
	if g.long != nil {
		g.long.Stop()
	}
	if err == nil {
		g.takesPart.Do(g.begin)
	}
	return g.state.given.Load(), err
}

// begin notes that this peer takes part in the training.
func (g *group) begin() {
	if g.stopWatch != nil {
		g.stopWatch()
	}
	g.note.write()
}

// state is the component whose state a joining peer receives: that of the training while it begins a step,
// otherwise empty.
type state struct {
	shared atomic.Pointer[train.Shared]
	given  atomic.Bool // the state of another peer was set
}

// AppendBinary appends the state of the training.
func (s *state) AppendBinary(b []byte) ([]byte, error) {
	if x := s.shared.Load(); x != nil {
		return (*x).AppendBinary(b)
	}
	return b, nil
}

// UnmarshalBinary sets the state of the training.
func (s *state) UnmarshalBinary(b []byte) error {
	x := s.shared.Load()
	if x == nil {
		return nil
	}
	s.given.Store(true)
	return (*x).UnmarshalBinary(b)
}

// addEnter adds the module, whose edge sends the state of component 0.
func addEnter(p *runtime.Partition) {
	add(p, enterName, collective.Spec{Kind: collective.Enter, Elem: tensor.Uint8})
	p.Edges[len(p.Edges)-1].Collective.State = []int{0}
	p.Modules = append(p.Modules, runtime.Module{
		Name:   enterName,
		New:    func() runtime.Body { return new(enterFrame) },
		Blocks: []runtime.Block{{Name: "enter", Wait: 1 << cutValue, Starts: 1 << cutSum, Ops: 1}, {Name: "give", Wait: 1 << cutSum, Ops: 1}},
		Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "value"}, {Kind: runtime.CollectiveCut, Name: "step"}},
		Inputs: []int{cutValue},
	})
}

// enterFrame is the beginning of a step. Its number is not used: the training's own is part of its state.
type enterFrame struct {
	runtime.Frame
	number int64
}

// Run runs a block.
func (f *enterFrame) Run(e *runtime.Engine, block int) error {
	if block == 0 {
		e.Collect(&f.Frame, cutSum, edgeEnter, nil, binary.LittleEndian.AppendUint64(e.Scratch(), uint64(f.number)))
		return nil
	}
	e.Emit(&f.Frame, "sum", tensor.Of([]int64{f.number}))
	return nil
}

// Fill takes the number of the step.
func (f *enterFrame) Fill(_ int, fill *wire.SlotFill) error {
	return values.TakeScalar(&f.number, fill)
}

// Input takes the host's value.
func (f *enterFrame) Input(_ int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType != tensor.Int64 || t.Len() != 1 {
		return fmt.Errorf("a step is %v, want a number", v)
	}
	f.number = tensor.Data[int64](t)[0]
	return nil
}

// Clear clears the frame.
func (f *enterFrame) Clear() { f.number = 0 }

// AppendBinary appends the number.
func (f *enterFrame) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(b, uint64(f.number)), nil
}

// UnmarshalBinary reads the number.
func (f *enterFrame) UnmarshalBinary(b []byte) error {
	if len(b) != 8 {
		return fmt.Errorf("a step has %d bytes, want 8", len(b))
	}
	f.number = int64(binary.LittleEndian.Uint64(b))
	return nil
}
