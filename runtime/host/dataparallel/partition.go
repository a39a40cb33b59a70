package dataparallel

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// fingerprint names the program: peers of another one are refused. Whoever changes what
// goes over an edge changes it.
const fingerprint = "bbgen data-parallel training 6"

// sumName is the module that sums as a codec does, on a lane.
func sumName(c collective.Codec, lane int) string { return fmt.Sprint(c, lane) }

// numbers is the module that sums what is no gradient.
const numbers = "numbers"

// gathered is the module that returns the values of all peers.
const gathered = "gathered"

// edgeEnter is the edge of the module that begins a step. It is the first.
const edgeEnter = 0

// newPartition makes the partition of a trainer: modules that its host invokes, one that begins a step, in
// which peers may join, and others that sum one value each. When a peer is lost the others continue without it.
func (g *group) newPartition(runtime.Env) (*runtime.Partition, error) {
	p := &runtime.Partition{Class: Class, Fingerprint: []byte(fingerprint), Schema: 3, Components: []runtime.Component{&g.state}}
	addEnter(p)
	addSum(p, numbers, collective.Spec{})
	addSum(p, gathered, collective.Spec{Kind: collective.AllGather})
	for lane := range train.Lanes {
		for _, c := range collective.Codecs() {
			addSum(p, sumName(c, lane), collective.Spec{Codec: c, Feedback: c != collective.Exact})
		}
	}
	return p, nil
}

// The cut points of a sum: the host's value, and the result.
const (
	cutValue = iota
	cutSum
)

// addSum adds a module and its edge, for a sum of float32 or another collective.
func addSum(p *runtime.Partition, name string, s collective.Spec) {
	edge := len(p.Edges)
	s.Elem = tensor.Float32
	add(p, name, s)
	p.Modules = append(p.Modules, runtime.Module{
		Name:   name,
		New:    func() runtime.Body { return &sumFrame{edge: edge} },
		Blocks: []runtime.Block{{Name: "sum", Wait: 1 << cutValue, Starts: 1 << cutSum, Ops: 1}, {Name: "give", Wait: 1 << cutSum, Ops: 1}},
		Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "value"}, {Kind: runtime.CollectiveCut, Name: "sum"}},
		Inputs: []int{cutValue},
	})
}

// add adds an edge for the next module.
func add(p *runtime.Partition, name string, s collective.Spec) {
	number := uint64(len(p.Edges) + 1)
	p.Edges = append(p.Edges, runtime.Edge{
		ID: wire.EdgeID(number), Type: wire.TypeHash(number), Name: Class + "." + name, From: Class, Dims: collective.Words,
		Receives: true, Module: len(p.Modules), Cut: cutSum,
		Collective: &runtime.Collective{Spec: s, IfLost: collective.Repeat},
	})
}

// sumFrame is one sum.
type sumFrame struct {
	runtime.Frame
	edge       int
	value, sum tensor.Dense[float32]
}

// Run runs a block.
func (f *sumFrame) Run(e *runtime.Engine, block int) error {
	if block == 0 {
		e.Collect(&f.Frame, cutSum, f.edge, f.value.Memory(), tensor.Raw(f.value.Data), f.value.Shape...)
		e.CountDropped(values.Drop(&f.value))
		return nil
	}
	e.Emit(&f.Frame, "sum", given(f.sum))
	e.CountDropped(values.Drop(&f.sum))
	return nil
}

// given returns a sum for the host, with a reference to its memory that the host releases.
func given(sum tensor.Dense[float32]) tensor.Value {
	if !sum.IsLarge() {
		return values.Kept(sum)
	}
	sum.Memory().Retain()
	return sum.Lend()
}

// Fill takes the result.
func (f *sumFrame) Fill(_ int, fill *wire.SlotFill) error {
	return values.TakeDense(&f.sum, fill, values.Open)
}

// Input takes the host's value.
func (f *sumFrame) Input(_ int, v tensor.Value) error {
	return values.SetDense(&f.value, v, values.Open)
}

// Clear clears the frame.
func (f *sumFrame) Clear() {
	f.value.Reset()
	f.sum.Reset()
}

// AppendBinary appends the fields that later blocks need.
func (f *sumFrame) AppendBinary(b []byte) ([]byte, error) {
	return values.KeepDense(f.Keeper(), values.KeepDense(f.Keeper(), b, f.value), f.sum), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (f *sumFrame) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadKept(f.Keeper(), r, &f.value)
	values.ReadKept(f.Keeper(), r, &f.sum)
	return r.End()
}
