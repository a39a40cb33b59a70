package follow

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/runtime"
)

// Loops follows the loops of rounds of many peers, by what those publish. A peer that
// is started again may tell of the same loop twice.
type Loops struct {
	done map[loop]bool // of all that have begun
	left int           // that are not done
}

type loop struct {
	peer   int
	module string
}

// Published takes a topic that a module of a peer has published. One that has begun
// no loop may publish what it likes.
func (l *Loops) Published(peer int, module, topic string) {
	this := loop{peer, module}
	done, begun := l.done[this]
	switch {
	case topic == runtime.LoopBegun && (done || !begun):
		if l.done == nil {
			l.done = map[loop]bool{}
		}
		l.done[this] = false
		l.left++
	case topic == runtime.LoopDone && begun && !done:
		l.done[this] = true
		l.left--
	}
}

// Begun reports whether there is a loop.
func (l *Loops) Begun() bool { return len(l.done) > 0 }

// Done reports whether there is a loop, and all have come to their end.
func (l *Loops) Done() bool { return l.Begun() && l.left == 0 }

// Left calls yield for each loop that is not done, in the order of the peers.
func (l *Loops) Left(yield func(peer int, module string) bool) {
	var list []loop
	for x, done := range l.done {
		if !done {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b loop) int {
		return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.module, b.module))
	})
	for _, x := range list {
		if !yield(x.peer, x.module) {
			return
		}
	}
}
