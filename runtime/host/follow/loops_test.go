package follow

import (
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// A program is done when all its loops are: the end of one peer's loop does not end the others, and a topic
// "done" of a module without a loop is ignored.
func TestLoops(t *testing.T) {
	var l Loops
	said := func(peer int, module, topic string, begun, done bool) {
		t.Helper()
		l.Published(peer, module, topic)
		if l.Begun() != begun || l.Done() != done {
			t.Errorf("after %s.%s of %d: begun %v, done %v; want %v, %v", module, topic, peer, l.Begun(), l.Done(), begun, done)
		}
	}
	said(2, "gossip", "done", false, false)
	said(0, "a", runtime.LoopBegun, true, false)
	said(1, "a", runtime.LoopBegun, true, false)
	said(0, "a", runtime.LoopDone, true, false)
	said(0, "a", runtime.LoopDone, true, false)
	for peer, module := range l.Left {
		if peer != 1 || module != "a" {
			t.Errorf("left is %s of %d, want a of 1", module, peer)
		}
	}
	said(1, "a", runtime.LoopBegun, true, false) // started again
	said(1, "a", runtime.LoopDone, true, true)
	said(1, "a", runtime.LoopBegun, true, false) // from an older snapshot
	said(1, "a", runtime.LoopDone, true, true)
}
