package nats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"

	natsgo "github.com/nats-io/nats.go"

	"github.com/bbgen/bbgen/runtime/wire"
)

// listener accepts calls under a name.
type listener struct {
	b     *broker
	at    place
	self  wire.PeerID
	sub   *natsgo.Subscription
	calls *calls
	done  chan struct{}
	once  sync.Once
}

// kindProbe asks whether a listener exists.
const kindProbe = 'p'

// listen accepts calls under a name, which must be free.
func (b *broker) listen(at place, self wire.PeerID) (*listener, error) {
	if err := b.free(at.name); err != nil {
		return nil, err
	}
	l := &listener{b: b, at: at, self: self, calls: newCalls(), done: make(chan struct{})}
	var err error
	l.sub, err = b.subscribe(subject(at.name), l.called)
	return l, err
}

// free returns an error if a listener with the name answers. The broker still knows a vanished process for a
// while.
func (b *broker) free(name string) error {
	_, err := b.nc.Request(subject(name), []byte{kindProbe}, probeTimeout)
	switch {
	case err == nil:
		return fmt.Errorf("another process listens as %s", name)
	case errors.Is(err, natsgo.ErrNoResponders), errors.Is(err, natsgo.ErrTimeout):
		return nil
	}
	return err
}

// called takes a call.
func (l *listener) called(m *natsgo.Msg) {
	switch {
	case m.Reply == "" || len(m.Data) == 0:
	case m.Data[0] == kindProbe:
		m.Respond([]byte{kindProbe})
	case m.Data[0] == kindOpen && len(m.Data) == 5:
		l.accept(m.Reply, binary.BigEndian.Uint32(m.Data[1:]))
	}
}

// accept queues a call. It is answered when it is accepted: a caller whose turn has not come has nothing to do yet.
func (l *listener) accept(from string, limit uint32) {
	c := l.b.open()
	c.to, c.limit = from, uint64(limit)
	if refused := l.calls.push(c); refused != nil {
		refused.Close()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		select {
		case <-l.calls.some:
			if c := l.calls.pop(); c != nil {
				l.b.nc.PublishRequest(c.to, c.address(), opening(kindAccept, c.window))
				return c, nil
			}
		case <-l.done:
			return nil, net.ErrClosed
		}
	}
}

func (l *listener) Close() error {
	var err error
	l.once.Do(func() {
		close(l.done)
		err = l.sub.Unsubscribe()
		if errors.Is(err, natsgo.ErrConnectionReconnecting) || errors.Is(err, natsgo.ErrConnectionClosed) {
			err = nil // the broker does not know it any more
		}
	})
	return err
}

func (l *listener) Addr() net.Addr            { return endpoint(subject(l.at.name)) }
func (l *listener) Addresses() []wire.Address { return []wire.Address{l.at.address(l.self)} }
