package collective

import (
	"errors"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// welcomeTo returns a welcome of these members after an epoch with so many.
func welcomeTo(g *Group, epoch Epoch, members []bool, of uint64, since uint64) *Message {
	w := writer{appendRanks(nil, members)}
	w.uint(of)
	w.bool(false)
	w.links(Links{})
	admitted := make([]admission, len(members))
	admitted[g.config.Self].since = since
	w.admitted(admitted)
	return &Message{Type: Welcome, Call: g.ticket, Epoch: epoch, Data: w.b}
}

// TestLyingWelcome: one rank of four or five says other members, another number of them or another call than the others. In whatever
// order the welcomes come, and however often, a rank that joins believes what the others agree on, as soon as they are enough.
func TestLyingWelcome(t *testing.T) {
	for _, ranks := range []int{5, 6} {
		self := ranks - 1
		all := make([]bool, ranks)
		for i := range all {
			all[i] = true
		}
		fewer := make([]bool, ranks)
		fewer[0], fewer[self] = true, true
		for name, lie := range map[string]func(g *Group, e Epoch) *Message{
			"fewer members":             func(g *Group, e Epoch) *Message { return welcomeTo(g, e, fewer, uint64(ranks-1), 7) },
			"another call":              func(g *Group, e Epoch) *Message { return welcomeTo(g, e, all, uint64(ranks-1), 1000) },
			"fewer members before":      func(g *Group, e Epoch) *Message { return welcomeTo(g, e, all, 2, 7) },
			"fewer members, and before": func(g *Group, e Epoch) *Message { return welcomeTo(g, e, fewer, 2, 7) },
			"another epoch":             func(g *Group, e Epoch) *Message { return welcomeTo(g, Epoch{e.Number + 5, 1}, all, 2, 7) },
		} {
			for at := range ranks - 1 { // how many honest welcomes come before the lie
				g, err := New(Config{Ranks: ranks, Self: self, IfLost: Repeat, Life: 1, Streams: []Spec{{Kind: Enter, Elem: tensor.Uint8}}})
				if err != nil {
					t.Fatal(err)
				}
				g.handleLeftOut(1)
				e := Epoch{Number: g.epoch.Number + 1, View: 77}
				need := (ranks-1)/2 + 1
				honest := 0
				for k := range ranks - 1 {
					if k == at {
						for range 3 {
							if err := g.Receive(0, lie(g, e)); err != nil && !errors.Is(err, ErrMessage) {
								t.Fatal(err)
							}
						}
					}
					if k%2 == 0 { // what has come is in the state
						state, err := g.AppendBinary(nil)
						if err != nil {
							t.Fatal(err)
						}
						if g, err = New(g.config); err == nil {
							err = g.UnmarshalBinary(state)
						}
						if err != nil {
							t.Fatal(err)
						}
					}
					if g.waits != (honest < need) {
						t.Fatalf("%s at %d of %d: after %d honest welcomes it waits: %v", name, at, ranks, honest, g.waits)
					}
					if from := k + 1; from < self {
						if err := g.Receive(from, welcomeTo(g, e, all, uint64(ranks-1), 7)); err != nil {
							t.Fatal(err)
						}
						honest++
					}
				}
				if honest < need {
					continue
				}
				if g.waits || len(g.Members()) != ranks || g.Epoch() != e || g.admitted[self].since != 7 {
					t.Errorf("%s at %d of %d: it waits: %v, with members %v in epoch %v from call %d", name, at, ranks, g.waits, g.Members(), g.Epoch(), g.admitted[self].since)
				}
			}
		}
	}
}
