package handmade

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	pingPongProgram = []byte("handmade ping pong 1")

	pingX, float64s1 = edge("ping", "x", "pong", "float64[?]")
	pongY, _         = edge("pong", "y", "ping", "float64[?]")
	pingPongEdges    = []runtime.Edge{{ID: pingX, Type: float64s1, Name: "ping.x", From: "ping", Dims: 1}, {ID: pongY, Type: float64s1, Name: "pong.y", From: "pong", Dims: 1}}
)

// Ping returns the partition that sends a vector, waits for the answer, and sends that, for a number of
// rounds.
func Ping(rounds int) *runtime.Partition {
	p := &ping{rounds: rounds}
	edges := append([]runtime.Edge(nil), pingPongEdges...)
	edges[1].Receives, edges[1].Module, edges[1].Cut = true, 0, 1
	return &runtime.Partition{
		Class: "ping", Fingerprint: pingPongProgram, Schema: 1, Edges: edges,
		Modules: []runtime.Module{{
			Name:   "ping",
			New:    func() runtime.Body { return &pingFrame{p: p} },
			Blocks: []runtime.Block{{Name: "send", Wait: 1 << 0, Ops: 1}, {Name: "next", Wait: 1 << 1, Ops: 2}},
			Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "x"}, {Kind: runtime.FillCut, Name: "y"}},
			Inputs: []int{0},
		}},
		Components: []runtime.Component{p},
	}
}

// ping is the state of the peer: one field for each slot.
type ping struct{ rounds, done int }

func (p *ping) AppendBinary(b []byte) ([]byte, error) { return append(b, byte(p.done)), nil }
func (p *ping) UnmarshalBinary(b []byte) error {
	if len(b) != 1 {
		return fmt.Errorf("got %d bytes, want 1", len(b))
	}
	p.done = int(b[0])
	return nil
}

type pingFrame struct {
	runtime.Frame
	p    *ping
	x, y []float64
	peer []wire.PeerID
}

func (f *pingFrame) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		return f.block0(e)
	case 1:
		return f.block1(e)
	}
	panic("BUG: no such block")
}

// block0 sends x.
func (f *pingFrame) block0(e *runtime.Engine) error {
	f.peer = e.Peers(f.peer[:0], "pong")
	e.Send(&f.Frame, 0, f.peer, tensor.Raw(f.x), uint64(len(f.x)))
	return nil
}

// block1 passes y to the host and begins the next round with it.
func (f *pingFrame) block1(e *runtime.Engine) error {
	y := tensor.Of(append([]float64(nil), f.y...), len(f.y))
	e.Emit(&f.Frame, "y", y)
	f.p.done++
	if f.p.done >= f.p.rounds {
		return nil
	}
	_, err := e.Begin(&f.Frame, 0, y)
	return err
}

func (f *pingFrame) Fill(_ int, fill *wire.SlotFill) error {
	return fillFloat64s(&f.y, fill)
}
func (f *pingFrame) Input(_ int, v tensor.Value) error { return vector(&f.x, v) }

// Pong returns the partition that answers with each element plus one. It fails if one is not finite.
func Pong() *runtime.Partition {
	edges := append([]runtime.Edge(nil), pingPongEdges...)
	edges[0].Receives, edges[0].Module, edges[0].Cut = true, 0, 0
	return &runtime.Partition{
		Class: "pong", Fingerprint: pingPongProgram, Schema: 2, Edges: edges,
		Modules: []runtime.Module{{
			Name:   "pong",
			New:    func() runtime.Body { return &pongFrame{} },
			Blocks: []runtime.Block{{Name: "answer", Wait: 1 << 0, Sends: []runtime.Sending{{Edge: 1, To: runtime.ToSender, Cut: 0}}, Ops: 2}},
			Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "x"}},
		}},
	}
}

type pongFrame struct {
	runtime.Frame
	x    []float64
	peer [1]wire.PeerID
}

func (f *pongFrame) Run(e *runtime.Engine, block int) error { return f.block0(e) }

// block0 computes y = x + 1 and sends it to the sender of x.
func (f *pongFrame) block0(e *runtime.Engine) error {
	if err := finite("x", f.x); err != nil {
		return err
	}
	for i := range f.x {
		f.x[i]++
	}
	f.peer[0] = f.Sender(0)
	e.Send(&f.Frame, 1, f.peer[:], tensor.Raw(f.x), uint64(len(f.x)))
	return nil
}

func (f *pongFrame) Fill(_ int, fill *wire.SlotFill) error {
	return fillFloat64s(&f.x, fill)
}
