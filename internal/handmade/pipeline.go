package handmade

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	pipelineProgram = []byte("handmade pipeline 1")
	firstX, _       = edge("first", "x", "second", "float64[?]")
	secondX, _      = edge("second", "x", "third", "float64[?]")
	pipelineEdges   = []runtime.Edge{{ID: firstX, Type: float64s1, Name: "first.x", From: "first", Dims: 1}, {ID: secondX, Type: float64s1, Name: "second.x", From: "second", Dims: 1, Origins: []string{"first"}}}
	stageNames      = [3]string{"first", "second", "third"}
)

// Stage returns a partition of a pipeline: number 0 gets x from the host, number 2 returns it. Each computes
// x = 3x + number, and fails if an element is not finite.
func Stage(number int) *runtime.Partition {
	edges := append([]runtime.Edge(nil), pipelineEdges...)
	cut := runtime.Cut{Kind: runtime.FillCut, Name: "x"}
	var inputs []int
	var sends []runtime.Sending
	if number < 2 {
		sends = []runtime.Sending{{Edge: number, To: runtime.ToClass, Class: stageNames[number+1]}}
	}
	if number == 0 {
		cut.Kind, inputs = runtime.InputCut, []int{0}
	} else {
		edges[number-1].Receives = true
	}
	return &runtime.Partition{
		Class: stageNames[number], Fingerprint: pipelineProgram, Schema: 5, Edges: edges,
		Modules: []runtime.Module{{
			Name:   stageNames[number],
			New:    func() runtime.Body { return &stageFrame{number: number} },
			Blocks: []runtime.Block{{Name: "compute", Wait: 1 << 0, Sends: sends, Ops: 2}},
			Cuts:   []runtime.Cut{cut},
			Inputs: inputs,
		}},
	}
}

type stageFrame struct {
	runtime.Frame
	number int
	x      []float64
	peers  []wire.PeerID
}

func (f *stageFrame) Run(e *runtime.Engine, block int) error { return f.block0(e) }

// block0 computes the stage and sends x to the next one.
func (f *stageFrame) block0(e *runtime.Engine) error {
	if err := finite("x", f.x); err != nil {
		return err
	}
	stage(f.x, f.number)
	if f.number == 2 {
		e.Emit(&f.Frame, "x", tensor.Of(append([]float64(nil), f.x...), len(f.x)))
		return nil
	}
	f.peers = e.Peers(f.peers[:0], stageNames[f.number+1])
	e.Send(&f.Frame, f.number, f.peers, tensor.Raw(f.x), uint64(len(f.x)))
	return nil
}

func stage(x []float64, number int) {
	for i := range x {
		x[i] = float64(3*x[i]) + float64(number)
	}
}

func (f *stageFrame) Fill(_ int, fill *wire.SlotFill) error {
	return fillFloat64s(&f.x, fill)
}
func (f *stageFrame) Input(_ int, v tensor.Value) error { return vector(&f.x, v) }

// Pipeline computes the result of the three stages.
func Pipeline(x []float64) []float64 {
	x = append([]float64(nil), x...)
	for number := range stageNames {
		stage(x, number)
	}
	return x
}
