package runtime

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Each limit of a store: a number that fits, one more, and the error.

// TestHold checks that a Hold returns its latest value, also after a restore.
func TestHold(t *testing.T) {
	n := testNode(t, Config{}, &Partition{})
	h := &Hold{Name: "best"}
	if _, err := h.Flush(n.engine()); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty hold: got %v, want ErrEmpty", err)
	}
	h.Stash(n.engine(), values.AppendScalar(h.Buffer(), float32(1)))
	h.Stash(n.engine(), values.AppendScalar(h.Buffer(), float32(2))) // in the place of the first
	h = reopened(t, h, &Hold{Name: "best"})
	r, err := h.Flush(n.engine())
	if err != nil {
		t.Fatal(err)
	}
	var x float32
	if values.ReadScalar(r, &x); x != 2 || r.End() != nil {
		t.Errorf("got %v (%v), want 2", x, r.End())
	}
	if _, err := h.Flush(n.engine()); !errors.Is(err, ErrEmpty) {
		t.Errorf("a hold that was flushed: got %v, want ErrEmpty", err)
	}
}

// TestLimit checks that a Limit counts its permits, also after a restore.
func TestLimit(t *testing.T) {
	n := testNode(t, Config{}, &Partition{})
	l := &Limit{Name: "uploads"}
	for range 3 {
		if err := l.Acquire(n.engine(), 3); err != nil {
			t.Fatal(err)
		}
	}
	l = reopened(t, l, &Limit{Name: "uploads"})
	if err := l.Acquire(n.engine(), 3); !errors.Is(err, ErrCooldown) {
		t.Errorf("the fourth of three: got %v, want ErrCooldown", err)
	}
	for range 3 {
		if err := l.Release(n.engine()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Release(n.engine()); err == nil {
		t.Error("a permit was given back that nobody took")
	}
}

// TestCounterAndRing checks the saturation of counters, the length of rings, and that both are restored.
func TestCounterAndRing(t *testing.T) {
	c, r := &Counter{Name: "jobs"}, &Ring{Name: "loss"}
	limits := limits.Default()
	limits.Ring = 3
	n := testNode(t, Config{Limits: limits}, &Partition{Stores: []Store{c, r}})
	c.Add(n.engine(), math.MaxInt64-1)
	c.Add(n.engine(), 5)
	for i := range 5 {
		r.Record(n.engine(), float64(i))
	}
	*c, *r = *reopened(t, c, &Counter{Name: "jobs"}), *reopened(t, r, &Ring{Name: "loss"})
	n.Counters(func(c *Counter) {
		if c.Name != "jobs" || c.Value() != math.MaxInt64 {
			t.Errorf("counter %s is %d, want the largest number", c.Name, c.Value())
		}
	})
	if got := r.Values(nil); !slices.Equal(got, []float64{2, 3, 4}) || r.Total() != 5 {
		t.Errorf("ring: %v of %d, want the last three of 5", got, r.Total())
	}
}

// TestDedupWindow checks which tags of a sender are remembered.
func TestDedupWindow(t *testing.T) {
	limits := limits.Default()
	limits.Window = 2
	n := testNode(t, Config{Limits: limits}, &Partition{})
	w := &Window{Name: "dedup"}
	admit := func(peer byte, tag uint64, want error) {
		t.Helper()
		if err := w.Admit(n.engine(), testPeer(peer), tag); !errors.Is(err, want) {
			t.Errorf("tag %d of peer %d: got %v, want %v", tag, peer, err, want)
		}
	}
	admit(1, 7, nil)
	admit(2, 7, nil) // another peer's value with that tag is a different value
	admit(1, 7, ErrSeen)
	w = reopened(t, w, &Window{Name: "dedup"})
	admit(2, 7, ErrSeen)
	admit(1, 8, nil) // and the oldest is forgotten
	admit(1, 7, nil)
}

// TestSmallerLimits: a ring and a window that are restored with a smaller limit keep the latest, and no more.
func TestSmallerLimits(t *testing.T) {
	large, small := limits.Default(), limits.Default()
	large.Ring, large.Window, small.Ring, small.Window = 5, 5, 2, 2
	n := testNode(t, Config{Limits: large}, &Partition{})
	r, w := &Ring{Name: "loss"}, &Window{Name: "dedup"}
	for i := range 7 {
		r.Record(n.engine(), float64(i))
		if err := w.Admit(n.engine(), testPeer(1), uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	n = testNode(t, Config{Limits: small}, &Partition{})
	r, w = reopened(t, r, &Ring{Name: "loss"}), reopened(t, w, &Window{Name: "dedup"})
	for i := 7; i < 10; i++ {
		r.Record(n.engine(), float64(i))
		if got := r.Values(nil); !slices.Equal(got, []float64{float64(i - 1), float64(i)}) || r.Total() != uint64(i+1) {
			t.Errorf("the ring has %v of %d, want the last two of %d", got, r.Total(), i+1)
		}
		if err := w.Admit(n.engine(), testPeer(1), uint64(i)); err != nil || w.fifo.Len() != 2 || w.seen.Len() != 2 {
			t.Errorf("the window has %d and %d values, %v, want 2", w.fifo.Len(), w.seen.Len(), err)
		}
		if err := w.Admit(n.engine(), testPeer(1), uint64(i-1)); !errors.Is(err, ErrSeen) {
			t.Errorf("the value before the last: %v, want %v", err, ErrSeen)
		}
	}
}

// TestStoresModel compares a queue, a ring, a window, a hold, a counter and a number of permits with lists, under random
// operations and restarts.
func TestStoresModel(t *testing.T) {
	l := limits.Default()
	l.Queue, l.Ring, l.Window = 5, 4, 6
	n := testNode(t, Config{Limits: l}, &Partition{})
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		q, r, w, h, c, p := &Queue{Name: "q"}, &Ring{Name: "r"}, &Window{Name: "w"}, &Hold{Name: "h"}, &Counter{Name: "c"}, &Limit{Name: "l"}
		var queue []string
		var ring []float64
		var window []tagged
		var held string
		var full bool
		count, total, used := new(big.Int), uint64(0), 0
		for step := range 150 {
			switch random.IntN(10) {
			case 0: // a restart
				q, r, w = reopened(t, q, &Queue{Name: "q"}), reopened(t, r, &Ring{Name: "r"}), reopened(t, w, &Window{Name: "w"})
				h, c, p = reopened(t, h, &Hold{Name: "h"}), reopened(t, c, &Counter{Name: "c"}), reopened(t, p, &Limit{Name: "l"})
			case 1, 2:
				value := strings.Repeat("x", random.IntN(4)) + fmt.Sprint(step)
				if q.Enqueue(n.engine(), append(q.Buffer(), value...)); len(queue) < l.Queue {
					queue = append(queue, value)
				}
			case 3:
				if len(queue) > 0 {
					if got := string(q.items.Pop()); got != queue[0] {
						t.Fatalf("seed %d: the queue gives %q, want %q", seed, got, queue[0])
					}
					queue = queue[1:]
				}
			case 4:
				x := []float64{float64(step), math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64}[random.IntN(4)]
				r.Record(n.engine(), x)
				ring, total = append(ring, x), total+1
				ring = ring[max(len(ring)-l.Ring, 0):]
			case 5, 6:
				k := tagged{testPeer(byte(1 + random.IntN(3))), random.Uint64N(5)}
				err := w.Admit(n.engine(), k.sender, k.tag)
				if seen := slices.Contains(window, k); seen != errors.Is(err, ErrSeen) {
					t.Fatalf("seed %d: tag %d was seen: %v, got %v", seed, k.tag, seen, err)
				} else if !seen {
					window = append(window, k)
					window = window[max(len(window)-l.Window, 0):]
				}
			case 7:
				if random.IntN(2) == 0 {
					held, full = fmt.Sprint("held ", step), true
					h.Stash(n.engine(), append(h.Buffer(), held...))
					break
				}
				f, err := h.Flush(n.engine())
				if full != (err == nil) || full && string(f.Rest()) != held {
					t.Fatalf("seed %d: the hold gives %v, want %q", seed, err, held)
				}
				full = false
			case 8:
				delta := []int64{1, -1, math.MaxInt64, math.MinInt64, random.Int64() - random.Int64()}[random.IntN(5)]
				c.Add(n.engine(), delta)
				count.Add(count, big.NewInt(delta))
				for _, end := range []int64{math.MinInt64, math.MaxInt64} {
					if e := big.NewInt(end); !count.IsInt64() && count.Sign() == e.Sign() {
						count.Set(e)
					}
				}
			default:
				most := random.IntN(4)
				if random.IntN(2) == 0 {
					if err := p.Acquire(n.engine(), most); (err == nil) != (used < most) {
						t.Fatalf("seed %d: %d of %d permits are taken, and one more: %v", seed, used, most, err)
					} else if err == nil {
						used++
					}
				} else if err := p.Release(n.engine()); (err == nil) != (used > 0) {
					t.Fatalf("seed %d: %d permits are taken, and one is given back: %v", seed, used, err)
				} else if err == nil {
					used--
				}
			}
			if q.Len() != len(queue) || w.fifo.Len() != len(window) || w.seen.Len() != len(window) || c.Value() != count.Int64() || p.used != used {
				t.Fatalf("seed %d: %d, %d, %d, %d, %d, want %d, %d, %v, %d", seed, q.Len(), w.fifo.Len(), w.seen.Len(), c.Value(), p.used, len(queue), len(window), count, used)
			}
			if got := r.Values(nil); !slices.Equal(got, ring) || r.Total() != total {
				t.Fatalf("seed %d: the ring has %v of %d, want %v of %d", seed, got, r.Total(), ring, total)
			}
		}
		wantNoPrefix(t, q, &Queue{}, r, &Ring{}, w, &Window{}, c, &Counter{}, p, &Limit{})
	}
}

// wantNoPrefix checks of pairs of stores that the second one reads no prefix of the state of the first.
func wantNoPrefix(t *testing.T, pairs ...Store) {
	t.Helper()
	for ; len(pairs) > 0; pairs = pairs[2:] {
		b, err := pairs[0].AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			if err := pairs[1].UnmarshalBinary(b[:i:i]); err == nil {
				t.Errorf("%T reads %d of %d bytes", pairs[1], i, len(b))
			}
		}
	}
}

// reopened returns a store after a restart.
func reopened[S Store](t *testing.T, old, fresh S) S {
	t.Helper()
	b, err := old.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if old.name() != fresh.name() {
		t.Errorf("it is called %q, was %q", fresh.name(), old.name())
	}
	return fresh
}

// FuzzStores checks that arbitrary bytes in a snapshot make no store panic or allocate too much.
func FuzzStores(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range []Store{&Hold{}, &Queue{}, &Limit{}, &Window{}, &Ring{}, &Counter{}} {
			if s.UnmarshalBinary(b) == nil {
				if _, err := s.AppendBinary(nil); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// eventBody is a frame that waits for an event and records its value.
type eventBody struct {
	Frame
	wait func(e *Engine, f *Frame)
	got  *[]string
	x    float32
	list []wire.PeerID
}

func (f *eventBody) Run(e *Engine, block int) error {
	if block == 0 {
		f.wait(e, &f.Frame)
		return nil
	}
	*f.got = append(*f.got, fmt.Sprint(f.x, " ", len(f.list)))
	return nil
}

func (f *eventBody) Event(cut int, r *values.Fields) error {
	if cut == 1 {
		r.Peers(&f.list)
	} else {
		values.ReadScalar(r, &f.x)
	}
	return r.End()
}

// eventModule returns a module whose executions wait for an event.
func eventModule(got *[]string, cut int, wait func(e *Engine, f *Frame)) Module {
	return Module{Name: "wait", New: func() Body { return &eventBody{got: got, wait: wait} },
		Cuts:   []Cut{{Kind: EventCut, Name: "x"}, {Kind: EventCut, Name: "peers"}},
		Blocks: []Block{{Name: "wait", Starts: 1 << cut}, {Name: "got", Wait: 1 << cut}}}
}

// TestQueue checks the order, the limit and the restore of a Queue.
func TestQueue(t *testing.T) {
	q := &Queue{Name: "jobs"}
	limits := limits.Default()
	limits.Queue = 2
	var got []string
	p := &Partition{Stores: []Store{q}, Modules: []Module{eventModule(&got, 0, func(e *Engine, f *Frame) { q.Dequeue(e, f, 0) })}}
	n := testNode(t, Config{Limits: limits}, p)
	pollAll(n, 0)
	put := func(x float32) { q.Enqueue(n.engine(), values.AppendScalar(q.Buffer(), x)) }
	begin := func() {
		t.Helper()
		if _, err := n.Invoke(1, "wait"); err != nil {
			t.Fatal(err)
		}
	}
	put(1)
	put(2)
	put(3)
	if events := pollAll(n, 1); !slices.Contains(events, "overflow queue jobs") {
		t.Errorf("three values in a queue of two: got %q", events)
	}
	for range 4 {
		begin()
	}
	pollAll(n, 2)
	if !slices.Equal(got, []string{"1 0", "2 0"}) {
		t.Fatalf("four executions, two values: got %q", got)
	}

	// The other two wait, also beyond a restart, in their order.
	n = restarted(t, n, p)
	put(4)
	put(5)
	pollAll(n, 3)
	if !slices.Equal(got, []string{"1 0", "2 0", "4 0", "5 0"}) {
		t.Errorf("got %q", got)
	}
}

// restarted returns a node restored from a snapshot of n.
func restarted(t *testing.T, n *Node, p *Partition) *Node {
	t.Helper()
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := n.config
	c.Incarnation++
	again, err := Restore(c, p, b)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestAwaitPeers checks that an execution waits until enough peers are connected.
func TestAwaitPeers(t *testing.T) {
	var got []string
	p := &Partition{Modules: []Module{eventModule(&got, 1, func(e *Engine, f *Frame) { e.AwaitPeers(f, 1, "client", 2) })}}
	peers := []PeerConfig{{ID: testPeer(2), Class: "client"}, {ID: testPeer(3), Class: "client", Rank: 1}, {ID: testPeer(4), Class: "client", Rank: 2}}
	n := testNode(t, Config{Peers: peers}, p)
	pollAll(n, 0)
	if _, err := n.Invoke(1, "wait"); err != nil {
		t.Fatal(err)
	}
	if got := dials(n, 1); got != 3 {
		t.Errorf("%d of three peers are dialed that are waited for", got)
	}
	hello := func(n *Node, id byte) {
		t.Helper()
		h := wire.Hello{Protocol: wire.Protocol, Classes: []string{"client"}, Incarnation: 1}
		if err := n.Connected(2, testPeer(id), &h); err != nil {
			t.Fatal(err)
		}
		pollAll(n, 2)
	}
	hello(n, 2)
	if len(got) > 0 {
		t.Errorf("one of two peers is connected: got %q", got)
	}
	n = restarted(t, n, p)
	if got := dials(n, 2); got != 3 {
		t.Errorf("%d of three peers are dialed after a restart", got)
	}
	hello(n, 3) // no peer is connected after a restart
	if len(got) > 0 {
		t.Errorf("one of two peers is connected again: got %q", got)
	}
	hello(n, 2)
	if !slices.Equal(got, []string{"0 3"}) {
		t.Errorf("two are connected: got %q, want all three admitted ones", got)
	}
}

// dials returns the number of channels that the node asks for.
func dials(n *Node, now int64) int {
	count := 0
	for {
		o, ok := n.Poll(now)
		if !ok {
			return count
		}
		if o.Kind == Dial {
			count++
		}
	}
}

// TestDeadlines checks an execution against its deadline.
func TestDeadlines(t *testing.T) {
	var checks []error
	ask := func(f *testBody, e *Engine) error {
		checks = append(checks, e.DeadlineCheck(&f.Frame, 100))
		return nil
	}
	m := testModule("m", []Cut{{Kind: TimerCut, Name: "t"}}, []Block{{Starts: 1}, {Wait: 1}},
		func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 150); return ask(f, e) }, ask)
	n := testNode(t, Config{}, &Partition{Modules: []Module{m}})
	pollAll(n, 0)
	if _, err := n.Invoke(10, "m"); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 10)
	pollAll(n, 160)
	if len(checks) != 2 || checks[0] != nil || !errors.Is(checks[1], ErrDeadline) {
		t.Errorf("at 0 and at 150 ns of 100: got %v", checks)
	}
}

// The deadline that an edge sets is sent with its fills, and the executions that these cause have the remaining
// time.
func TestDeadlineTravels(t *testing.T) {
	edges := []Edge{{ID: 1, From: "self", Trigger: true, Within: 1000, Receives: true, Module: 0}}
	f := &Frame{execution: execution{exec: wire.ExecID{Origin: testPeer(1), Incarnation: 1, Number: 1}, until: 700}}
	n := testNode(t, Config{}, &Partition{Edges: edges, Modules: []Module{testModule("m", []Cut{{Kind: FillCut}}, []Block{{Wait: 1}}, nothing)}})
	n.now = 100
	e := n.openTo(n.self, f, nil)
	e.Add(0, nil, nil)
	n.fillEnvelope(n.self, e)
	if n.sent.Within != 600 {
		t.Errorf("600 ns are left of 700: the envelope says %d", n.sent.Within)
	}
	e.Until = 0
	n.fillEnvelope(n.self, e)
	if n.sent.Within != 1000 {
		t.Errorf("the edge allows 1000 ns: the envelope says %d", n.sent.Within)
	}
	n.envelope.Within = 50
	g, err := n.frameOf(n.histories.of(&f.exec, 0), &n.modules[0], &f.exec, n.self)
	if err != nil || g.until != 150 {
		t.Errorf("a frame that an envelope of 50 ns opens at 100: until %d (%v), want 150", g.until, err)
	}
}

// TestServices checks random numbers, tags, health and backoff as blocks get them.
func TestServices(t *testing.T) {
	n := testNode(t, Config{Seed: 7, Peers: []PeerConfig{{ID: testPeer(2), Class: "c"}, {ID: testPeer(3), Class: "c", Rank: 1}}}, &Partition{})
	tags := map[uint64]bool{}
	for range 1000 {
		tags[n.engine().CorrelateTag()] = true
	}
	if len(tags) != 1000 {
		t.Errorf("1000 tags, %d of them different", len(tags))
	}

	if a, b := n.engine().RngU64(), n.engine().RngU64(); a == b {
		t.Error("two random numbers are equal")
	}

	peers := []wire.PeerID{testPeer(2), testPeer(3), testPeer(9)}
	n.Block(testPeer(2))
	n.peer(testPeer(3)).ignoredUntil = 10
	for i, want := range []error{ErrBlocked, nil, ErrUnknownPeer} {
		if err := n.engine().CheckHealth(peers[i]); !errors.Is(err, want) {
			t.Errorf("health of peer %d: got %v, want %v", i, err, want)
		}
	}
	if got := n.Healthy(nil, peers); !slices.Equal(got, peers[1:2]) {
		t.Errorf("healthy: got %v", got)
	}
	if err := n.engine().CheckBackoff(testPeer(3)); !errors.Is(err, ErrIgnored) {
		t.Errorf("a peer that is not heard: got %v", err)
	}
	if got := n.engine().Willing(nil, peers); len(got) != 0 {
		t.Errorf("willing: got %v", got)
	}
	n.Tick(10)
	if got := n.engine().Willing(nil, peers); !slices.Equal(got, peers[1:2]) {
		t.Errorf("willing, when the time is over: got %v", got)
	}
}

// TestAddressBook checks which addresses a node accepts and returns.
func TestAddressBook(t *testing.T) {
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "c"}}}, &Partition{})
	if _, err := n.engine().LookupAddress(testPeer(2)); err == nil {
		t.Error("an address that nobody has noted")
	}
	if err := n.InsertAddress(testPeer(9), "/ip4/1.2.3.4/tcp/1"); !errors.Is(err, ErrUnknownPeer) {
		t.Errorf("an address of a stranger: got %v", err)
	}
	if err := n.InsertAddress(testPeer(2), "no address"); err == nil {
		t.Error("an address without parts")
	}
	for i := range 20 {
		if err := n.InsertAddress(testPeer(2), fmt.Sprintf("/ip4/1.2.3.4/tcp/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := n.engine().LookupAddress(testPeer(2))
	if err != nil || !strings.HasSuffix(got, "/19") || len(n.Address(testPeer(2))) != wire.Default().Addresses {
		t.Errorf("got %s (%v) of %d, want the last one of 8", got, err, len(n.Address(testPeer(2))))
	}
}

// A module that begins with one phase of the node's life does not begin with other phases.
func TestEventsByName(t *testing.T) {
	var runs []string
	m := testModule("m", nil, []Block{{}}, func(f *testBody, e *Engine) error {
		runs = append(runs, f.Cause().Name)
		return nil
	})
	m.On, m.Named = []EventKind{Phase}, "stopping"
	n := testNode(t, Config{}, &Partition{Modules: []Module{m}})
	pollAll(n, 0)
	n.Stop(1)
	pollAll(n, 1)
	if !slices.Equal(runs, []string{"stopping"}) {
		t.Errorf("got %q, want only the phase that it is for", runs)
	}
}
