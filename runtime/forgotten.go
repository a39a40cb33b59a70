package runtime

import "errors"

// A peer that is started without a snapshot has lost what its last incarnation acknowledged, and will not
// answer it. Its Hello contains that, and gathers do not wait for these answers. If a gather cannot reach its quorum
// without them, its round is short at once.

// errForgotten is the reason to leave a peer out of gathers that waited for its previous incarnation.
var errForgotten = errors.New("was started again without its state, and has lost the request")

// leaveOutRestarted leaves a peer out of the gathers for which it has acknowledged all that it was sent.
func (n *Node) leaveOutRestarted(p *peer) {
	for f := n.first; f != nil; f = f.next {
		if f.ended || !f.restored && !f.hasSentTo(p) || p.outbox.Owes(&f.exec) {
			continue
		}
		for i := range f.gathers {
			if g := &f.gathers[i]; g.waitsFor(f, p) {
				n.leaveOut(f, g, p)
			}
		}
	}
}

// leaveOut fails the contribution of a peer to a gather.
func (n *Node) leaveOut(f *Frame, g *gather, p *peer) {
	c, err := n.child(f, f.module.contribution(n, g.cut), p)
	if err != nil {
		return // there is no room: the gather has its deadline
	}
	for cut := range c.module.Cuts {
		n.lose(c, cut, errForgotten)
	}
}

// contribution returns the module of the contributions to a GatherCut.
func (m *module) contribution(n *Node, cut int) *module {
	for i := range n.modules {
		if c := &n.modules[i]; c.Child && c.Parent == m.index && c.ParentCut == cut {
			return c
		}
	}
	panic("BUG: no peer contributes to gather " + m.Cuts[cut].Name + " of " + m.Name)
}

// hasSentTo reports whether the frame has sent a message to a peer.
func (f *Frame) hasSentTo(p *peer) bool { return p.index < f.sentTo.Width() && f.sentTo.Has(p.index) }
