package runtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/quorum"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A loop continues after a round without a quorum, but not after another failure.
func TestShortIsAboutQuorums(t *testing.T) {
	for why, goesOn := range map[error]bool{fmt.Errorf("2 of 3: %w", ErrQuorum): true, errors.New("a kernel failed"): false} {
		again := false
		m := testModule("m", []Cut{{Kind: InputCut}, {Kind: TimerCut}}, []Block{{Wait: 1, Starts: 2}, {Wait: 2}},
			func(*testBody, *Engine) error { return why },
			func(*testBody, *Engine) error { again = true; return nil })
		m.Inputs, m.Short, m.Again = []int{0}, ShortRepeats, 1
		n := testNode(t, Config{}, &Partition{Modules: []Module{m}})
		pollAll(n, 0)
		if _, err := n.Invoke(0, "m", nil); err != nil {
			t.Fatal(err)
		}
		pollAll(n, 0)
		pollAll(n, quorum.LongestWait)
		if again != goesOn || n.Stats().Live != 0 {
			t.Errorf("%v: the loop goes on: %v, want %v; %d executions are left", why, again, goesOn, n.Stats().Live)
		}
	}
}

// A round that waits for its quorum fails after its maximum time, and the loop ends with an error that names
// the missing peers. Before that, it has waited longer than the time for other peers.
func TestPatience(t *testing.T) {
	const patience = 7200e9
	for _, within := range []int64{0, 10e9} {
		again := 0
		m := testModule("round", []Cut{{Kind: GatherCut, Name: "update"}, {Kind: TimerCut}}, []Block{{Starts: 1}, {Wait: 1, Starts: 2}, {Wait: 2}},
			func(f *testBody, e *Engine) error { e.Expect(&f.Frame, 0, e.Peers(nil, "b"), 2, 0, within); return nil },
			nothing, func(*testBody, *Engine) error { again++; return nil })
		m.Short, m.Again, m.Patience = ShortWaits, 1, patience
		each := Module{Name: "round.update", Child: true, Cuts: []Cut{{Kind: FillCut}}, Blocks: []Block{{Wait: 1}}, New: func() Body { return &contribution{} }}
		n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}, {ID: testPeer(3), Class: "b", Rank: 1}}},
			&Partition{Fingerprint: []byte{1}, Modules: []Module{m, each}, Edges: []Edge{{ID: 1, Type: 1, Name: "b.update", From: "b", Receives: true, Module: 1}}})
		pollAll(n, 0)
		x, err := n.Invoke(0, "round")
		if err != nil {
			t.Fatal(err)
		}
		pollAll(n, 0)
		e := wire.Envelope{Seq: 1, Exec: x, Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, 1), Type: 1, Payload: []byte{2}}}}
		if err := n.Deliver(0, testPeer(2), wire.AppendEnvelope(nil, &e)); err != nil {
			t.Fatal(err)
		}
		var failed error
		for now := int64(0); now < patience; now += 60e9 {
			for _, e := range pollEvents(n, now) {
				if e.Kind == Failed {
					t.Fatalf("within %d: after %d s: %v", within, now/1e9, e.Err)
				}
			}
		}
		for _, e := range pollEvents(n, patience) {
			if e.Kind == Failed {
				failed = e.Err
			}
		}
		if !errors.Is(failed, ErrDeadline) || errors.Is(failed, ErrQuorum) || !strings.Contains(failed.Error(), testPeer(3).String()) {
			t.Errorf("within %d: it ends with %v, want who is missing", within, failed)
		}
		if pollAll(n, 2*patience); again > 0 || n.Stats().Live > 0 {
			t.Errorf("within %d: the loop goes on", within)
		}
	}
}

// pollEvents polls, and returns the events.
func pollEvents(n *Node, now int64) (list []Event) {
	for {
		o, ok := n.Poll(now)
		if !ok {
			return list
		}
		if o.Kind == Tell {
			list = append(list, *o.Event)
		}
	}
}
