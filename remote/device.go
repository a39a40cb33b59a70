package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Device is a session on a server. Its methods of a [Stream] are those of its first one.
// Several goroutines may use it.
type Device struct {
	*Stream
	config    Config
	target    *target
	transport peer.Transport
	limits    protocol.Limits
	link      *protocol.Link
	ctx       context.Context // ends with the session
	cancel    context.CancelFunc
	loop      sync.WaitGroup
	session   []byte
	ids       atomic.Uint64 // of tensors
	streams   atomic.Uint32
	closing   atomic.Bool
	sent      atomic.Uint64 // bytes of elements and models
	received  atomic.Uint64

	mu    sync.Mutex
	tags  uint64
	calls map[uint64]chan reply // by what their answer says
	err   error                 // why there will be no more answers
}

// reply is an answer with the tensors that followed it.
type reply struct {
	m       *protocol.Message
	tensors []*tensor.Tensor
	err     error
}

// What is sent and not yet known to have come is bounded: callers wait when there is more.
const (
	maxPending      = 1024
	maxPendingBytes = 64 << 20
)

// Dial opens a session on a server.
func Dial(ctx context.Context, c Config) (*Device, error) {
	target, err := c.complete()
	if err != nil {
		return nil, err
	}
	t, err := tcp.New(peer.TransportConfig{Key: c.Key, Log: c.Log, Protocols: []peer.Protocol{protocol.Stream}})
	if err != nil {
		return nil, err
	}
	d := &Device{
		config: c, target: target, transport: t, limits: protocol.DefaultLimits(),
		link: protocol.NewLink(maxPending, maxPendingBytes), calls: map[uint64]chan reply{},
	}
	d.Stream = &Stream{device: d}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	conn, acked, err := d.open(ctx)
	if err != nil {
		t.Close()
		return nil, err
	}
	d.loop.Go(func() { d.run(conn, acked) })
	return d, nil
}

// Server is the server's id.
func (d *Device) Server() wire.PeerID { return d.target.id }

// Traffic is how many bytes of tensors and models have gone to the server, and come from it.
func (d *Device) Traffic() (sent, received uint64) { return d.sent.Load(), d.received.Load() }

// post sends a message that nobody waits for.
func (d *Device) post(m *protocol.Message, parts ...[]byte) error {
	d.sent.Add(m.Bytes)
	_, err := d.link.Post(m, nil, parts...)
	return err
}

// closeTimeout is how long the server is waited for that is told of the end: it finds out
// anyway.
const closeTimeout = 2 * time.Second

// Close ends the session. Tensors on the server are released, and what runs there for it is
// stopped.
func (d *Device) Close() error {
	d.closing.Store(true)
	ctx, cancel := context.WithTimeout(d.ctx, closeTimeout)
	defer cancel()
	d.ask(ctx, &protocol.Message{Kind: protocol.Close})
	d.fail(ErrClosed)
	d.loop.Wait()
	return d.transport.Close()
}

// fail ends the session here: whoever waits gets the error.
func (d *Device) fail(err error) {
	d.mu.Lock()
	if d.closing.Load() {
		err = ErrClosed
	}
	if d.err == nil {
		d.err = err
	}
	err = d.err
	calls := d.calls
	d.calls = nil
	d.mu.Unlock()
	d.cancel()
	d.link.Close(err)
	for _, c := range calls {
		c <- reply{err: err}
	}
}

// ask sends a message and waits for its answer.
func (d *Device) ask(ctx context.Context, m *protocol.Message, parts ...[]byte) (reply, error) {
	c := make(chan reply, 1)
	d.mu.Lock()
	if d.err != nil {
		d.mu.Unlock()
		return reply{}, d.err
	}
	d.tags++
	m.To = d.tags
	d.calls[m.To] = c
	d.mu.Unlock()
	if err := d.post(m, parts...); err != nil {
		return reply{}, err
	}
	select {
	case r := <-c:
		if r.err == nil {
			r.err = errorOf(r.m.Failure)
		}
		return r, r.err
	case <-ctx.Done():
		d.mu.Lock()
		delete(d.calls, m.To)
		d.mu.Unlock()
		return reply{}, ctx.Err()
	}
}

// deliver gives an answer to whoever waits for it.
func (d *Device) deliver(r reply) {
	d.mu.Lock()
	c := d.calls[r.m.To]
	delete(d.calls, r.m.To)
	d.mu.Unlock()
	if c != nil {
		c <- r
	}
}

// lost is the error of a session that is over for a reason.
func lost(why error) error {
	if errors.Is(why, ErrLost) || errors.Is(why, ErrClosed) {
		return why
	}
	return fmt.Errorf("%w: %w", ErrLost, why)
}
