package handmade

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	questionProgram = []byte("handmade question 1")

	questionX, pairType = edge("asker", "x", "oracle", "float64[2]")
	questionY, _        = edge("oracle", "y", "asker", "float64[2]")
	questionEdges       = []runtime.Edge{
		{ID: questionX, Type: pairType, Name: "asker.x", From: "asker", To: "oracle", Size: pairSize},
		{ID: questionY, Type: pairType, Name: "oracle.y", From: "oracle", To: "asker", Size: pairSize},
	}
)

// pairSize is the size of a value on both edges: they have no open dimensions.
const pairSize = 16

// Asker returns the partition whose host gives it pairs of numbers, in any order and number. Each goes to all oracles, and the
// host gets the answer of one.
func Asker() *runtime.Partition {
	edges := append([]runtime.Edge(nil), questionEdges...)
	edges[1].Receives, edges[1].Module, edges[1].Cut = true, 0, 1
	return &runtime.Partition{
		Class: "asker", Fingerprint: questionProgram, Schema: 1, Edges: edges,
		Modules: []runtime.Module{{
			Name:   "asker",
			New:    func() runtime.Body { return &askerFrame{} },
			Blocks: []runtime.Block{{Name: "ask", Wait: 1 << 0, Ops: 1}, {Name: "hear", Wait: 1 << 1, Ops: 1}},
			Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "x"}, {Kind: runtime.FillCut, Name: "y"}},
			Inputs: []int{0},
		}},
	}
}

type askerFrame struct {
	runtime.Frame
	x, y  []float64
	peers []wire.PeerID
}

func (f *askerFrame) Run(e *runtime.Engine, block int) error {
	if block == 0 {
		f.peers = e.Peers(f.peers[:0], "oracle")
		e.Send(&f.Frame, 0, f.peers, tensor.Raw(f.x))
		return nil
	}
	e.Emit(&f.Frame, "y", tensor.Of(append([]float64(nil), f.y...), len(f.y)))
	return nil
}

func (f *askerFrame) Fill(_ int, fill *wire.SlotFill) error { return fillPair(&f.y, fill) }
func (f *askerFrame) Input(_ int, v tensor.Value) error     { return vector(&f.x, v) }

// Oracle returns the partition that answers with each element plus one. It gives its host each question, and notifies it of each.
func Oracle() *runtime.Partition {
	edges := append([]runtime.Edge(nil), questionEdges...)
	edges[0].Receives, edges[0].Module, edges[0].Cut = true, 0, 0
	return &runtime.Partition{
		Class: "oracle", Fingerprint: questionProgram, Schema: 2, Edges: edges,
		Modules: []runtime.Module{{
			Name:   "oracle",
			New:    func() runtime.Body { return &oracleFrame{} },
			Blocks: []runtime.Block{{Name: "answer", Wait: 1 << 0, Sends: []runtime.Sending{{Edge: 1, To: runtime.ToSender, Cut: 0}}, Ops: 2}},
			Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "x"}},
		}},
	}
}

type oracleFrame struct {
	runtime.Frame
	x    []float64
	peer [1]wire.PeerID
}

func (f *oracleFrame) Run(e *runtime.Engine, _ int) error {
	x := tensor.Of(append([]float64(nil), f.x...), len(f.x))
	e.Emit(&f.Frame, "x", x)
	if err := e.Peer().Notify("heard", x); err != nil { // as a component would
		return err
	}
	for i := range f.x {
		f.x[i]++
	}
	f.peer[0] = f.Sender(0)
	e.Send(&f.Frame, 1, f.peer[:], tensor.Raw(f.x))
	return nil
}

func (f *oracleFrame) Fill(_ int, fill *wire.SlotFill) error { return fillPair(&f.x, fill) }

// fillPair sets *dst to the two elements of a fill.
func fillPair(dst *[]float64, fill *wire.SlotFill) error {
	b, err := values.Payload(fill)
	if err != nil {
		return err
	}
	return readFloat64s(dst, b, 2)
}
