package handmade

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

var (
	roundsProgram   = []byte("handmade rounds 1")
	serverParams, _ = edge("server", "params", "client", "float64[?]")
	clientUpdate, _ = edge("client", "update", "server", "float64[?]")
	roundsEdges     = []runtime.Edge{{ID: serverParams, Type: float64s1, Name: "server.params", From: "server", Dims: 1}, {ID: clientUpdate, Type: float64s1, Name: "client.update", From: "client", Dims: 1}}
)

// Server returns the partition that sends parameters to all clients and averages the answers of at least
// quorum of them, for a number of rounds.
func Server(rounds, quorum int, within int64) *runtime.Partition {
	s := &server{rounds: rounds, quorum: quorum, within: within}
	edges := append([]runtime.Edge(nil), roundsEdges...)
	edges[1].Receives, edges[1].Module, edges[1].Cut = true, 1, 0
	return &runtime.Partition{
		Class: "server", Fingerprint: roundsProgram, Schema: 3, Edges: edges,
		Modules: []runtime.Module{{
			Name: "server",
			New:  func() runtime.Body { return &serverFrame{s: s} },
			Blocks: []runtime.Block{
				{Name: "ask", Wait: 1 << 0, Starts: 1 << 1, Ops: 2},
				{Name: "average", Wait: 1 << 1, Ops: 3},
			},
			Cuts:   []runtime.Cut{{Kind: runtime.InputCut, Name: "params"}, {Kind: runtime.GatherCut, Name: "updates"}},
			Inputs: []int{0},
		}, {
			Name: "update", Child: true, Parent: 0, ParentCut: 1,
			New:    func() runtime.Body { return &updateFrame{} },
			Blocks: []runtime.Block{{Name: "check", Wait: 1 << 0, Ops: 1}},
			Cuts:   []runtime.Cut{{Kind: runtime.FillCut, Name: "update"}},
		}},
		Components: []runtime.Component{s},
	}
}

// Lasting returns the server of a loop that continues after rounds without a quorum.
func Lasting(rounds, quorum int, within int64, policy runtime.ShortPolicy) *runtime.Partition {
	p := Server(rounds, quorum, within)
	m := &p.Modules[0]
	m.Short, m.Again = policy, 2
	m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.TimerCut, Name: "again"})
	m.Blocks[1].Starts = 1 << 2
	m.Blocks = append(m.Blocks, runtime.Block{Name: "again", Wait: 1<<0 | 1<<2, Ops: 1})
	p.Components[0].(*server).skips = policy == runtime.ShortSkips
	return p
}

// server is the aggregator: it counts rounds.
type server struct {
	rounds, quorum int
	within         int64
	skips          bool // a round without a quorum counts, too
	done           int
}

func (s *server) AppendBinary(b []byte) ([]byte, error) {
	return binary.AppendUvarint(b, uint64(s.done)), nil
}

func (s *server) UnmarshalBinary(b []byte) error {
	v, n := binary.Uvarint(b)
	if n != len(b) || n == 0 {
		return fmt.Errorf("got %d bytes, want a number", len(b))
	}
	s.done = int(v)
	return nil
}

type serverFrame struct {
	runtime.Frame
	s      *server
	params []float64
	peers  []wire.PeerID
}

func (f *serverFrame) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		return f.block0(e)
	case 1:
		return f.block1(e)
	case 2:
		return f.block2(e)
	}
	panic("BUG: no such block")
}

// block0 sends the parameters to the clients and expects their updates.
func (f *serverFrame) block0(e *runtime.Engine) error {
	f.peers = e.Peers(f.peers[:0], "client")
	e.Send(&f.Frame, 0, f.peers, tensor.Raw(f.params), uint64(len(f.params)))
	e.Expect(&f.Frame, 1, f.peers, f.s.quorum, 0, f.s.within)
	return nil
}

// block1 averages the updates in the order of the clients' ranks.
func (f *serverFrame) block1(e *runtime.Engine) error {
	mean := make([]float64, len(f.params))
	updates := e.Gathered(&f.Frame, 1)
	for _, u := range updates {
		for i, v := range u.(*updateFrame).update {
			mean[i] += v
		}
	}
	for i := range mean {
		mean[i] /= float64(len(updates))
	}
	model := tensor.Of(mean, len(mean))
	e.Emit(&f.Frame, "model", model)
	return f.next(e, model)
}

// block2 continues without a quorum.
func (f *serverFrame) block2(e *runtime.Engine) error {
	same := tensor.Of(f.params, len(f.params))
	if f.s.skips {
		return f.next(e, same)
	}
	_, err := e.Begin(&f.Frame, 0, same)
	return err
}

// next begins the next round.
func (f *serverFrame) next(e *runtime.Engine, model *tensor.Tensor) error {
	f.s.done++
	if f.s.done >= f.s.rounds {
		return nil
	}
	_, err := e.Begin(&f.Frame, 0, model)
	return err
}

// Round returns the number of the round.
func (f *serverFrame) Round() int64 { return int64(f.s.done) }

func (f *serverFrame) Input(_ int, v tensor.Value) error { return vector(&f.params, v) }
func (f *serverFrame) AppendBinary(b []byte) ([]byte, error) {
	return appendVector(b, f.params), nil
}
func (f *serverFrame) UnmarshalBinary(b []byte) error {
	_, err := consumeVector(&f.params, b)
	return err
}

// updateFrame holds the contribution of one client to a round.
type updateFrame struct {
	runtime.Frame
	update []float64
}

func (f *updateFrame) Run(*runtime.Engine, int) error { return f.block0() }

// block0 checks that the update is finite.
func (f *updateFrame) block0() error { return finite("the update", f.update) }

// finite returns an error if an element of a vector is not finite.
func finite(what string, x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("element %d of %s is %v", i, what, v)
		}
	}
	return nil
}

func (f *updateFrame) Fill(_ int, fill *wire.SlotFill) error {
	return fillFloat64s(&f.update, fill)
}
func (f *updateFrame) Clear()                                { f.update = f.update[:0] }
func (f *updateFrame) AppendBinary(b []byte) ([]byte, error) { return appendVector(b, f.update), nil }
func (f *updateFrame) UnmarshalBinary(b []byte) error {
	_, err := consumeVector(&f.update, b)
	return err
}

// Trainer is the model slot of a client. Its state depends on each training step, so that a repeated step
// changes all later updates.
type Trainer struct {
	Rank    int
	Steps   int
	Forgets bool // it has no state, so that a client without snapshots trains as before
}

func (t *Trainer) train(x []float64) {
	if !t.Forgets {
		t.Steps++
	}
	for i := range x {
		x[i] = float64(x[i]/2) + float64(t.Rank+1) + float64(t.Steps)/8
	}
}

// AppendBinary appends the state.
func (t *Trainer) AppendBinary(b []byte) ([]byte, error) {
	return binary.AppendUvarint(b, uint64(t.Steps)), nil
}

// UnmarshalBinary sets the state.
func (t *Trainer) UnmarshalBinary(b []byte) error {
	v, n := binary.Uvarint(b)
	if n != len(b) || n == 0 {
		return fmt.Errorf("got %d bytes, want a number", len(b))
	}
	t.Steps = int(v)
	return nil
}

// Client returns the partition that trains parameters, as a command, and sends the result back.
func Client(t *Trainer) *runtime.Partition {
	edges := append([]runtime.Edge(nil), roundsEdges...)
	edges[0].Receives, edges[0].Module, edges[0].Cut = true, 0, 0
	return &runtime.Partition{
		Class: "client", Fingerprint: roundsProgram, Schema: 4, Edges: edges, Slots: []string{"model"},
		Modules: []runtime.Module{{
			Name: "client",
			New:  func() runtime.Body { return &clientFrame{t: t} },
			Blocks: []runtime.Block{
				{Name: "train", Wait: 1 << 0, Starts: 1 << 1, Ops: 1},
				{Name: "reply", Wait: 1 << 1, Sends: []runtime.Sending{{Edge: 1, To: runtime.ToSender, Cut: 0}}, Ops: 2},
			},
			Cuts: []runtime.Cut{{Kind: runtime.FillCut, Name: "params"}, {Kind: runtime.CommandCut, Name: "trained", Slot: 0}},
		}},
		Components: []runtime.Component{t},
	}
}

type clientFrame struct {
	runtime.Frame
	t     *Trainer
	x     []float64
	train trainTask
	peer  [1]wire.PeerID
}

// trainTask is the command behind cut point 1.
type trainTask struct{ f *clientFrame }

func (t *trainTask) Do() error {
	t.f.t.train(t.f.x)
	return nil
}

func (f *clientFrame) Run(e *runtime.Engine, block int) error {
	switch block {
	case 0:
		e.Start(&f.Frame, 1)
		return nil
	case 1:
		return f.block1(e)
	}
	panic("BUG: no such block")
}

// block1 sends the trained parameters.
func (f *clientFrame) block1(e *runtime.Engine) error {
	f.peer[0] = f.Sender(0)
	e.Send(&f.Frame, 1, f.peer[:], tensor.Raw(f.x), uint64(len(f.x)))
	return nil
}

func (f *clientFrame) Fill(_ int, fill *wire.SlotFill) error {
	return fillFloat64s(&f.x, fill)
}
func (f *clientFrame) Task(int) runtime.Task {
	f.train.f = f
	return &f.train
}
func (f *clientFrame) AppendBinary(b []byte) ([]byte, error) { return appendVector(b, f.x), nil }
func (f *clientFrame) UnmarshalBinary(b []byte) error {
	_, err := consumeVector(&f.x, b)
	return err
}

// Rounds computes the result of server and clients if all clients take part in every round.
func Rounds(params []float64, rounds, clients int) []float64 {
	trainers := make([]Trainer, clients)
	for range rounds {
		mean := make([]float64, len(params))
		for c := range trainers {
			trainers[c].Rank = c
			x := append([]float64(nil), params...)
			trainers[c].train(x)
			for i, v := range x {
				mean[i] += v
			}
		}
		for i := range mean {
			mean[i] /= float64(clients)
		}
		params = mean
	}
	return params
}
