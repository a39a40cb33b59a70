package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Reasons to refuse a peer or its messages. The errors of [Node.Connected] and of Refused and Late events wrap
// one of these, or one of package wire.
var (
	ErrUnknownPeer = errors.New("the peer is not admitted")
	ErrBlocked     = errors.New("the peer is blocked")
	ErrIgnored     = errors.New("messages of the peer are ignored for a while: it violated the protocol")
	ErrProtocol    = errors.New("another protocol")
	ErrProgram     = errors.New("another program")
	ErrClass       = errors.New("another class than the peer was admitted with")
	ErrIncarnation = errors.New("an incarnation that is over")
	ErrTooLittle   = errors.New("the peer accepts too few bytes in a message")

	ErrForged   = errors.New("the envelope names another peer as its sender")
	ErrOrigin   = errors.New("the peer has no part in that execution")
	ErrNoExec   = errors.New("the envelope names no execution")
	ErrAck      = errors.New("the peer acknowledges an envelope that was never sent")
	ErrNotBegun = errors.New("no peer has begun such an execution")
	ErrNotOpen  = errors.New("no fill begins an execution of that origin here")

	ErrNoEdge   = errors.New("no such edge here")
	ErrEdge     = errors.New("the fill is not of the type of the edge")
	ErrNotAsked = errors.New("the peer was not asked")
	ErrLate     = errors.New("the execution has gone on without it")
	ErrOverflow = errors.New("a table is full")

	errDuplicate = errors.New("the fill came before")
)

// errOver is ErrLate for an execution that has ended. The Node does not keep which peers it had counted: after a restart
// a peer sends again what it has heard no acknowledgement of.
var errOver error = over{}

type over struct{}

func (over) Error() string {
	return ErrLate.Error() + ", or had counted it before it came again"
}

func (over) Unwrap() error { return ErrLate }

// rejections are the rejected fills of one envelope. One event reports them all, otherwise an envelope of many
// fills would cause many events.
type rejections struct {
	late, refused rejected
	again         bool // the envelope came before, on the previous connection
	released      bool // a fill is left to the next incarnation, as this one is stopping
}

// rejections returns the rejected fills of an envelope, none so far. What the peer sends again on a new connection, as it has
// heard no acknowledgement, is no late message but a duplicate: the previous connection has brought it.
//
// NB: after a restart of this node it is not known what has come before.
func (p *peer) rejections(e *wire.Envelope) rejections {
	come, _ := p.before.Has(e.Before)
	return rejections{again: e.Before > 0 && come}
}

type rejected struct {
	n    uint64
	edge wire.EdgeID // of the first one
	err  error
}

func (r *rejected) add(fill *wire.SlotFill, err error) {
	if r.n == 0 {
		r.edge, _ = wire.ConsumeSite(fill.Suffix)
		r.err = err
	}
	r.n++
}

// reject records a rejected fill, and reports whether a correct peer may have sent it.
func (n *Node) reject(r *rejections, fill *wire.SlotFill, err error) bool {
	switch {
	case errors.Is(err, errDuplicate), r.again && errors.Is(err, ErrLate):
		n.stats.Duplicates++
		return true
	case errors.Is(err, ErrLate):
		n.stats.Late++
		if fill.Lost != "" { // nobody waits for the value
			return true
		}
		r.late.add(fill, err)
		return true
	}
	n.stats.Refused++
	r.refused.add(fill, err)
	if errors.Is(err, errNotRunning) {
		r.released = true
	}
	return errors.Is(err, ErrOverflow) || errors.Is(err, ErrNotAsked) || errors.Is(err, errNotRunning) || errors.Is(err, errNotLoaded)
}

// reportRejected reports the rejected fills of an envelope. An envelope with a fill that is left to the next incarnation is
// not acknowledged: the peer sends it again when this one has restarted.
func (n *Node) reportRejected(p *peer, e *wire.Envelope, r *rejections) {
	if r.released {
		p.inbox.Release(e.Seq)
	}
	if l := &r.late; l.n > 0 {
		n.queueEvent(Event{Kind: Late, Peer: p.id, Exec: e.Exec, Edge: l.edge, N: l.n, Err: n.onEdge(l)})
	}
	if f := &r.refused; f.n > 0 {
		n.queueEvent(Event{Kind: Refused, Peer: p.id, Exec: e.Exec, Edge: f.edge, N: f.n, Err: n.onEdge(f)})
	}
}

// edgeError is the reason for rejecting a fill, with its edge. It is made for each fill, but its text is rarely
// needed.
type edgeError struct {
	edge wire.EdgeID
	name string // "" for an unknown edge
	err  error
}

func (e *edgeError) Error() string {
	if e.name == "" {
		return fmt.Sprintf("edge %v: %v", e.edge, e.err)
	}
	return fmt.Sprintf("edge %s: %v", e.name, e.err)
}

func (e *edgeError) Unwrap() error { return e.err }

// onEdge adds the name of the edge to the error of a rejected fill.
func (n *Node) onEdge(r *rejected) error {
	e := &edgeError{edge: r.edge, err: r.err}
	if i, ok := n.edges.Get(container.HashEdge(r.edge), r.edge); ok {
		e.name = n.partition.Edges[i].Name
	}
	return e
}

// checkClaims returns an error if the claims of a peer's envelope are wrong.
func (n *Node) checkClaims(p *peer, e *wire.Envelope) error {
	if !e.Src.IsZero() && e.Src != p.id {
		return fmt.Errorf("%w: source %v, the channel has proven %v", ErrForged, e.Src, p.id)
	}
	if len(e.SrcHash) > 0 && (n.config.Sum256 == nil || !p.id.HasHash(e.SrcHash, n.config.Sum256)) {
		return fmt.Errorf("%w: the source's hash is not that of %v, whom the channel has proven", ErrForged, p.id)
	}
	for _, a := range e.SrcAddrs {
		if id, ok := a.Peer(); ok && id != p.id {
			return fmt.Errorf("%w: source address %s, the channel has proven %v", ErrForged, a, p.id)
		}
	}
	if err := checkUnnumbered(e); err != nil {
		return err
	}
	if e.Ack > p.outbox.Last() {
		return fmt.Errorf("%w: envelope %d, the last one was %d", ErrAck, e.Ack, p.outbox.Last())
	}
	if e.Released > p.outbox.Last() {
		return fmt.Errorf("%w: it leaves envelope %d to its next incarnation, the last one was %d", ErrAck, e.Released, p.outbox.Last())
	}
	return nil
}
