package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Device is a session on a server. Its methods that are those of a [Stream] use its first stream. It is safe
// for concurrent use.
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
	settings  atomic.Pointer[Settings] // nil: none were set
	closing   atomic.Bool
	sent      atomic.Uint64 // bytes of elements and models
	received  atomic.Uint64

	mu    sync.Mutex
	tags  uint64
	calls map[uint64]chan reply // by the message that they answer
	err   error                 // why the session has ended
}

// reply is an answer with the tensors after it.
type reply struct {
	m       *protocol.Message
	tensors []*tensor.Tensor
	err     error
}

// Unacknowledged data are limited: callers wait when there are more.
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
		if _, is := errors.AsType[*net.OpError](err); is {
			err = fmt.Errorf("%w: does \"bbgen remote serve\" run there?", err)
		}
		return nil, err
	}
	d.loop.Go(func() { d.run(conn, acked) })
	return d, nil
}

// Traffic returns how many bytes of tensors and models were sent to and received from the server.
func (d *Device) Traffic() (sent, received uint64) { return d.sent.Load(), d.received.Load() }

// post sends a message without an answer.
func (d *Device) post(m *protocol.Message, parts ...[]byte) error {
	d.sent.Add(m.Bytes)
	_, err := d.link.Post(m, nil, parts...)
	return err
}

// closeTimeout is how long Close waits until the server knows of the end, which it detects later in any case.
const closeTimeout = 2 * time.Second

// Close ends the session. The server releases its tensors and stops its tasks.
func (d *Device) Close() error {
	d.closing.Store(true)
	ctx, cancel := context.WithTimeout(d.ctx, closeTimeout)
	defer cancel()
	d.ask(ctx, &protocol.Message{Kind: protocol.Close})
	d.fail(ErrClosed)
	d.loop.Wait()
	return d.transport.Close()
}

// fail ends the session on this side: waiting callers get the error.
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

// deliver passes an answer to the caller that waits for it.
func (d *Device) deliver(r reply) {
	d.mu.Lock()
	c := d.calls[r.m.To]
	delete(d.calls, r.m.To)
	d.mu.Unlock()
	if c != nil {
		c <- r
	}
}

// lost returns the error of a session that has ended for a reason.
func lost(why error) error {
	if errors.Is(why, ErrLost) || errors.Is(why, ErrClosed) {
		return why
	}
	return fmt.Errorf("%w: %w", ErrLost, why)
}
