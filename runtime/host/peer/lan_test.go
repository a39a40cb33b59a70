package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// lan is a network in memory. Its streams are pipes, for which tests in virtual time can wait.
type lan struct {
	mu    sync.Mutex
	ends  map[wire.Address]*lanEnd
	dials []lanDial
	fault func(d lanDial) error            // decides about a dial; nil: none fails
	wrap  func(s Stream, d lanDial) Stream // of both ends of a stream; nil: none
}

// lanDial is an attempt to open a stream.
type lanDial struct {
	at   time.Time
	from wire.PeerID
	to   wire.Address
	p    Protocol
}

var errNobody = errors.New("nobody listens there")

func newLAN() *lan { return &lan{ends: map[wire.Address]*lanEnd{}} }

// lanAddress returns an address of the network.
func lanAddress(i int) wire.Address { return wire.Address(fmt.Sprintf("/ip4/10.0.0.%d/tcp/1", i)) }

// transport is the network of a [Program].
func (n *lan) transport(c TransportConfig) (Transport, error) {
	return n.join(trust.IDOf(c.Key), c.Listen...), nil
}

// join adds an end to the network, which listens at some addresses.
func (n *lan) join(id wire.PeerID, at ...wire.Address) *lanEnd {
	x := &lanEnd{n: n, id: id, at: at, streams: make(chan Stream), over: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range at {
		n.ends[a] = x
	}
	return x
}

// dialed returns when an end has dialed an address, relative to a time.
func (n *lan) dialed(to wire.Address, since time.Time) (list []time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, d := range n.dials {
		if d.to == to && !d.at.Before(since) {
			list = append(list, d.at.Sub(since))
		}
	}
	return list
}

// lanEnd is an end of the network.
type lanEnd struct {
	n       *lan
	id      wire.PeerID
	at      []wire.Address
	streams chan Stream
	over    chan struct{}

	mu   sync.Mutex
	open []Stream
}

// Dial implements [Transport].
func (x *lanEnd) Dial(ctx context.Context, to wire.PeerID, at []wire.Address, p Protocol) (Stream, error) {
	d := lanDial{time.Now(), x.id, at[0], p}
	x.n.mu.Lock()
	x.n.dials = append(x.n.dials, d)
	other, fault := x.n.ends[at[0]], x.n.fault
	x.n.mu.Unlock()
	if fault != nil {
		if err := fault(d); err != nil {
			return nil, err
		}
	}
	switch {
	case other == nil:
		return nil, errNobody
	case !to.IsZero() && to != other.id:
		return nil, ErrWrongKey
	}
	a, b := net.Pipe()
	near, far := Stream(&lanStream{a, other.id, p}), Stream(&lanStream{b, x.id, p})
	if x.n.wrap != nil {
		near, far = x.n.wrap(near, d), x.n.wrap(far, d)
	}
	select {
	case other.streams <- far:
		x.keep(near)
		other.keep(far)
		return near, nil
	case <-other.over:
		return nil, errNobody
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (x *lanEnd) keep(s Stream) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = append(x.open, s)
}

// Accept implements [Transport].
func (x *lanEnd) Accept() (Stream, error) {
	select {
	case s := <-x.streams:
		return s, nil
	case <-x.over:
		return nil, ErrClosed
	}
}

// Addresses implements [Transport].
func (x *lanEnd) Addresses() []wire.Address { return x.at }

// Close implements [Transport].
func (x *lanEnd) Close() error {
	x.n.mu.Lock()
	for a, e := range x.n.ends {
		if e == x {
			delete(x.n.ends, a)
		}
	}
	x.n.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.over:
	default:
		close(x.over)
	}
	for _, s := range x.open {
		s.Close()
	}
	return nil
}

// lanStream is one end of a stream.
type lanStream struct {
	net.Conn
	peer     wire.PeerID
	protocol Protocol
}

func (s *lanStream) Peer() wire.PeerID  { return s.peer }
func (s *lanStream) Protocol() Protocol { return s.protocol }

// transcript is a writer that tests read while others write.
type transcript struct {
	mu sync.Mutex
	b  strings.Builder
}

func (w *transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// lines returns the lines of -events of a kind.
func (w *transcript) lines(t *testing.T, kind string) (list []status.Line) {
	t.Helper()
	for text := range strings.Lines(w.String()) {
		var l status.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if l.Kind == kind {
			list = append(list, l)
		}
	}
	return list
}

// station is a peer of a [lan].
type station struct {
	h           *host
	events, log transcript
	stop        context.CancelFunc
	ended       chan struct{}
	err         error // when it has ended
}

// newKeyFile makes a key, and returns its file and the peer as others list it.
func newKeyFile(t *testing.T, class string, rank int, at ...wire.Address) (file string, m trust.Member) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key.pem")
	key, err := trust.NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, trust.Member{ID: trust.IDOf(key), Class: class, Rank: rank, Addresses: at}
}

// run starts a peer of a partition. It runs until the test ends, or stop is called.
func (n *lan) run(t *testing.T, part *runtime.Partition, members []trust.Member, args ...string) *station {
	t.Helper()
	p := Program{Name: "test", Class: part.Class, Fingerprint: part.Fingerprint, Transport: n.transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil }}
	x, err := n.runProgram(t, p, members, args...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// runProgram starts a peer, or returns the error of its start.
func (n *lan) runProgram(t *testing.T, p Program, members []trust.Member, args ...string) (*station, error) {
	t.Helper()
	return n.runOn(t, p, func(o *Options) { o.Peers = append(o.Peers, members...) }, args...)
}

// runOn is runProgram with a change of the options.
func (n *lan) runOn(t *testing.T, p Program, change func(*Options), args ...string) (*station, error) {
	t.Helper()
	o, err := parse(&p, append([]string{"-events", "-"}, args...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	change(o)
	x := &station{ended: make(chan struct{})}
	if x.h, err = newHost(&p, o, &x.events, &x.log); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(t.Context())
	x.stop = stop
	go func() {
		defer close(x.ended)
		defer x.h.giveUp()
		x.err = x.h.run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-x.ended
		if t.Failed() {
			t.Logf("the log of %s:\n%s", p.Class, &x.log)
		}
	})
	return x, nil
}

// end stops a peer, and returns the error with which it ends.
func (x *station) end() error {
	x.stop()
	<-x.ended
	return x.err
}

// see reads the state of a host that runs.
func (x *station) see(read func(h *host)) { x.h.Ask(func() { read(x.h) }) }

// logged returns the lines of the log with a text.
func (x *station) logged(text string) (list []string) {
	for line := range strings.Lines(x.log.String()) {
		if strings.Contains(line, text) {
			list = append(list, line)
		}
	}
	return list
}

// pass lets virtual time pass, and waits until nothing is under way.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// stranger is an end of a [lan] whose messages a test writes.
type stranger struct {
	t *testing.T
	*lanEnd
	hello wire.Hello
}

// newStranger adds an end whose Hello a host of a partition accepts from a peer of a class.
func (n *lan) newStranger(t *testing.T, id wire.PeerID, class string, part *runtime.Partition, at ...wire.Address) *stranger {
	x := n.join(id, at...)
	t.Cleanup(func() {
		x.Close()
		time.Sleep(time.Minute) // for what it still does
	})
	return &stranger{t, x, wire.Hello{Protocol: wire.Protocol, Fingerprint: part.Fingerprint, Classes: []string{class}, Incarnation: 1, KernelLevel: cpu.CurrentLevel().String()}}
}

// serve handles the streams that are opened to it.
func (x *stranger) serve(do func(c *conversationWith)) {
	go func() {
		for {
			s, err := x.Accept()
			if err != nil {
				return
			}
			go do(&conversationWith{s, conversation.NewFrames(s, time.Hour)})
		}
	}()
}

// dial opens a stream and says Hello.
func (x *stranger) dial(to wire.Address, p Protocol) *conversationWith {
	x.t.Helper()
	s, err := x.Dial(x.t.Context(), wire.PeerID{}, []wire.Address{to}, p)
	if err != nil {
		x.t.Fatal(err)
	}
	c := &conversationWith{s, conversation.NewFrames(s, time.Hour)}
	go c.say(connection.AppendHello(x.hello))
	return c
}

// conversationWith is a stream to a host.
type conversationWith struct {
	Stream
	frames *conversation.Frames
}

// say writes a message, and reports whether the other end has read it.
func (c *conversationWith) say(m []byte) bool {
	_, err := c.Write(conversation.AppendFrame(nil, m))
	return err == nil
}

// hear reads a message.
func (c *conversationWith) hear() ([]byte, error) { return c.frames.Next(nil, 1<<20) }

// hearHello reads the Hello of the other end.
func (c *conversationWith) hearHello(t *testing.T) wire.Hello {
	t.Helper()
	b, err := c.hear()
	if err != nil {
		t.Fatalf("no hello: %v", err)
	}
	limits := wire.Default()
	hello, err := wire.ConsumeHello(b, &limits)
	if err != nil {
		t.Fatal(err)
	}
	return hello
}

// ended reads until the stream ends, and returns how long that takes.
func (c *conversationWith) ended() time.Duration {
	began := time.Now()
	io.Copy(io.Discard, c)
	return time.Since(began)
}

// within reports whether each of some durations is in its range of a least value and a quarter more.
func within(got, least []time.Duration) bool {
	return slices.EqualFunc(got, least, func(d, l time.Duration) bool { return d >= l && d <= l+l/4 })
}
