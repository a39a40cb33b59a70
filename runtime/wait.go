package runtime

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A Wait is a value for which an execution waits.
type Wait struct {
	Module string
	Cut    string // of the value in the module
	Kind   CutKind
	Exec   wire.ExecID // zero for a bootstrap that the host has not begun
	Since  int64       // when the execution began here; for a gather, when it began to wait for its peers

	// Peers are the peers of a gather that have not contributed. They are borrowed until the next Wait.
	Peers []wire.PeerID

	// Class is the class of awaited peers: Least of them are needed and Have are connected. It is "" if another
	// value is awaited.
	Class       string
	Have, Least int
}

// UpText returns a text with how many of the awaited peers are connected.
func UpText(have, least int, class string) string {
	return fmt.Sprintf("%d of %d %ss are up", have, least, class)
}

// Text describes the awaited value, how long the execution has waited by now, and the module. The function name
// returns the host's name of a peer.
func (w *Wait) Text(now int64, name func(wire.PeerID) string) string {
	what := fmt.Sprintf("%v %s of %s", w.Kind, w.Cut, w.Module)
	if w.Class != "" {
		what = fmt.Sprintf("%ss of %s: %s", w.Class, w.Module, UpText(w.Have, w.Least, w.Class))
	}
	whose := "from the host"
	if !w.Exec.IsZero() {
		whose = fmt.Sprintf("execution %d of %s", w.Exec.Number, name(w.Exec.Origin))
	}
	s := fmt.Sprintf("%s, %s, for %v", what, whose, time.Duration(now-w.Since).Round(time.Millisecond))
	for i, p := range w.Peers {
		switch i {
		case 0:
			s += ": not here from "
		case maxNamed:
			return fmt.Sprintf("%s and %d more", s, len(w.Peers)-i)
		default:
			s += ", "
		}
		s += name(p)
	}
	return s
}

// maxNamed is how many peers a text names.
const maxNamed = 5

// Waits calls yield with each value for which an execution waits, the oldest execution first, until yield
// returns false. Values that follow only after other values are not among them.
func (n *Node) Waits(yield func(*Wait) bool) {
	var w Wait
	if !n.bootWaits(yield) {
		return
	}
	for f := n.first; f != nil; f = f.next {
		if f.ended {
			continue
		}
		for c := range f.module.Cuts {
			if !f.waitsFor(c) {
				continue
			}
			cut := &f.module.Cuts[c]
			w = Wait{Module: f.module.Name, Cut: cut.Name, Kind: cut.Kind, Exec: f.exec, Since: f.since, Peers: w.Peers[:0]}
			switch cut.Kind {
			case GatherCut:
				n.awaitedIn(&w, f.gather(c))
			case EventCut:
				n.awaitedBy(&w, f, c)
			}
			if !yield(&w) {
				return
			}
		}
	}
}

// awaitedIn adds the peers for which a gather waits.
func (n *Node) awaitedIn(w *Wait, g *gather) {
	w.Since = g.Since
	for i := range g.Missing {
		w.Peers = append(w.Peers, n.byIndex[i].id)
	}
}

// awaitedBy sets the peers for which an EventCut waits, if it does.
func (n *Node) awaitedBy(w *Wait, f *Frame, cut int) {
	for i := range n.awaits {
		if a := &n.awaits[i]; a.frame == f && a.cut == cut && !a.ended() {
			w.Class, w.Have, w.Least = a.class, n.CountConnected(a.class), a.least
		}
	}
}

// Awaited calls yield for each number of peers for which an execution waits.
func (n *Node) Awaited(yield func(class string, have, least int)) {
	for i := range n.awaits {
		if a := &n.awaits[i]; !a.ended() {
			yield(a.class, n.CountConnected(a.class), a.least)
		}
	}
}

// IsIdle reports whether the node does nothing until another peer or its host acts: no command runs, no timer of the program or of an execution is set, no
// message is unread or unacknowledged, and no number of peers is awaited. Executions may wait for values all the same: if all peers are idle, for ever.
func (n *Node) IsIdle() bool {
	c := &n.commands
	if n.Stats().Outbound+n.ingress.n+c.running+c.completed.Len()+n.timers.ticks.Len()+n.timers.deadlines.frames > 0 {
		return false
	}
	idle := true
	n.Awaited(func(string, int, int) { idle = false })
	return idle
}
