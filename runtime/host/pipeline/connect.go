package pipeline

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The protocols of streams: between a stage and the one after it, and between the last stage and each other one. The
// later stage dials.
const (
	dataStream    peer.Protocol = "/bbgen/pipeline/data/1"
	controlStream peer.Protocol = "/bbgen/pipeline/control/1"
)

// The limits of connections that have not proven their key.
const (
	handshakes       = 16
	handshakeTimeout = 10 * time.Second
)

// The pauses between attempts to dial a stage that does not listen yet.
const (
	firstPause = 20 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

// place is where a process is in the pipeline.
type place struct {
	m       *Model
	key     ed25519.PrivateKey
	listen  wire.Address
	members []peer.Member // by stage
	number  int
}

// links are the connections of a stage.
type links struct {
	prev, next *link
	control    *link   // to the last stage; nil on that
	others     []*link // of the last stage: to the others
}

// close ends all connections that were made.
func (l *links) close() {
	for _, x := range append(l.others, l.prev, l.next, l.control) {
		if x != nil {
			x.close()
		}
	}
}

// newPlace returns the place of a key in a list of peers.
func newPlace(m *Model, key ed25519.PrivateKey, list []peer.Member) (*place, error) {
	p := &place{m: m, key: key, number: -1, members: make([]peer.Member, len(m.Stages))}
	if len(list) != len(m.Stages) {
		return nil, fmt.Errorf("the list has %d peers, the model %d stages: want one for each", len(list), len(m.Stages))
	}
	for _, x := range list {
		if x.Class != Class || x.Rank < 0 || x.Rank >= len(list) || p.members[x.Rank].Class != "" || len(x.Addresses) == 0 {
			return nil, fmt.Errorf("the list has peer %v as %s %d with %d addresses: want the class %s, each rank from 0 to %d once, and an address", x.ID, x.Class, x.Rank, len(x.Addresses), Class, len(list)-1)
		}
		p.members[x.Rank] = x
		if x.ID == peer.IDOf(key) {
			p.number = x.Rank
		}
	}
	if p.number < 0 {
		return nil, fmt.Errorf("no peer of the list has this key, whose id is %v", peer.IDOf(key))
	}
	p.listen = p.members[p.number].Addresses[0]
	return p, nil
}

// last returns the number of the last stage.
func (p *place) last() int { return len(p.members) - 1 }

// connect waits until all stages are connected. The transport must remain open.
func (p *place) connect(ctx context.Context) (*links, peer.Transport, error) {
	t, err := tcp.New(peer.TransportConfig{
		Key: p.key, Listen: []wire.Address{p.listen}, Log: slog.New(slog.DiscardHandler), Protocols: []peer.Protocol{dataStream, controlStream},
		Handshakes: handshakes, HandshakeTimeout: handshakeTimeout,
		Admitted: func(id wire.PeerID) bool { return p.numberOf(id) >= 0 },
	})
	if err != nil {
		return nil, nil, err
	}
	l, err := p.connectOver(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	return l, t, nil
}

// connectOver connects all stages over a transport. If that fails, it closes the transport and the connections that were made.
func (p *place) connectOver(ctx context.Context, t peer.Transport) (*links, error) {
	defer context.AfterFunc(ctx, func() { t.Close() })()
	l := &links{}
	err := p.dialAll(ctx, t, l)
	if err == nil {
		err = p.acceptAll(ctx, t, l)
	}
	if err != nil {
		t.Close()
		l.close()
		return nil, err
	}
	return l, nil
}

// numberOf returns the stage of a peer, or -1.
func (p *place) numberOf(id wire.PeerID) int {
	return slices.IndexFunc(p.members, func(m peer.Member) bool { return m.ID == id })
}

// dialAll dials the stage before, and from the last stage all others.
func (p *place) dialAll(ctx context.Context, t peer.Transport, l *links) (err error) {
	if p.number == 0 {
		return nil
	}
	if l.prev, err = p.dial(ctx, t, p.number-1, dataStream); err != nil || p.number < p.last() {
		return err
	}
	for k := range p.last() {
		c, err := p.dial(ctx, t, k, controlStream)
		if err != nil {
			return err
		}
		l.others = append(l.others, c)
	}
	return nil
}

// dial dials a stage until it answers.
func (p *place) dial(ctx context.Context, t peer.Transport, to int, protocol peer.Protocol) (*link, error) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		s, err := t.Dial(ctx, p.members[to].ID, p.members[to].Addresses, protocol)
		if err == nil {
			return p.greet(ctx, s, to) // it answers when it has reached the stage before it, which may not have been started
		}
		if errors.Is(err, peer.ErrWrongKey) {
			return nil, fmt.Errorf("stage %d: %w", to, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, fmt.Errorf("stage %d cannot be reached: %w", to, err)
		}
	}
}

// acceptAll accepts a stream of the stage after this one, and of the last one. Those of others are closed.
func (p *place) acceptAll(ctx context.Context, t peer.Transport, l *links) error {
	for p.number < p.last() && (l.next == nil || l.control == nil) {
		s, err := t.Accept()
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		from := p.numberOf(s.Peer())
		switch {
		case s.Protocol() == dataStream && from == p.number+1 && l.next == nil:
			l.next, err = p.welcome(ctx, s, from)
		case s.Protocol() == controlStream && from == p.last() && l.control == nil:
			l.control, err = p.welcome(ctx, s, from)
		default:
			s.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// welcome is greet for a stream that another stage has opened: that sends its greeting at once, so the time for it is limited. Otherwise
// a silent one would keep this stage from accepting the others.
func (p *place) welcome(ctx context.Context, s peer.Stream, from int) (*link, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, handshakeTimeout, errSilent)
	defer cancel()
	return p.greet(ctx, s, from)
}

var errSilent = fmt.Errorf("it has said nothing for %v", handshakeTimeout)

// greet makes sure that the other end is a stage of the same program. It waits for the answer until the context is done.
func (p *place) greet(ctx context.Context, s peer.Stream, from int) (*link, error) {
	l := newLink(from, s)
	own := append(p.m.fingerprint(), strconv.Itoa(p.number)...)
	want := append(p.m.fingerprint(), strconv.Itoa(from)...)
	l.send(hello, own)
	stop := context.AfterFunc(ctx, func() { s.Close() })
	m, ok := <-l.in
	switch {
	case !stop():
		l.close()
		return nil, fmt.Errorf("stage %d of %d: %w", from, len(p.members), context.Cause(ctx))
	case !ok:
		l.close()
		return nil, l.lost(len(p.members))
	case m.kind != hello || !bytes.Equal(m.body, want):
		l.close()
		return nil, fmt.Errorf("stage %d is of another training: want the same model, flags and number of stages on all", from)
	}
	return l, nil
}
