package follow

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/runtime"
)

// Loops tracks the round loops of many peers, by their published topics. A restarted peer may publish the
// beginning of the same loop twice.
type Loops struct {
	done map[loop]bool // of all that have begun
	left int           // that are not done
}

type loop struct {
	peer   int
	module string
}

// Published handles a topic that a module of a peer has published. Topics of modules without a loop are
// ignored.
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

// Begun reports whether any loop has begun.
func (l *Loops) Begun() bool { return len(l.done) > 0 }

// Done reports whether a loop has begun, and all have ended.
func (l *Loops) Done() bool { return l.Begun() && l.left == 0 }

// Left calls yield for each loop that has not ended, in the order of the peers.
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
