package collectives

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
	"github.com/bbgen/bbgen/runtime/wire/edgeid"
)

// part is the program of a rank: a module with one execution per round. Its cut points are the number of the
// round, from the host or the previous round, and the results.
type part struct {
	runtime.Partition
	c      *Case
	rank   int
	stages [][]int // calls, in the rank's order
}

func newPart(c *Case, rank int) *part {
	p := &part{c: c, rank: rank}
	p.Class, p.Fingerprint, p.Schema = "rank", []byte("collectives"), 1
	m := runtime.Module{Name: "round", New: func() runtime.Body { return &round{p: p, results: make([][]byte, len(c.Calls))} },
		Cuts: []runtime.Cut{{Kind: runtime.InputCut, Name: "round"}}, Inputs: []int{0}}
	for i := range c.Calls {
		name := fmt.Sprint("call", i)
		p.Edges = append(p.Edges, runtime.Edge{ID: edgeIDs[i], Type: edgeType, Name: name, From: "rank", Dims: collective.Words, Receives: true, Cut: 1 + i,
			Collective: &runtime.Collective{Spec: c.Calls[i].Spec, IfLost: c.IfLost}})
		m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.CollectiveCut, Name: name})
	}
	p.arrange()
	wait := uint64(1)
	for _, calls := range p.stages {
		b := runtime.Block{Name: "calls", Wait: wait, Ops: 1}
		for _, i := range calls {
			b.Starts |= 2 << i
		}
		wait = b.Starts
		m.Blocks = append(m.Blocks, b)
	}
	m.Blocks = append(m.Blocks, runtime.Block{Name: "last", Wait: wait, Ops: 1})
	p.Modules = []runtime.Module{m}
	return p
}

// maxCalls is the maximum number of calls in a round.
const maxCalls = 8

var (
	edgeIDs  [maxCalls]wire.EdgeID
	edgeType = edgeid.Type("collective")
)

func init() {
	for i := range edgeIDs {
		edgeIDs[i] = edgeid.Edge(fmt.Sprint("call", i))
	}
}

// arrange shuffles the calls of each stage for the rank.
func (p *part) arrange() {
	r := rand.New(rand.NewPCG(p.c.Seed, uint64(p.rank)))
	for _, i := range r.Perm(len(p.c.Calls)) {
		stage := p.c.Calls[i].Stage
		for len(p.stages) <= stage {
			p.stages = append(p.stages, nil)
		}
		p.stages[stage] = append(p.stages[stage], i)
	}
	p.stages = slices.DeleteFunc(p.stages, func(calls []int) bool { return len(calls) == 0 })
}

// round is an execution.
type round struct {
	runtime.Frame
	p       *part
	number  int
	results [][]byte
}

var errMistake = errors.New("the code of the rank fails, as it should")

// Run reports the results of a stage and makes the calls of the next one.
func (f *round) Run(e *runtime.Engine, block int) error {
	if block > 0 {
		for _, i := range f.p.stages[block-1] {
			e.Emit(&f.Frame, f.p.Edges[i].Name, told(f.number, f.results[i]))
		}
	}
	if block == len(f.p.stages) {
		return f.next(e)
	}
	for _, i := range f.p.stages[block] {
		if m := f.p.c.Mistake; m != nil && *m == (Mistake{f.p.rank, f.number, i, Fails}) {
			return errMistake
		}
		v := f.p.c.given(i, f.number, f.p.rank)
		e.Collect(&f.Frame, 1+i, i, nil, v.Data, v.Rows, v.Row)
	}
	return nil
}

// next begins the next round.
func (f *round) next(e *runtime.Engine) error {
	if f.number+1 == f.p.c.Rounds {
		return nil
	}
	_, err := e.Begin(&f.Frame, 0, numbered(f.number+1))
	return err
}

// numbered returns the initial value of a round.
func numbered(round int) *tensor.Tensor { return tensor.Of([]uint8{byte(round)}, 1) }

// told returns a result in the form for the host, with its round.
func told(round int, result []byte) *tensor.Tensor {
	b := append([]byte{byte(round)}, result...)
	return tensor.Of(b, len(b))
}

// Fill takes a result.
func (f *round) Fill(cut int, fill *wire.SlotFill) error {
	b, err := values.Payload(fill)
	if err == nil && len(fill.Dims) != 2 {
		err = fmt.Errorf("the result has sizes %v, want two", fill.Dims)
	}
	f.results[cut-1] = append(f.results[cut-1][:0], b...)
	return err
}

// Input takes the number of the round.
func (f *round) Input(_ int, v tensor.Value) error {
	f.number = int(tensor.Data[uint8](v.(*tensor.Tensor))[0])
	return nil
}

// Clear clears the frame.
func (f *round) Clear() {
	for i := range f.results {
		f.results[i] = f.results[i][:0]
	}
}

// AppendBinary appends the frame.
func (f *round) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, byte(f.number))
	for _, r := range f.results {
		b = append(b, byte(len(r)>>16), byte(len(r)>>8), byte(len(r)))
		b = append(b, r...)
	}
	return b, nil
}

// UnmarshalBinary is the inverse.
func (f *round) UnmarshalBinary(b []byte) error {
	f.number, b = int(b[0]), b[1:]
	for i := range f.results {
		n := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
		f.results[i] = append(f.results[i][:0], b[3:3+n]...)
		b = b[3+n:]
	}
	return nil
}
