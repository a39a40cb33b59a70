package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// roomFor reports whether there is room for one more frame in the share of a peer, or in the node's own share
// if owner is nil.
func (n *Node) roomFor(owner *peer) bool {
	if owner == nil || owner == n.self {
		return n.frames < n.limits.Executions
	}
	return limits.InFairShare(owner.frames, 1, n.frames, limits.ForPeers(n.limits.Executions))
}

// charge counts a frame in the share of a peer, or in the node's own.
func (f *Frame) charge(owner *peer) {
	if p := f.owner; p != nil {
		p.frames--
		p.commands -= f.commands
		p.timers -= f.timers
	}
	if f.owner = owner; owner != nil {
		owner.frames++
		owner.commands += f.commands
		owner.timers += f.timers
	}
}

// payer returns the peer in whose share a contribution to a gather of the frame counts. An answer counts in the
// share of the frame that asked for it, so that answering peers do not use up each other's shares.
func (f *Frame) payer(g *gather, from *peer) *peer {
	if g.armed && g.asks(from) {
		return f.owner
	}
	return from
}

// hold counts a payload that a frame keeps in memory.
func (n *Node) hold(f *Frame, size int) error {
	has := 0
	if f.from != nil && f.from != n.self {
		has = f.from.held
	}
	if !limits.InFairShare(has, size, n.held, n.limits.Held) {
		n.overflow("held")
		return fmt.Errorf("%w: %d bytes of payloads are held, %d of the peer's, and %d more come", ErrOverflow, n.held, has, size)
	}
	n.held += size
	f.held += size
	if f.from != nil {
		f.from.held += size
	}
	return nil
}

// holdFile counts a payload that a frame keeps in a file of the host. Its room was reserved before it was
// fetched.
func (n *Node) holdFile(f *Frame, size int64) {
	n.reserve(f.from, size)
	f.spooled += size
}

// reserve counts bytes of a peer's payloads that are in files, or will be when they have been fetched.
func (n *Node) reserve(p *peer, size int64) {
	n.spooled += size
	if p != nil {
		p.spooled += size
	}
}

// pins is the memory in which payloads stand that are parts of larger values: all of it is
// kept as long as one of them is.
type pins struct {
	payloads map[*tensor.Memory]int // that stand there
	bytes    int
}

// takes counts one more payload, unless the memory would be more than a limit.
func (p *pins) takes(m *tensor.Memory, limit int) bool {
	if p.payloads[m] == 0 {
		if len(m.Bytes()) > limit-p.bytes {
			return false
		}
		p.bytes += len(m.Bytes())
	}
	if p.payloads == nil {
		p.payloads = map[*tensor.Memory]int{}
	}
	p.payloads[m]++
	return true
}

// release forgets a payload.
func (p *pins) release(m *tensor.Memory) {
	if p.payloads[m]--; p.payloads[m] == 0 {
		delete(p.payloads, m)
		p.bytes -= len(m.Bytes())
	}
}
