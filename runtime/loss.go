package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/reason"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A block that fails, or cannot run, sends none of its values, and other peers may wait for them. So the Node tells the
// receivers which values they will not get, and why, without the names of local files. A receiver treats such a loss like a value that it cannot use: the
// gather goes on without the peer, the wait for a single peer fails, and blocks that do not run for it tell their
// receivers in turn.
//
// A loss is accepted where a value of the peer would be, and settles no more than that value would. So a peer that
// reports a loss which is none leaves itself out.

// Receivers says which peers receive a value.
type Receivers uint8

// The receivers of values.
const (
	ToSender Receivers = iota // the peer that has filled the cut point Cut
	ToClass                   // all peers of the class
	ToInTurn                  // the peer of the class that is next in turn, see [Engine.PeerInTurn]
	ToSelf                    // the peer itself
	ToSome                    // peers of the class that are selected at run time
)

// A Sending is an edge on which a block sends in its own execution, and the receivers of the value.
type Sending struct {
	Edge  int
	To    Receivers
	Cut   int    // of ToSender
	Class string // of ToClass, ToInTurn and ToSome
}

// LostError is the error of a value that a peer does not send, as one of its blocks has failed.
type LostError struct {
	Peer   wire.PeerID // zero for a contribution: the errors around it name its peer
	Reason string      // as the peer gives it
}

// Error returns the peer, if it is known, and the reason that it gives.
func (e *LostError) Error() string {
	from := ""
	if !e.Peer.IsZero() {
		from = fmt.Sprintf("peer %v: ", e.Peer)
	}
	return fmt.Sprintf("%sits block failed: %s", from, e.Reason)
}

// tellLost tells the receivers of a block's values that these will not come.
func (n *Node) tellLost(f *Frame, block int, err error) {
	blk := &f.module.blocks[block]
	if len(blk.Sends) == 0 || !f.isKnown(n.self) {
		return
	}
	if c, ok := err.(*CutError); ok && c.Kind == CommandCut {
		err = c.Err // which command it was means nothing to others
	}
	why := reason.Of(fmt.Sprintf("%s.%s: ", f.module.Name, blk.Name), err) // the host has the whole error, in a Failed event
	for i := range blk.Sends {
		s := &blk.Sends[i]
		for _, id := range n.receiversOf(f, s) {
			p, err := n.receiver(id, &n.partition.Edges[s.Edge], 0)
			if err != nil {
				continue // it would not have received the value either
			}
			e := n.newEnvelope()
			e.Exec, e.Until = f.exec, f.until
			e.Begins = f.recordSend(p)
			e.AddLost(s.Edge, why)
			n.enqueue(p, e)
		}
	}
}

// isKnown reports whether other peers may know of a frame's execution. Nobody waits for values of one that has begun here
// and has sent nothing.
func (f *Frame) isKnown(self *peer) bool {
	return f.from != nil || f.exec.Origin != self.id || f.restored || !f.sentTo.Empty()
}

// receiversOf returns the peers to which a block of a frame would have sent a value.
func (n *Node) receiversOf(f *Frame, s *Sending) []wire.PeerID {
	switch s.To {
	case ToClass:
		return n.Peers(nil, s.Class)
	case ToInTurn:
		return n.peerInTurn(nil, f, s.Class)
	case ToSelf:
		return []wire.PeerID{n.self.id}
	case ToSome:
		return n.participants(f, s.Class)
	}
	if p := f.senders[s.Cut]; p != nil {
		return []wire.PeerID{p.id}
	}
	return nil
}

// participants returns the peers of a class that are known to take part in a frame's execution: its origin, and those with
// which the frame has exchanged messages.
func (n *Node) participants(f *Frame, class string) (list []wire.PeerID) {
	if f.parent != nil {
		f = f.parent
	}
	origin := n.peer(f.exec.Origin)
	for _, p := range n.byIndex {
		if p.is(class) && (p == origin || f.hasMet(p)) {
			list = append(list, p.id)
		}
	}
	return list
}

// hasMet reports whether a frame has exchanged messages with a peer.
func (f *Frame) hasMet(p *peer) bool {
	if p == f.from || f.hasSentTo(p) {
		return true
	}
	for _, s := range f.senders {
		if p == s {
			return true
		}
	}
	for i := range f.gathers {
		if f.gathers[i].of(p) != nil {
			return true
		}
	}
	return false
}

// fillLost takes a loss in place of the value of a cut point.
func (n *Node) fillLost(f *Frame, e *Edge, p *peer, why string) error {
	if f.hasLost(e.Cut, p) {
		return errDuplicate
	}
	lost := &LostError{Reason: reason.Line(why)}
	if f.parent == nil {
		lost.Peer = p.id
	}
	if f.from != p {
		f.losses = append(f.losses, loss{e.Cut, p})
		if n.othersMayFill(f, e) {
			return nil
		}
	}
	f.senders[e.Cut] = p
	n.lose(f, e.Cut, lost)
	return nil
}

// loss is a cut point that a peer will not fill.
type loss struct {
	cut  int
	from *peer
}

// othersMayFill reports whether a peer that was asked, too, may fill a cut point of which others have told that they will
// not. A frame that was restored without a loss does not know which peers were asked, so that any peer of the class may.
func (n *Node) othersMayFill(f *Frame, e *Edge) bool {
	for _, p := range n.byIndex {
		if p.is(e.From) && !p.blocked && (f.restored || f.hasSentTo(p)) && !f.hasLost(e.Cut, p) {
			return true
		}
	}
	return false
}

func (f *Frame) hasLost(cut int, p *peer) bool {
	for _, l := range f.losses {
		if l == (loss{cut, p}) {
			return true
		}
	}
	return false
}

// checkLost returns an error if a loss cannot be on an edge.
func (e *Edge) checkLost() error {
	if e.Collective != nil {
		return fmt.Errorf("%w: a loss in a collective", ErrEdge)
	}
	return nil
}
