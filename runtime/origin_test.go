package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/begun"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// as delivers an envelope of a peer in an execution of another origin.
func (r *rig) as(from, origin byte, number uint64, payload byte, edges ...wire.EdgeID) {
	r.t.Helper()
	r.seq[from]++
	e := wire.Envelope{Seq: r.seq[from], Exec: wire.ExecID{Origin: testPeer(origin), Incarnation: 1, Number: number}}
	for _, id := range edges {
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, id), Type: 1, Payload: []byte{payload}})
	}
	if err := r.n.Deliver(r.n.Now(), testPeer(from), wire.AppendEnvelope(nil, &e)); err != nil {
		r.t.Fatal(err)
	}
	r.poll()
}

// A peer may continue executions of others only where the program makes it take part in them.
func TestOrigin(t *testing.T) {
	for _, c := range []struct {
		origins []string
		origin  byte
		refused bool
	}{
		{nil, 2, false},            // its own
		{nil, 3, true},             // of another peer
		{nil, 9, true},             // of an unknown peer
		{[]string{"b"}, 3, false},  // allowed by the program
		{[]string{"b"}, 9, false},  // of an unknown peer, possibly of class b
		{[]string{"c"}, 3, true},   // of a peer that is not of that class
		{[]string{"b"}, 1, true},   // of this node, which has not begun it
		{[]string{"c"}, 2, false},  // its own
		{[]string{"b c"}, 3, true}, // no class of that name
	} {
		r := newRig(t, func(*limits.Limits) {})
		for i := range r.n.partition.Edges {
			r.n.partition.Edges[i].Origins = c.origins
		}
		r.as(2, c.origin, 5, 7, 1, 2)
		want := error(nil)
		if c.refused {
			if want = ErrOrigin; c.origin == 1 {
				want = ErrNotBegun
			}
			r.told(Refused, "", want, r.n.stats.Refused)
		}
		if ran := slices.Contains(r.got, 7); ran == c.refused {
			t.Errorf("edges of %v: an execution of peer %d has run: %v", c.origins, c.origin, ran)
		}
		r.goesOn()
	}
}

// Statements of a peer about the numbers of another one do not make the other's executions old, whether the
// other's fills come directly or through other peers. An execution that has run does not run again, whichever
// peer sends its fills.
func TestPoisonedNumbers(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	r.as(2, 3, 1<<60, 1, 1, 2)
	r.as(2, 9, 1<<60, 2, 1, 2)
	steps := func() {
		r.t.Helper()
		r.as(3, 3, 1, 3, 1, 2) // from the origin
		r.as(2, 3, 1, 4, 1, 2) // from the peer whose statement counts for itself
		r.as(3, 9, 1, 5, 1, 2) // from another peer that continues the same execution
		r.as(2, 9, 1, 6, 1, 2)
		r.as(2, 3, 1<<60, 7, 1, 2)
		r.as(3, 3, 1<<60, 8, 1, 2)
	}
	steps()
	if want := []byte{1, 2, 3, 5}; !slices.Equal(r.got, want) {
		t.Errorf("%v ran, want %v", r.got, want)
	}
	b, err := r.n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := r.n.config
	c.Incarnation++
	if r.n, err = Restore(c, r.n.partition, b); err != nil {
		t.Fatal(err)
	}
	r.connect(2)
	r.connect(3)
	steps()
	r.as(3, 3, 2, 9, 1, 2)
	if want := []byte{1, 2, 3, 5, 9}; !slices.Equal(r.got, want) {
		t.Errorf("%v ran, want %v", r.got, want)
	}
}

// TestMayOpen: a peer cannot open executions that their origin cannot have begun.
func TestMayOpen(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	n := r.n
	n.begun = begun.Restored(n.self.id, 4, []begun.Past{{Incarnation: 2, Number: 5}})
	for range 4 {
		n.engine().NewExecution()
	}
	own, b := n.self.id, n.peer(testPeer(2))
	for _, c := range []struct {
		about string
		x     wire.ExecID
		want  error
	}{
		{"its own", wire.ExecID{Origin: b.id, Incarnation: 1, Number: 1 << 40}, nil},
		{"its own, of an incarnation that has not come", wire.ExecID{Origin: b.id, Incarnation: 2, Number: 1}, ErrNotBegun},
		{"the node's next one", wire.ExecID{Origin: own, Incarnation: 4, Number: 10}, ErrNotBegun},
		{"one of the node's future", wire.ExecID{Origin: own, Incarnation: 5, Number: 1}, ErrNotBegun},
		{"one that the node has forgotten", wire.ExecID{Origin: own, Incarnation: 3, Number: 6}, ErrLate},
		{"one after the node's last snapshot", wire.ExecID{Origin: own, Incarnation: 2, Number: 6}, ErrLate},
	} {
		if err := n.mayOpen(&n.modules[0], &c.x, b); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.about, err, c.want)
		}
	}
	n.phase = phaseStopping
	if err := n.mayOpen(&n.modules[0], &wire.ExecID{Origin: b.id, Incarnation: 1, Number: 1}, b); !errors.Is(err, errNotRunning) {
		t.Errorf("a node that stops: %v", err)
	}
}
