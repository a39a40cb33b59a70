package nats

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/bbgen/bbgen/runtime/host/nats/internal/hub"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newBroker returns a connection to a broker of its own, and the broker's address.
func newBroker(t *testing.T) (*broker, string) {
	t.Helper()
	h, err := hub.Start(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	at := fmt.Sprintf("127.0.0.1:%d", h.Port())
	b, err := connect(at, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b, at
}

// beside returns another connection to a broker.
func beside(t *testing.T, at string) *broker {
	t.Helper()
	b, err := connect(at, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// pair returns both ends of a connection.
func pair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	b, at := newBroker(t)
	other := beside(t, at)
	l, err := b.listen(place{broker: at, name: "far"}, wire.PeerID{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	near, err = other.dial(t.Context(), "far")
	if err != nil {
		t.Fatal(err)
	}
	far = <-accepted
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// TestDeadlines: a deadline that has passed ends reads and writes, also those that wait, and a later one allows them again.
// After Close there are no deadlines.
func TestDeadlines(t *testing.T) {
	near, far := pair(t)
	waiting := make(chan error)
	go func() {
		_, err := near.Read(make([]byte, 1))
		waiting <- err
	}()
	near.SetDeadline(time.Now().Add(10 * time.Millisecond))
	if err := <-waiting; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read that waits: %v", err)
	}
	near.SetDeadline(time.Unix(1, 0))
	if _, err := near.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write after the deadline: %v", err)
	}
	near.SetDeadline(time.Time{})
	go near.Write([]byte("hello"))
	got := make([]byte, 5)
	if _, err := io.ReadFull(far, got); err != nil || string(got) != "hello" {
		t.Errorf("without a deadline: %q, %v", got, err)
	}
	near.Close()
	if err := near.SetDeadline(time.Now()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a deadline after Close: %v", err)
	}
	if _, err := near.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after Close: %v", err)
	}
	if err := near.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestAddrs: each end has the address of its process at the broker, which differs between processes.
func TestAddrs(t *testing.T) {
	near, far := pair(t)
	if near.LocalAddr().Network() != "nats" || near.LocalAddr().String() != far.RemoteAddr().String() || near.RemoteAddr().String() != far.LocalAddr().String() {
		t.Errorf("one end is at %v and %v, the other at %v and %v", near.LocalAddr(), near.RemoteAddr(), far.LocalAddr(), far.RemoteAddr())
	}
	if near.LocalAddr().String() == far.LocalAddr().String() {
		t.Errorf("both processes are at %v", near.LocalAddr())
	}
}

// TestBackpressure: a writer whose data nobody reads waits when the window is full, and goes on when some are read. What was
// written before the end can be read after it.
func TestBackpressure(t *testing.T) {
	near, far := pair(t)
	limit := int(near.(*conn).limit)
	near.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	n, err := near.Write(make([]byte, 3*limit))
	if n != limit || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d bytes are written, %v, want the window of %d", n, err, limit)
	}
	near.SetWriteDeadline(time.Time{})
	wrote := make(chan error, 1)
	go func() {
		_, err := near.Write(make([]byte, limit))
		near.Close()
		wrote <- err
	}()
	all, err := io.ReadAll(far)
	if err != nil || len(all) != 2*limit {
		t.Errorf("%d bytes are read, %v, want %d", len(all), err, 2*limit)
	}
	if err := <-wrote; err != nil {
		t.Errorf("the second write: %v", err)
	}
	if _, err := far.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write to an end that is closed: %v", err)
	}
}

// TestHear gives an end messages that it must not get at that time: they end the stream, and nothing that follows counts.
func TestHear(t *testing.T) {
	b, _ := newBroker(t)
	number := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	for _, c := range []struct {
		name  string
		known bool // the other end has answered
		kind  byte
		body  []byte
		want  string // "": the stream goes on
	}{
		{"an answer", false, kindAccept, make([]byte, 4), ""},
		{"a second answer", true, kindAccept, make([]byte, 4), "kind 'a' with 4 bytes is not for now"},
		{"a short answer", false, kindAccept, make([]byte, 3), "kind 'a' with 3 bytes is not for now"},
		{"data", true, kindData, make([]byte, 10), ""},
		{"more data than the window", true, kindData, make([]byte, largestWindow+1), "kind 'd' with 524289 bytes is not for now"},
		{"more room", true, kindMore, number(1 << 40), ""},
		{"half a number", true, kindMore, make([]byte, 4), "kind 'm' with 4 bytes is not for now"},
		{"a refusal", false, kindEnd, nil, errRefused.Error()},
		{"the end", true, kindEnd, nil, "EOF"},
		{"a call", true, kindOpen, make([]byte, 4), "kind 'o' with 4 bytes is not for now"},
		{"an unknown kind", true, 'z', nil, "kind 'z' with 0 bytes is not for now"},
	} {
		x := b.open()
		if c.known {
			x.to = "bbgen.of.other.1"
		}
		x.take(&natsgo.Msg{Data: append([]byte{c.kind}, c.body...), Reply: "bbgen.of.other.1"})
		got := "<nil>"
		if x.ended != nil {
			got = x.ended.Error()
		}
		if c.want == "" && x.ended != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: the stream ends with %v, want %q", c.name, got, c.want)
		}
		if was := x.ended; was != nil {
			x.take(&natsgo.Msg{Data: []byte{kindEnd}})
			x.take(&natsgo.Msg{Data: append([]byte{kindData}, "late"...)})
			if x.ended != was || x.in.Len() > 10 {
				t.Errorf("%s: later messages count: %v, %d bytes", c.name, x.ended, x.in.Len())
			}
		}
		x.Close()
	}
	if len(b.conns) > 0 {
		t.Errorf("%d connections that are closed are kept", len(b.conns))
	}
}

// TestRoomNeverShrinks: a late message about room does not take back what was promised.
func TestRoomNeverShrinks(t *testing.T) {
	b, _ := newBroker(t)
	x := b.open()
	for _, n := range []uint64{100, 50, 70} {
		x.hear(kindMore, binary.BigEndian.AppendUint64(nil, n), "")
	}
	if x.limit != 100 {
		t.Errorf("%d bytes may be sent, want 100", x.limit)
	}
}

// TestRoomOfAnySize: whatever room the other end says that it has, no more is sent than there is to send.
func TestRoomOfAnySize(t *testing.T) {
	b, _ := newBroker(t)
	for _, limit := range []uint64{1, 100, 1 << 31, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		x := b.open()
		x.hear(kindMore, binary.BigEndian.AppendUint64(nil, limit), "")
		want := int(min(limit, 70))
		if k, err := x.room(70); k != want || err != nil || x.sent != uint64(want) {
			t.Errorf("of room for %d bytes %d are used, %v, and %d counted, want %d", limit, k, err, x.sent, want)
		}
		x.Close()
	}
}

// TestDialFails: a call to nobody fails at once, one that nobody accepts when its caller gives up, and one that is refused
// with that reason.
func TestDialFails(t *testing.T) {
	b, at := newBroker(t)
	if _, err := b.dial(t.Context(), "nobody"); !errors.Is(err, errNobody) {
		t.Errorf("a call to nobody: %v", err)
	}
	l, err := beside(t, at).listen(place{broker: at, name: "busy"}, wire.PeerID{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough waiting")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := b.dial(ctx, "busy"); !errors.Is(err, why) || !strings.Contains(err.Error(), "busy at the broker") {
		t.Errorf("a call that nobody accepts: %v", err)
	}
	go func() {
		for {
			select {
			case <-l.calls.some:
				if c := l.calls.pop(); c != nil {
					c.Close()
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	if _, err := b.dial(t.Context(), "busy"); !errors.Is(err, errRefused) {
		t.Errorf("a call that is refused: %v", err)
	}
	if len(b.conns) > 0 {
		t.Errorf("%d connections of calls that failed are kept", len(b.conns))
	}
}

// TestOneListener: a name has one listener. Another may have it when the first has closed.
func TestOneListener(t *testing.T) {
	b, at := newBroker(t)
	other := beside(t, at)
	where := place{broker: at, at: "/ip4/127.0.0.1/tcp/1", name: "server"}
	l, err := b.listen(where, wire.PeerID{})
	if err != nil {
		t.Fatal(err)
	}
	if l.Addr().String() != "bbgen.listen.server" {
		t.Errorf("it listens at %v", l.Addr())
	}
	if _, err := other.listen(where, wire.PeerID{}); err == nil || err.Error() != "another process listens as server" {
		t.Errorf("a second listener: %v", err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close: %v", err)
	}
	b.nc.Flush() // so that the broker has heard of it
	second, err := other.listen(where, wire.PeerID{})
	if err != nil {
		t.Fatalf("when the first has closed: %v", err)
	}
	other.close()
	if err := second.Close(); err != nil {
		t.Errorf("closing without the broker: %v", err)
	}
}

// TestLost: streams end when the broker is lost, as messages may be missing, and when the broker says that it has dropped
// some. Other complaints of the broker end nothing.
func TestLost(t *testing.T) {
	b, _ := newBroker(t)
	x := b.open()
	b.trouble(natsgo.ErrPermissionViolation)
	if x.ended != nil {
		t.Errorf("a complaint ends a stream: %v", x.ended)
	}
	b.trouble(fmt.Errorf("subscription 3: %w", natsgo.ErrSlowConsumer))
	if !errors.Is(x.ended, errBroker) {
		t.Errorf("dropped messages: the stream ends with %v", x.ended)
	}
	y := b.open()
	b.lost(io.ErrUnexpectedEOF)
	if _, err := y.Read(make([]byte, 1)); !errors.Is(err, errBroker) {
		t.Errorf("a lost broker: a read ends with %v", err)
	}
}

// TestStrays: messages for connections that are over are answered with the end, except ends, which would go back and forth.
func TestStrays(t *testing.T) {
	b, at := newBroker(t)
	other := beside(t, at)
	answers := make(chan string, 9)
	if _, err := other.subscribe("bbgen.of.stray.1", func(m *natsgo.Msg) { answers <- string(m.Data) }); err != nil {
		t.Fatal(err)
	}
	for _, m := range []natsgo.Msg{
		{Subject: b.inbox + "x", Data: []byte("d1"), Reply: "bbgen.of.stray.1"},
		{Subject: b.inbox + "99", Data: []byte("e"), Reply: "bbgen.of.stray.1"},
		{Subject: b.inbox + "99", Reply: "bbgen.of.stray.1"},
		{Subject: b.inbox + "99", Data: []byte("d")},
		{Subject: b.inbox + "99", Data: []byte("d2"), Reply: "bbgen.of.stray.1"},
	} {
		b.take(&m)
	}
	if got := <-answers; got != "e" {
		t.Errorf("the answer is %q, want the end", got)
	}
	b.nc.Flush()
	other.nc.Flush()
	if len(answers) > 0 {
		t.Errorf("there is a second answer, %q", <-answers)
	}
}
