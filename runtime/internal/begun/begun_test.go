package begun

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Numbers continue from one incarnation to the next, so each number was begun by one of them at most.
func TestNumbers(t *testing.T) {
	n := Restored(wire.PeerID{}, 9, []Past{{1, 3}, {4, 3}, {5, 7}}) // the second one has begun nothing
	if x := n.Next(); x.Incarnation != 9 || x.Number != 8 || n.Latest() != 8 {
		t.Errorf("the next one is %v", x)
	}
	for _, c := range []struct {
		incarnation, number uint64
		lost, future        bool
	}{
		{1, 1, false, false}, {1, 3, false, false}, {1, 4, true, false},
		{4, 3, true, false}, {4, 4, true, false},
		{5, 3, true, false}, {5, 4, false, false}, {5, 7, false, false}, {5, 8, true, false},
		{2, 1, true, false}, {9, 8, false, false}, {9, 9, false, true}, {10, 1, false, true},
	} {
		x := &wire.ExecID{Incarnation: c.incarnation, Number: c.number}
		if lost, future := n.IsLost(x), n.IsFuture(x); lost != c.lost || future != c.future {
			t.Errorf("execution %d of incarnation %d is lost: %v, to come: %v, want %v and %v", c.number, c.incarnation, lost, future, c.lost, c.future)
		}
	}
}

// A node remembers its latest incarnations, and forgets the first ones.
func TestManyRestarts(t *testing.T) {
	var all []Past
	for i := uint64(1); i <= 2*maxPast; i++ {
		all = append(all, Past{i, 10 * i})
	}
	n := Restored(wire.PeerID{}, 2*maxPast+1, all)
	if len(n.Past()) != maxPast || n.Latest() != 20*maxPast {
		t.Errorf("%d incarnations are remembered, up to number %d", len(n.Past()), n.Latest())
	}
	if !n.IsLost(&wire.ExecID{Incarnation: 1, Number: 1}) || n.IsLost(&wire.ExecID{Incarnation: 2 * maxPast, Number: 20 * maxPast}) {
		t.Error("the first incarnation is remembered, or the last one is not")
	}
}
