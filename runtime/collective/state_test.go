package collective

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestOneWritesState: when ranks join, only the rank that gives its state writes it.
func TestOneWritesState(t *testing.T) {
	x := newTraining(t, 1, 5, 6)
	x.play(func() bool { return x.ranks[4].step() == 2 })
	x.kill(4)
	x.tellDown(4)
	x.play(func() bool { return x.ranks[0].step() == 3 })
	x.beginAgain(4)
	x.play(x.over)
	if x.joined != 1 || x.wrote != 1 {
		t.Errorf("%d ranks have joined, and %d states were written, want 1", x.joined, x.wrote)
	}
}

// play lets all live ranks go on until something holds.
func (x *training) play(until func() bool) {
	for turn := 0; !until(); turn++ {
		if turn > 100000 {
			x.t.Fatalf("it does not end: %s", x.text())
		}
		if rank := x.r.IntN(len(x.ranks)); !x.dead[rank] {
			x.advance(rank)
		}
		x.step()
	}
}

// TestStateFails: if the rank that gives its state cannot write it, the call fails on all, with its name and the reason.
func TestStateFails(t *testing.T) {
	n := newNetwork(t, 1, Config{Ranks: 4, IfLost: Repeat, Life: 1, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}}})
	for _, g := range n.groups {
		if err := g.Begin(0, Value{}); err != nil {
			t.Fatal(err)
		}
	}
	n.run()
	n.kill(3)
	n.tellDown(3)
	n.run()
	n.joinAgain(3)
	for rank, g := range n.groups[:3] {
		err := g.Begin(0, Value{State: func() ([]byte, error) {
			if rank > 0 {
				t.Errorf("rank %d writes its state", rank)
			}
			return nil, errors.New("no memory")
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	n.run()
	for rank := range n.groups {
		list := n.results[rank]
		if len(list) == 0 {
			t.Fatalf("rank %d has no result", rank)
		}
		var by *RankError
		if err := list[len(list)-1].Err; !errors.As(err, &by) || by.Rank != 0 || rank == 0 && !strings.Contains(err.Error(), "no memory") {
			t.Errorf("rank %d: %v, want an error of rank 0", rank, err)
		}
	}
}

// joinAgain restarts a dead rank without its state, which then asks to be admitted.
func (n *network) joinAgain(rank int) {
	c := n.groups[rank].config
	c.Life++
	g, err := New(c)
	if err == nil {
		err = g.Begin(0, Value{})
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.flying = nil
	for r, other := range n.groups {
		if r != rank {
			other.Restarted(rank)
		}
	}
	n.collect()
	n.groups[rank], n.dead[rank], n.results[rank] = g, false, nil
	n.settle()
}

// settle delivers all messages, while nothing is measured.
func (n *network) settle() {
	for n.pull() || n.deliver() {
	}
	n.collect()
}

// TestReportedLinks: when a rank is lost or joins, the first calls are planned by the links that the ranks have reported.
func TestReportedLinks(t *testing.T) {
	const ranks = 8
	n := newNetwork(t, 1, Config{Ranks: ranks, IfLost: Repeat, Life: 1, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}, {Elem: tensor.Float32}}})
	measured := Links{Latency: 10 * time.Microsecond, Sharing: 16}
	enter := func() {
		for _, g := range n.groups {
			if n.dead[g.config.Self] || g.waits {
				continue
			}
			g.SetLinks(measured)
			if err := g.Begin(0, Value{State: func() ([]byte, error) { return []byte{1}, nil }}); err != nil {
				t.Fatal(err)
			}
		}
		n.settle()
	}
	sum := func(when string, want Algorithm) {
		t.Helper()
		for _, g := range n.groups {
			if n.dead[g.config.Self] {
				continue
			}
			if err := g.Begin(1, Value{Rows: 1, Row: 100, Data: aligned(400)}); err != nil {
				t.Fatal(err)
			}
		}
		for n.pull() || n.deliver() {
			for _, p := range n.flying {
				if p.Stream == 1 && p.Type == Data && p.Algorithm != want {
					t.Fatalf("%s: got %v, want %v", when, p.Algorithm, want)
				}
			}
		}
		n.collect()
	}
	enter()
	sum("before anything is known", Direct)
	n.kill(ranks - 1)
	n.tellDown(ranks - 1)
	n.settle()
	enter()
	sum("after a loss", Tree)
	n.joinAgain(ranks - 1)
	enter()
	for rank, g := range n.groups {
		if n.restart(rank); g.Members()[ranks-1] != ranks-1 {
			t.Fatalf("rank %d has the members %v", rank, g.Members())
		}
	}
	sum("when a rank has joined, and all have restarted", Tree)
}

// TestReportedLinksLie: a rank that reports other links to some ranks than to others makes them choose different algorithms, which they
// notice: they go on with the same members and algorithms that do not depend on links, and have the bits of the plain computation.
func TestReportedLinksLie(t *testing.T) {
	const ranks, liar = 8, 2
	n := newNetwork(t, 1, Config{Ranks: ranks, IfLost: Repeat, Streams: []Spec{{Elem: tensor.Float32}}})
	lies := 0
	n.alter = func(from, to int, m *Message) {
		if from == liar && m.Type == Lost && to%2 == 0 {
			links := m.Data[len(m.Data)-1-linksBytes:] // before the length of a signature, which there is none
			copy(links, Links{Sharing: 100}.append(nil))
			lies++
		}
	}
	n.kill(ranks - 1)
	n.tellDown(ranks - 1)
	n.settle()
	var values []Value
	for rank, g := range n.groups[:ranks-1] {
		values = append(values, drawn(rand.New(rand.NewPCG(1, uint64(rank))), tensor.Float32, 1, 100))
		if err := g.Begin(0, values[rank]); err != nil {
			t.Fatal(err)
		}
	}
	n.settle()
	want := n.groups[0].streams[0].spec.Evaluate(values)
	for rank, g := range n.groups[:ranks-1] {
		if len(n.results[rank]) != 1 || n.results[rank][0].Err != nil || !bytes.Equal(n.results[rank][0].Data, want[rank]) {
			t.Errorf("rank %d: %v, want the sum", rank, n.results[rank])
		}
		if !g.static || len(g.Members()) != ranks-1 {
			t.Errorf("rank %d has the members %v, and believes links: %v", rank, g.Members(), !g.static)
		}
	}
	if lies == 0 {
		t.Error("there was no lie")
	}
}
