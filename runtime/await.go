package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/values"
)

// await is an EventCut that gets its value when enough peers are connected.
type await struct {
	waiter
	class string
	least int
}

// AwaitPeers sets an EventCut to the admitted peers of a class, by rank, as soon as at least least of them are
// connected. The node itself counts as one.
func (e *Engine) AwaitPeers(f *Frame, cut int, class string, least int) {
	n := e.node()
	a := await{waiter{f.ref(), cut}, class, least}
	if n.checkAwait(&a) {
		return
	}
	if len(n.awaits) == cap(n.awaits) {
		n.awaits = slices.DeleteFunc(n.awaits, func(a await) bool { return a.ended() })
		n.awaits = slices.Grow(n.awaits, len(n.awaits)+1)
	}
	n.awaits = append(n.awaits, a)
	n.dialClass(class)
}

// dialClass asks the host to dial the peers of a class that are not connected.
func (n *Node) dialClass(class string) {
	for _, id := range n.Peers(nil, class) {
		if p := n.peer(id); !p.connected {
			n.schedule(p)
		}
	}
}

// isAwaited reports whether an execution waits for peers of a class.
func (n *Node) isAwaited(class string) bool {
	for i := range n.awaits {
		if a := &n.awaits[i]; classes.Is(class, a.class) && !a.ended() {
			return true
		}
	}
	return false
}

// checkAwait sets the cut point if enough peers are connected.
func (n *Node) checkAwait(a *await) bool {
	if n.CountConnected(a.class) < a.least {
		return false
	}
	n.setEvent(a.frame, a.cut, values.AppendPeers(nil, n.Peers(nil, a.class)))
	return true
}

// peersCame serves the executions that waited for a peer that is connected now.
func (n *Node) peersCame() {
	if len(n.awaits) == 0 {
		return
	}
	waiting := n.awaits
	n.awaits = nil
	for _, a := range waiting {
		if !a.ended() && !n.checkAwait(&a) {
			n.awaits = append(n.awaits, a)
		}
	}
}
