package hosttest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/wire"
)

// faults make transports with a fault each.
var faults = map[string]hosttest.New{
	"none": tcp.New,

	// Of configuration.
	"listens without an address":            listensAnyway,
	"does not report that it cannot listen": listensMaybe,
	"gives handshakes an hour":              patientHandshakes,

	// Of transports.
	"does not say whose addresses are":          planted(anonymous),
	"takes whoever answers for the wanted peer": planted(answersAsWanted),
	"dials no peer that it does not know":       planted(dialsKnown),
	"does not say that there is no address":     planted(dialsNowhere),
	"dials the first address only":              planted(dialsFirst),
	"dials without its context":                 planted(dialsOn),
	"opens no parallel streams":                 planted(dialsNoParallel),
	"takes whoever dials for another peer":      planted(acceptsAsItself),
	"takes strangers for members":               planted(acceptsStrangers),
	"accepts a stream twice":                    planted(acceptsTwice),
	"drops the first stream":                    planted(acceptsLate),
	"has one stream for each peer":              planted(acceptsOne),
	"does not say that it is closed":            planted(closesSilently),
	"leaves streams open at Close":              planted(closesHalf),

	// Of both ends of streams.
	"reads are short": bothEnds(func(s peer.Stream) peer.Stream { return shortReads{s} }),
	"takes a stream for one of another protocol": bothEnds(func(s peer.Stream) peer.Stream { return otherProtocol{s} }),
	"does not end a stream at Close":             bothEnds(func(s peer.Stream) peer.Stream { return endless{s} }),
	"ends only writes at Close":                  bothEnds(func(s peer.Stream) peer.Stream { return halfClosed{s} }),
	"does not tell the writer":                   bothEnds(func(s peer.Stream) peer.Stream { return untold{s} }),
	"loses the end of bulk streams":              bothEnds(newLate),
	"reorders writes":                            bothEnds(func(s peer.Stream) peer.Stream { return &swapped{Stream: s} }),
	"repeats a write":                            bothEnds(func(s peer.Stream) peer.Stream { return &third{Stream: s, write: twice} }),
	"drops a write":                              bothEnds(func(s peer.Stream) peer.Stream { return &third{Stream: s, write: never} }),
	"alters a byte":                              bothEnds(func(s peer.Stream) peer.Stream { return &third{Stream: s, write: altered} }),
	"does not write while it reads":              bothEnds(func(s peer.Stream) peer.Stream { return &oneWay{Stream: s} }),
	"has no deadline for reads":                  bothEnds(func(s peer.Stream) peer.Stream { return readsOn{s} }),
	"has no deadline for writes":                 bothEnds(func(s peer.Stream) peer.Stream { return writesOn{s} }),
	"accepts writes without end":                 bothEnds(func(s peer.Stream) peer.Stream { return &unbounded{Stream: s} }),
	"needs a MiB for each stream":                bothEnds(heavy),

	// Of the end that accepts.
	"lets the other end take its time": farEnd(func(s peer.Stream) peer.Stream { return readsOn{s} }),
	"does not hang up":                 farEnd(func(s peer.Stream) peer.Stream { return endless{s} }),
}

func listensAnyway(c peer.TransportConfig) (peer.Transport, error) {
	c.Listen = append(c.Listen, listen)
	return tcp.New(c)
}

func listensMaybe(c peer.TransportConfig) (peer.Transport, error) {
	if tr, err := tcp.New(c); err == nil {
		return tr, nil
	}
	c.Listen = nil
	return tcp.New(c)
}

func patientHandshakes(c peer.TransportConfig) (peer.Transport, error) {
	c.Handshakes, c.HandshakeTimeout = 1000, time.Hour
	return tcp.New(c)
}

// transport is one of package tcp with a fault: the functions take the place of its methods.
type transport struct {
	peer.Transport
	config    peer.TransportConfig
	dial      func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error)
	accept    func() (peer.Stream, error)
	addresses func() []wire.Address
	close     func() error
}

// planted returns what makes transports with a fault, which plant changes.
func planted(plant func(*transport)) hosttest.New {
	return func(c peer.TransportConfig) (peer.Transport, error) {
		tr, err := tcp.New(c)
		if err != nil {
			return nil, err
		}
		t := &transport{Transport: tr, config: c, dial: tr.Dial, accept: tr.Accept, addresses: tr.Addresses, close: tr.Close}
		plant(t)
		return t, nil
	}
}

func (t *transport) Accept() (peer.Stream, error) { return t.accept() }
func (t *transport) Addresses() []wire.Address    { return t.addresses() }
func (t *transport) Close() error                 { return t.close() }
func (t *transport) Parallel() bool               { return t.Transport.(interface{ Parallel() bool }).Parallel() }

func (t *transport) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
	return t.dial(ctx, to, at, p)
}

// bothEnds returns what makes transports whose streams have a fault.
func bothEnds(fault func(peer.Stream) peer.Stream) hosttest.New {
	return planted(func(t *transport) {
		acceptsFaulty(t, fault)
		dial := t.dial
		t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
			s, err := dial(ctx, to, at, p)
			if err != nil {
				return nil, err
			}
			return fault(s), nil
		}
	})
}

// farEnd returns what makes transports whose accepted streams have a fault.
func farEnd(fault func(peer.Stream) peer.Stream) hosttest.New {
	return planted(func(t *transport) { acceptsFaulty(t, fault) })
}

func acceptsFaulty(t *transport, fault func(peer.Stream) peer.Stream) {
	accept := t.accept
	t.accept = func() (peer.Stream, error) {
		s, err := accept()
		if err != nil {
			return nil, err
		}
		return fault(s), nil
	}
}

func anonymous(t *transport) {
	t.addresses = func() (list []wire.Address) {
		for _, a := range t.Transport.Addresses() {
			before, _, _ := strings.Cut(string(a), "/p2p/")
			list = append(list, wire.Address(before))
		}
		return list
	}
}

func answersAsWanted(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		s, err := t.Transport.Dial(ctx, wire.PeerID{}, at, p)
		if err != nil || to.IsZero() {
			return s, err
		}
		return otherPeer{s, to}, nil
	}
}

func dialsKnown(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		if to.IsZero() {
			return nil, peer.ErrWrongKey
		}
		return t.Transport.Dial(ctx, to, at, p)
	}
}

func dialsNowhere(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		if len(at) == 0 {
			return nil, io.EOF
		}
		return t.Transport.Dial(ctx, to, at, p)
	}
}

func dialsFirst(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		return t.Transport.Dial(ctx, to, at[:min(1, len(at))], p)
	}
}

func dialsOn(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		return t.Transport.Dial(context.WithoutCancel(ctx), to, at, p)
	}
}

func dialsNoParallel(t *transport) {
	t.dial = func(ctx context.Context, to wire.PeerID, at []wire.Address, p peer.Protocol) (peer.Stream, error) {
		if p == peer.ParallelStream {
			return nil, errors.New("there are no parallel streams")
		}
		return t.Transport.Dial(ctx, to, at, p)
	}
}

func acceptsAsItself(t *transport) {
	self := peer.IDOf(t.config.Key)
	acceptsFaulty(t, func(s peer.Stream) peer.Stream { return otherPeer{s, self} })
}

// acceptsStrangers takes a stranger for the last member that has come.
func acceptsStrangers(t *transport) {
	var member wire.PeerID
	acceptsFaulty(t, func(s peer.Stream) peer.Stream {
		switch {
		case t.config.Admitted == nil:
			return s
		case t.config.Admitted(s.Peer()):
			member = s.Peer()
		}
		return otherPeer{s, member}
	})
}

func acceptsTwice(t *transport) {
	var last peer.Stream
	t.accept = func() (s peer.Stream, err error) {
		if s, last = last, nil; s != nil {
			return s, nil
		}
		last, err = t.Transport.Accept()
		return last, err
	}
}

func acceptsLate(t *transport) {
	var first sync.Once
	t.accept = func() (peer.Stream, error) {
		first.Do(func() { t.Transport.Accept() })
		return t.Transport.Accept()
	}
}

// acceptsOne closes the stream of a peer before the next one.
func acceptsOne(t *transport) {
	before := map[wire.PeerID]peer.Stream{}
	acceptsFaulty(t, func(s peer.Stream) peer.Stream {
		if b := before[s.Peer()]; b != nil {
			b.Close()
		}
		before[s.Peer()] = s
		return s
	})
}

func closesSilently(t *transport) {
	t.accept = func() (peer.Stream, error) {
		s, err := t.Transport.Accept()
		if err != nil {
			return nil, io.EOF
		}
		return s, nil
	}
}

// closesHalf ends Accept at Close, and no stream.
func closesHalf(t *transport) {
	streams, closed := make(chan peer.Stream), make(chan struct{})
	go func() {
		for {
			s, err := t.Transport.Accept()
			if err != nil {
				return
			}
			streams <- s
		}
	}()
	t.accept = func() (peer.Stream, error) {
		select {
		case s := <-streams:
			return s, nil
		case <-closed:
			return nil, peer.ErrClosed
		}
	}
	t.close = sync.OnceValue(func() error { close(closed); return nil })
}
