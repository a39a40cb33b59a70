package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// rounds plays some rounds, in which each asked worker answers after a time, with a loss, by its rank. It returns the number of
// times that each was asked.
func rounds(e *Elector, n *runtime.Node, from, to int64) (asked [peers]int, err error) {
	for round := from; round < to; round++ {
		n.Tick(round * 10e9)
		chosen, err := e.CurrentView(n)
		if err != nil {
			return asked, err
		}
		for rank := range peers {
			if p := mem.PeerID(rank); slices.Contains(chosen, p) {
				asked[rank]++
				n.Tick(round*10e9 + int64(1+rank)*1e9 + round%3*5e8)
				if _, err := e.Report(n, p, float32(1+rank)); err != nil {
					return asked, err
				}
			}
		}
	}
	return asked, nil
}

func everyElector() []Elector { return append(Electors(), Available()) }

// TestElectorsAgree: the selections of each elector are the best ones by its own records, after a restart, too.
func TestElectorsAgree(t *testing.T) {
	for i, e := range everyElector() {
		n := leader(t)
		open(t, &e.Selector, 0)
		asked, err := rounds(&e, n, 1, 12)
		if err != nil {
			t.Fatalf("elector %d: %v", i, err)
		}
		if e.Answers && asked[0] != 11 {
			t.Errorf("elector %d: the first worker was asked %d times, want each of 11", i, asked[0])
		}
		again := everyElector()[i]
		open(t, &again.Selector, 0)
		copied(t, &again, &e)
		if _, err := rounds(&again, leader(t), 20, 30); err != nil {
			t.Errorf("elector %d after a restart: %v", i, err)
		}
		state, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range state {
			other := everyElector()[i]
			_ = other.UnmarshalBinary(state[:n])
		}
	}
}

// TestElectorNotices: a selection that is not the best one, or of too few or of silent peers, is an error.
func TestElectorNotices(t *testing.T) {
	n := leader(t)
	all := []wire.PeerID{mem.PeerID(0), mem.PeerID(1), mem.PeerID(2)}
	e := Electors()[0] // by the loss, one of them
	for i, loss := range []float64{3, 9, 6} {
		e.told[i] = dealings{asked: 1, answered: 1, loss: loss}
	}
	two := e
	two.Candidates = 2 // one of three may be missed
	for _, c := range []struct {
		name   string
		by     *Elector
		chosen []wire.PeerID
		fails  bool
	}{
		{"the best", &e, all[1:2], false},
		{"the second", &e, all[2:], true},
		{"the worst", &e, all[:1], true},
		{"none", &e, nil, true},
		{"two", &e, all[1:], true},
		{"a stranger", &e, []wire.PeerID{mem.PeerID(9)}, true},
		{"the best of candidates", &two, all[1:2], false},
		{"the second of candidates", &two, all[2:], false},
		{"the worst of candidates", &two, all[:1], true},
	} {
		if err := c.by.check(n, all, c.chosen); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	e.told[0] = dealings{} // nobody has asked it
	if e.check(n, all, all[1:2]) == nil || e.check(n, all, all[:1]) != nil {
		t.Error("who was never asked does not come first")
	}
}
