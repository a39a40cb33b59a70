// Package begun numbers the executions that a node begins, and knows which ones its earlier incarnations have begun.
package begun

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Numbers are the numbers of the executions that a node has begun. They continue from one incarnation to the next, so that
// each number was begun by one of them at most.
type Numbers struct {
	self        wire.PeerID
	incarnation uint64
	latest      uint64
	past        []Past // the latest last
}

// Past is an earlier incarnation and the number of its last execution, according to its last snapshot.
type Past struct{ Incarnation, Number uint64 }

// maxPast is the number of earlier incarnations that are remembered.
const maxPast = 64

// New returns the numbers of a node that has begun nothing.
func New(self wire.PeerID, incarnation uint64) Numbers {
	return Numbers{self: self, incarnation: incarnation}
}

// Restored returns the numbers of a node that continues after earlier incarnations, the latest last.
func Restored(self wire.PeerID, incarnation uint64, past []Past) Numbers {
	n := New(self, incarnation)
	for _, p := range past {
		n.remember(p)
		n.latest = p.Number
	}
	return n
}

// remember records an earlier incarnation, if it has begun an execution.
func (n *Numbers) remember(p Past) {
	before := uint64(0)
	if len(n.past) > 0 {
		before = n.past[len(n.past)-1].Number
	}
	if p.Number == before {
		return
	}
	if len(n.past) == maxPast {
		n.past = slices.Delete(n.past, 0, 1)
	}
	n.past = append(n.past, p)
}

// Next returns the name of the next execution.
func (n *Numbers) Next() wire.ExecID {
	n.latest++
	return wire.ExecID{Origin: n.self, Incarnation: n.incarnation, Number: n.latest}
}

// Latest returns the number of the last execution.
func (n *Numbers) Latest() uint64 { return n.latest }

// Past returns the earlier incarnations that have begun an execution, the latest last.
func (n *Numbers) Past() []Past { return n.past }

// IsFuture reports whether an execution of the node's is one that it has not begun yet.
func (n *Numbers) IsFuture(x *wire.ExecID) bool {
	return x.Incarnation > n.incarnation || x.Incarnation == n.incarnation && x.Number > n.latest
}

// IsLost reports whether an execution of the node's is of an earlier incarnation that has not begun it, as far as its last
// snapshot says.
func (n *Numbers) IsLost(x *wire.ExecID) bool {
	if x.Incarnation >= n.incarnation {
		return false
	}
	i := slices.IndexFunc(n.past, func(p Past) bool { return p.Incarnation == x.Incarnation })
	return i < 0 || x.Number > n.past[i].Number || i > 0 && x.Number <= n.past[i-1].Number
}
