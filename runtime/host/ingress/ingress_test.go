package ingress_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/ingress"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// host is a host of a peer's own: the peers know each other's places, and prove nothing to each other.
type host struct {
	t      *testing.T
	id     wire.PeerID
	hello  wire.Hello
	handle *ingress.Handle
	places map[wire.PeerID]string
	listen net.Listener
	work   sync.WaitGroup // of all goroutines

	mu    sync.Mutex
	conns map[wire.PeerID]*conn
	over  bool
}

// conn is a connection with a queue of messages.
type conn struct {
	net.Conn
	r     *bufio.Reader
	queue chan []byte
}

func id(i byte) wire.PeerID {
	key := [32]byte{i + 1}
	p, err := wire.PeerIDOf(key[:])
	if err != nil {
		panic(err)
	}
	return p
}

// newHost makes a host that listens.
func newHost(t *testing.T, i byte, part *runtime.Partition, peers ...runtime.PeerConfig) *host {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limits := limits.Default()
	limits.Ingress = 4 // so that readers have to wait
	n, err := runtime.New(runtime.Config{Self: id(i), Incarnation: 1, Peers: peers, Limits: limits}, part)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, id: id(i), hello: n.Hello(), listen: l, conns: map[wire.PeerID]*conn{}}
	h.handle = ingress.New(n, h.do)
	return h
}

// run runs the host until the test ends.
func (h *host) run(ctx context.Context) {
	h.work.Go(func() { h.handle.Run(ctx) })
	h.work.Go(func() {
		for {
			c, err := h.listen.Accept()
			if err != nil {
				return
			}
			h.work.Go(func() { h.serve(&conn{c, bufio.NewReader(c), make(chan []byte, 256)}) })
		}
	})
}

// end stops everything, after the context of Run has ended.
func (h *host) end() {
	h.listen.Close()
	h.mu.Lock()
	h.over = true
	for _, c := range h.conns {
		c.Close()
	}
	h.mu.Unlock()
	h.work.Wait()
}

// do carries out what the node asks for.
func (h *host) do(o runtime.Output) {
	h.mu.Lock()
	c := h.conns[o.Peer]
	h.mu.Unlock()
	switch o.Kind {
	case runtime.Send:
		if c == nil {
			return
		}
		select {
		case c.queue <- wire.AppendEnvelope(nil, o.Envelope):
		default: // it is sent again on the next connection
			c.Close()
		}
	case runtime.Hangup:
		h.t.Errorf("peer %v violates the protocol", o.Peer)
	case runtime.Dial:
		to := o.Peer
		h.work.Go(func() {
			c, err := net.Dial("tcp", h.places[to])
			if err != nil {
				h.handle.DialFailed(to, err)
				return
			}
			h.serve(&conn{c, bufio.NewReader(c), make(chan []byte, 256)})
		})
	case runtime.Tell:
		if e := o.Event; e.Kind == runtime.Failed || e.Kind == runtime.Refused || e.Kind == runtime.Overflow {
			h.t.Errorf("%v %s: %v", e.Kind, e.Name, e.Err)
		}
	}
}

// serve exchanges first messages on a connection, and reads it to its end.
func (h *host) serve(c *conn) {
	defer c.Close()
	name, _ := h.id.AppendBinary(nil)
	c.write(name)
	c.write(wire.AppendHello(nil, &h.hello))
	var other wire.PeerID
	limits := wire.Default()
	b, err := c.read()
	if err == nil {
		err = other.UnmarshalBinary(b)
	}
	if err == nil {
		b, err = c.read()
	}
	if err != nil {
		return
	}
	hello, err := wire.ConsumeHello(b, &limits)
	if err != nil {
		h.t.Error(err)
		return
	}
	if !h.enter(other, c, &hello) {
		return
	}
	stop := make(chan struct{})
	h.work.Go(func() {
		for {
			select {
			case b := <-c.queue:
				c.write(b)
			case <-stop:
				return
			}
		}
	})
	for err == nil {
		if b, err = c.read(); err == nil {
			err = h.handle.Deliver(other, b)
		}
	}
	close(stop)
	h.leave(other, c, err)
}

// enter makes a connection the one to a peer, in place of an earlier one. The node learns of it before its messages.
func (h *host) enter(other wire.PeerID, c *conn, hello *wire.Hello) bool {
	h.mu.Lock()
	old := h.conns[other]
	if h.over || old != nil {
		h.mu.Unlock()
		return false
	}
	h.conns[other] = c
	h.mu.Unlock()
	if err := h.handle.Connected(other, hello); err != nil {
		if !errors.Is(err, ingress.ErrEnded) {
			h.t.Error(err)
		}
		return false
	}
	return true
}

func (h *host) leave(other wire.PeerID, c *conn, why error) {
	h.handle.Disconnected(other, why)
	h.mu.Lock()
	if h.conns[other] == c {
		delete(h.conns, other)
	}
	h.mu.Unlock()
}

func (c *conn) write(b []byte) { c.Write(append(wire.AppendLength(nil, len(b)), b...)) } // what fails is seen by the reader

func (c *conn) read() ([]byte, error) {
	size, err := binary.ReadUvarint(c.r)
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = io.ReadFull(c.r, b)
	return b, err
}

// breakOne closes a connection.
func (h *host) breakOne(r *rand.Rand) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		if r.IntN(len(h.conns)) == 0 {
			c.Close()
			return
		}
	}
}

// TestGoroutines has many goroutines ask peers at once while connections break. Each gets the answer to its own question.
func TestGoroutines(t *testing.T) {
	const callers, each = 16, 40
	asker := func(i int) runtime.PeerConfig { return runtime.PeerConfig{ID: id(byte(i)), Class: "asker", Rank: i} }
	oracle := runtime.PeerConfig{ID: id(9), Class: "oracle"}
	hosts := []*host{newHost(t, 0, handmade.Asker(), oracle), newHost(t, 1, handmade.Asker(), oracle), newHost(t, 9, handmade.Oracle(), asker(0), asker(1))}
	places := map[wire.PeerID]string{}
	for _, h := range hosts {
		places[h.id], h.places = h.listen.Addr().String(), places
	}
	ctx, stop := context.WithCancel(t.Context())
	for _, h := range hosts {
		h.run(ctx)
	}
	breaking := make(chan int)
	go func() {
		r, breaks := rand.New(rand.NewPCG(1, 2)), 0
		for {
			select {
			case <-time.After(time.Duration(r.IntN(3000)) * time.Microsecond):
				hosts[r.IntN(len(hosts))].breakOne(r)
				breaks++
			case breaking <- breaks:
				return
			}
		}
	}()
	var asking sync.WaitGroup
	for k := range callers {
		asking.Go(func() {
			for i := range each {
				x := []float64{float64(k), float64(i)}
				out, err := hosts[k%2].handle.Invoke(t.Context(), "asker", tensor.Of(x, 2))
				if err != nil {
					t.Errorf("caller %d: %v", k, err)
					return
				}
				if y := tensor.Data[float64](out["y"].(*tensor.Tensor)); y[0] != x[0]+1 || y[1] != x[1]+1 {
					t.Errorf("the answer to %v is %v", x, y)
				}
			}
		})
	}
	asking.Wait()
	if n := <-breaking; n < 10 {
		t.Errorf("%d connections were broken: the test shows little", n)
	}
	stop()
	for _, h := range hosts {
		h.end()
	}
	if _, err := hosts[0].handle.Invoke(t.Context(), "asker", tensor.Of([]float64{0, 0}, 2)); !errors.Is(err, ingress.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// An execution that nobody answers is given up with its context, and the error says what it waits for.
func TestInvokeCancelled(t *testing.T) {
	h := newHost(t, 0, handmade.Asker(), runtime.PeerConfig{ID: id(9), Class: "oracle"})
	h.places = map[wire.PeerID]string{id(9): "127.0.0.1:1"}
	ctx, stop := context.WithCancel(t.Context())
	h.run(ctx)
	asked, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	_, err := h.handle.Invoke(asked, "asker", tensor.Of([]float64{0, 0}, 2))
	if !errors.Is(err, why) || fmt.Sprint(err) != "invoke asker: enough; execution 1 waits for asker" {
		t.Errorf("got %v", err)
	}
	if _, err := h.handle.Invoke(t.Context(), "nothing"); err == nil {
		t.Error("there is a module nothing")
	}
	stop()
	h.end()
}

// once is an execution of one block.
type once struct{ runtime.Frame }

func (*once) Run(*runtime.Engine, int) error { return nil }

// TestInvokeRestored: a node that goes on from a snapshot runs its program from the beginning.
func TestInvokeRestored(t *testing.T) {
	part := &runtime.Partition{Class: "a", Modules: []runtime.Module{{Name: "m", New: func() runtime.Body { return &once{} }, Blocks: []runtime.Block{{Name: "b"}}}}}
	c := runtime.Config{Self: id(1), Incarnation: 1}
	n, err := runtime.New(c, part)
	if err != nil {
		t.Fatal(err)
	}
	for _, ok := n.Poll(0); ok; _, ok = n.Poll(0) {
	}
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = runtime.Restore(c, part, b); err != nil {
		t.Fatal(err)
	}
	h := ingress.New(n, func(runtime.Output) {})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	late, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if _, err := h.Invoke(late, "m"); err != nil {
		t.Error(err)
	}
	cancel()
	<-ended
}
