package mem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// playing returns a network on which two durable peers play ping pong for many rounds, with what they have reported.
func playing(t *testing.T, c Config) (*Network, map[runtime.EventKind]int) {
	t.Helper()
	const rounds = 100
	c.Delay, c.Persist = 1e6, 1e6
	w, events := New(c), map[runtime.EventKind]int{}
	w.Told = func(_ int, e runtime.Event) { events[e.Kind]++ }
	w.Started = func(i int, n *runtime.Node) {
		if i > 0 {
			return
		}
		if _, err := n.Invoke(n.Now(), "ping", tensor.Of([]float64{1, 2}, 2)); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []func() *runtime.Partition{func() *runtime.Partition { return handmade.Ping(rounds) }, handmade.Pong} {
		w.Add(runtime.Config{Durable: true}, p)
	}
	return w, events
}

// TestFullDisk: a peer whose disk is full tells nobody that it has seen a message, so that the others wait. When there is
// room again, they go on.
func TestFullDisk(t *testing.T) {
	w, events := playing(t, Config{Seed: 1, Faults: []Fault{{Kind: DiskFull, At: 5e6, For: 3e9, Node: 1}}})
	saved, struck := 0, 0
	w.Saved = func(i int) {
		if saved++; i == 1 && w.Now() > 5e6 && w.Now() < 3e9 {
			t.Errorf("at %d ns a full disk has room", w.Now())
		}
	}
	w.Struck = func(k FaultKind) {
		if k == DiskFull {
			struck++
		}
	}
	until(t, w, 2e9)
	before := events[runtime.Emitted]
	until(t, w, 3e9)
	if events[runtime.Emitted] != before || struck == 0 {
		t.Errorf("%d values come while the disk is full, which is noticed %d times", events[runtime.Emitted]-before, struck)
	}
	until(t, w, 20e9)
	if events[runtime.Emitted] <= before || saved == 0 {
		t.Errorf("when there is room again %d values come", events[runtime.Emitted]-before)
	}
}

// TestFailedSync: a peer whose writes may be lost tries again, and reports nothing as durable meanwhile. A crash at that time
// costs nothing that was reported.
func TestFailedSync(t *testing.T) {
	for seed := range uint64(20) {
		w, events := playing(t, Config{Seed: seed, Faults: []Fault{{Kind: SyncFails, At: 5e6, For: 1e9, Node: 1}, {Kind: Crash, At: 5e8, For: 1e8, Node: 1}}})
		w.Saved = func(i int) {
			if i == 1 && w.Now() > 5e6 && w.Now() < 1e9 {
				t.Errorf("seed %d: at %d ns a write that has failed is durable", seed, w.Now())
			}
		}
		w.Torn = func(int) { t.Errorf("seed %d: a peer starts from an older state than was reported", seed) }
		until(t, w, 20e9)
		if events[runtime.Emitted] < 100 || events[runtime.Failed] > 0 {
			t.Errorf("seed %d: it ends with %v, want a value for each of 100 rounds", seed, events)
		}
	}
}

// TestLyingDisk: after a crash, a peer whose disk has lied finds a damaged snapshot. It refuses that, and starts from the one
// before; the network says so.
func TestLyingDisk(t *testing.T) {
	torn := 0
	for seed := range uint64(20) {
		w, _ := playing(t, Config{Seed: seed, Faults: []Fault{{Kind: DiskLies, At: 5e6, For: 1e9, Node: 1}, {Kind: Crash, At: 2e7, For: 1e8, Node: 1}}})
		struck := 0
		w.Struck = func(k FaultKind) {
			if k == DiskLies {
				struck++
			}
		}
		was := torn
		w.Torn = func(i int) {
			if torn++; i != 1 {
				t.Errorf("seed %d: node %d has an honest disk", seed, i)
			}
		}
		if _, err := w.Run(5e8, func() bool { return w.now >= 5e8 }); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if w.Node(1) == nil || torn-was != struck {
			t.Errorf("seed %d: the peer is %v after %d lies, of which %d are told", seed, w.Node(1), struck, torn-was)
		}
	}
	if torn < 10 {
		t.Errorf("in 20 runs %d peers have lost a snapshot", torn)
	}
}

// TestTorn: what a crash leaves of a write is never the snapshot, and the one before is what a peer starts from.
func TestTorn(t *testing.T) {
	w := New(Config{Seed: 7})
	cut, flipped := 0, 0
	for range 200 {
		var d disk
		d.crash(w)
		if d.torn != nil {
			t.Fatal("an empty disk loses something")
		}
		first, second := bytes.Repeat([]byte("first"), 9), bytes.Repeat([]byte("second"), 9)
		d.write(first, nil, 0)
		d.liesTil = 10
		d.write([]byte("lost, and overwritten"), nil, 5)
		d.write(second, nil, 6)
		d.crash(w)
		if !bytes.Equal(d.last.snapshot, first) || d.before.snapshot != nil {
			t.Fatalf("it starts from %q", d.last.snapshot)
		}
		switch {
		case len(d.torn) < len(second) && bytes.HasPrefix(second, d.torn):
			cut++
		case len(d.torn) == len(second) && !bytes.Equal(d.torn, second):
			flipped++
		default:
			t.Fatalf("%q is left of a write of %q", d.torn, second)
		}
		d.write(second, nil, 11)
		d.crash(w)
		if !bytes.Equal(d.last.snapshot, second) {
			t.Fatal("a write after the lies is lost")
		}
	}
	if cut == 0 || flipped == 0 {
		t.Errorf("%d writes are cut off, and %d have a flipped bit", cut, flipped)
	}
}

// TestInject: bytes that a peer receives as if another had sent them are refused if they are no envelope, and change nothing.
func TestInject(t *testing.T) {
	w, events := playing(t, Config{Seed: 1})
	until(t, w, 2e7)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 50 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		w.Inject(0, 1, b)
	}
	until(t, w, 20e9)
	if events[runtime.Emitted] < 100 || events[runtime.Failed] > 0 {
		t.Errorf("it ends with %v, want a value for each of 100 rounds", events)
	}
}

// TestDelivered: the network tells of each envelope that a peer has accepted, in the order of its channel.
func TestDelivered(t *testing.T) {
	w, _ := playing(t, Config{Seed: 1})
	n := 0
	w.Delivered = func(from, to int, channel uint64, e *wire.Envelope) {
		if n++; from == to || channel == 0 || e == nil {
			t.Errorf("an envelope of channel %d goes from %d to %d", channel, from, to)
		}
	}
	until(t, w, 1e9)
	if n < 100 {
		t.Errorf("%d envelopes are told of", n)
	}
}
