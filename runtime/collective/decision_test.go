package collective

import (
	"errors"
	"testing"
)

// decisionOf returns the bytes of a decision of four ranks that some of them are lost, of which all others have reported
// that they have no results.
func decisionOf(lost ...int) []byte {
	d := &decision{lost: make([]bool, 4), joins: make([]uint64, 4), reports: make([]*report, 4)}
	for _, r := range lost {
		d.lost[r] = true
	}
	for r, l := range d.lost {
		if !l {
			d.reports[r] = &report{d.lost, d.joins, false, 0, Links{}, make([]progress, 1), nil}
		}
	}
	return d.append(nil)
}

// TestDecision: a decision begins the next epoch only where its sender can have made it: the receiver has reported a lost
// rank, is no lost rank itself, and more than half of the members remain.
func TestDecision(t *testing.T) {
	for name, c := range map[string]struct {
		policy IfLost
		down   int // a rank that is lost before; 0: none
		lost   []int
		ok     bool
	}{
		"of what was reported":       {Repeat, 3, []int{3}, true},
		"of one that is not heard":   {Repeat, 3, []int{2}, true}, // others have reported it, too
		"without a report":           {Repeat, 0, []int{3}, false},
		"that the receiver is lost":  {Repeat, 3, []int{0}, false},
		"of half of the ranks":       {Repeat, 3, []int{2, 3}, false},
		"of ranks that wait":         {Wait, 3, []int{3}, false},
		"of ranks that have to fail": {Fail, 0, []int{3}, false},
	} {
		g, err := New(Config{Ranks: 4, Streams: sum32, IfLost: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		if c.down > 0 {
			g.Down(c.down)
		}
		before := g.Epoch()
		err = g.Receive(1, &Message{Type: Decided, Epoch: before, Data: decisionOf(c.lost...)})
		if c.ok != (err == nil) || err != nil && !errors.Is(err, ErrMessage) {
			t.Errorf("a decision %s: %v", name, err)
		}
		if next := g.Epoch(); c.ok != (next.Number == before.Number+1) || !c.ok && len(g.Members()) != 4 {
			t.Errorf("a decision %s: epoch %v follows %v, with %v", name, next, before, g.Members())
		}
	}
}
