package enginetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// pongNode returns a node to which a peer sends values that it answers.
func pongNode(tb testing.TB) (n *runtime.Node, ping wire.PeerID) {
	key := make([]byte, 32)
	key[0] = 1
	ping, _ = wire.PeerIDOf(key)
	key[0] = 2
	self, _ := wire.PeerIDOf(key)
	n, err := runtime.New(runtime.Config{Self: self, Incarnation: 1, Peers: []runtime.PeerConfig{{ID: ping, Class: "ping"}}}, handmade.Pong())
	if err != nil {
		tb.Fatal(err)
	}
	h := n.Hello()
	h.Classes = []string{"ping"}
	if err := n.Connected(0, ping, &h); err != nil {
		tb.Fatal(err)
	}
	for {
		if _, ok := n.Poll(0); !ok {
			return n, ping
		}
	}
}

// feeder makes the envelopes of a peer: a value of 64 bytes for each of some consecutive executions.
type feeder struct {
	e    wire.Envelope
	each uint64 // how many are answered at a time
	buf  []byte
}

func newFeeder(ping wire.PeerID, each uint64) *feeder {
	edge := handmade.Pong().Edges[0]
	return &feeder{each: each, e: wire.Envelope{
		Exec:  wire.ExecID{Origin: ping, Incarnation: 1},
		Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, edge.ID), Type: edge.Type, Payload: make([]byte, 64), Dims: []uint64{8}}},
	}}
}

func (f *feeder) next() []byte {
	f.e.Seq++
	f.e.Ack = (f.e.Seq - 1) / f.each * f.each // of the answers
	f.e.Exec.Number++
	f.buf = wire.AppendEnvelope(f.buf[:0], &f.e)
	return f.buf
}

// step delivers a fill and takes the answer.
func step(tb testing.TB, n *runtime.Node, f *feeder, ping wire.PeerID, now int64) {
	if err := n.Deliver(now, ping, f.next()); err != nil {
		tb.Fatal(err)
	}
	sends := 0
	for {
		o, ok := n.Poll(now)
		if !ok {
			break
		}
		if o.Kind == runtime.Send && len(o.Envelope.Fills) == 1 {
			sends++
		}
	}
	if sends != 1 {
		tb.Fatalf("%d answers", sends)
	}
}

// From envelope to block to envelope, only the sizes of a fill with dynamic dimensions are allocated.
func TestNoAllocation(t *testing.T) {
	n, ping := pongNode(t)
	f := newFeeder(ping, 1)
	now := int64(0)
	for range 3000 {
		now++
		step(t, n, f, ping, now)
	}
	if a := testing.AllocsPerRun(1000, func() { now++; step(t, n, f, ping, now) }); a != 0 {
		t.Errorf("%v allocations for a fill and its answer", a)
	}
}

// stopwatch adds up the measured times without their preparation: by the clock, and by processor time, which
// other processes do not lengthen.
type stopwatch struct {
	wall, cpu time.Duration
	count     int // of the measurements
}

func (w *stopwatch) measure(count int, do func()) {
	cpu, start := cpuTime(), time.Now()
	do()
	w.wall += time.Since(start)
	w.cpu += cpuTime() - cpu
	w.count += count
}

// report reports the time of one operation, and the number of operations per second of processor time.
func (w *stopwatch) report(b *testing.B, what string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(w.wall.Nanoseconds())/float64(w.count), "wall-ns/"+what)
	b.ReportMetric(float64(w.cpu.Nanoseconds())/float64(w.count), "cpu-ns/"+what)
	b.ReportMetric(float64(w.count)/max(w.cpu.Seconds(), 1e-9), what+"s/cpu-s")
}

// batch is how many envelopes are made before they are delivered.
const batch = 4096

// benchmarkFills delivers fills, each fills before every poll: each fill is in an envelope of its own and
// causes a new execution, one block, and an answer in an envelope.
func benchmarkFills(b *testing.B, each int) {
	n, ping := pongNode(b)
	f := newFeeder(ping, uint64(each))
	envelopes := make([][]byte, batch)
	var w stopwatch
	taken := 0
	pass := func() {
		for i := range envelopes {
			envelopes[i] = append(envelopes[i][:0], f.next()...)
		}
		w.measure(batch, func() {
			for i, e := range envelopes {
				if err := n.Deliver(int64(taken+i), ping, e); err != nil {
					b.Fatal(err)
				}
				if (i+1)%each == 0 {
					for more := true; more; {
						_, more = n.Poll(int64(taken + i))
					}
				}
			}
		})
		taken += batch
	}
	pass() // reaches the steady state of memory
	w = stopwatch{}
	b.ReportAllocs()
	for b.Loop() {
		pass()
	}
	if got := n.Stats().Fills; got != uint64(taken) {
		b.Fatalf("%d fills were taken of %d", got, taken)
	}
	w.report(b, "fill")
}

// BenchmarkAnswer polls after each fill.
func BenchmarkAnswer(b *testing.B) { benchmarkFills(b, 1) }

// BenchmarkDeliver is BenchmarkAnswer in batches: a host reads many envelopes from a socket before it polls.
func BenchmarkDeliver(b *testing.B) { benchmarkFills(b, 64) }

// chain is a module of blocks that each start the next one.
type chain struct{ runtime.Frame }

const chainBlocks = 64

func (f *chain) Run(e *runtime.Engine, block int) error {
	if block+1 < chainBlocks {
		e.Bring(&f.Frame, block)
	}
	return nil
}

// BenchmarkBlock measures the overhead of a block.
func BenchmarkBlock(b *testing.B) {
	m := runtime.Module{Name: "chain", New: func() runtime.Body { return &chain{} }, Blocks: []runtime.Block{{Name: "0", Ops: 1}}}
	for i := range chainBlocks - 1 {
		m.Blocks = append(m.Blocks, runtime.Block{Name: fmt.Sprint(i + 1), Wait: 1 << i, Ops: 1})
		m.Cuts = append(m.Cuts, runtime.Cut{Kind: runtime.LocalCut, Name: fmt.Sprint(i)})
	}
	key := [32]byte{1}
	self, _ := wire.PeerIDOf(key[:])
	n, err := runtime.New(runtime.Config{Self: self, Incarnation: 1}, &runtime.Partition{Class: "c", Modules: []runtime.Module{m}})
	if err != nil {
		b.Fatal(err)
	}
	poll := func() {
		for more := true; more; {
			_, more = n.Poll(0)
		}
	}
	poll()
	const runs = 100
	var w stopwatch
	b.ReportAllocs()
	for b.Loop() {
		w.measure(runs*chainBlocks, func() {
			for range runs {
				if _, err := n.Invoke(0, "chain"); err != nil {
					b.Fatal(err)
				}
				poll()
			}
		})
	}
	w.report(b, "block")
}
