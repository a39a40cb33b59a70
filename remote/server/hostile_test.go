package server_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func newKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func start(t testing.TB, change ...func(c *server.Config)) *server.Server {
	t.Helper()
	c := server.Config{
		Key: newKey(t), Listen: []wire.Address{"/ip4/127.0.0.1/tcp/0"}, Memory: 1 << 30, ClientMemory: 1 << 20,
		Admit: func(wire.PeerID, *wire.Hello) error { return nil }, Grace: time.Millisecond,
	}
	for _, f := range change {
		f(&c)
	}
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if n := s.Used(); n != 0 {
			t.Errorf("the server uses %d bytes after its end", n)
		}
	})
	return s
}

// raw is a connection on which a test sends arbitrary messages.
func raw(t testing.TB, s *server.Server, key ed25519.PrivateKey) peer.Stream {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := tcp.New(peer.TransportConfig{Key: key, Log: quiet, Protocols: []peer.Protocol{protocol.Stream}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	at := s.Addresses()[0]
	id, _ := at.Peer()
	stream, err := c.Dial(ctx, id, []wire.Address{at}, protocol.Stream)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// opened is a connection with a session.
func opened(t testing.TB, s *server.Server) *protocol.Conn {
	t.Helper()
	lim := protocol.DefaultLimits()
	conn, err := protocol.Greet(raw(t, s, newKey(t)), protocol.ClientClass, nil, &lim)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send(&protocol.Message{Kind: protocol.Open}); err != nil {
		t.Fatal(err)
	}
	if m, err := conn.Receive(); err != nil || m.Kind != protocol.Opened || m.Failure != nil {
		t.Fatalf("got %+v, %v", m, err)
	}
	return conn
}

// ends waits until the server ends a connection.
func ends(t testing.TB, name string, conn peer.Stream) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := io.Copy(io.Discard, conn)
	if err, ok := err.(interface{ Timeout() bool }); ok && err.Timeout() {
		t.Errorf("%s: the connection goes on", name)
	}
}

// lives checks that the server still serves other clients.
func lives(t testing.TB, s *server.Server) {
	t.Helper()
	d, err := remote.Dial(context.Background(), remote.Config{Address: string(s.Addresses()[0]), Key: newKey(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x := d.Register(tensor.Of([]float32{1, 2}, 2))
	if y, err := d.Execute("Add", nil, x, x).Read(context.Background()); err != nil || tensor.Data[float32](y)[1] != 4 {
		t.Errorf("got %v, %v", y, err)
	}
}

// A peer with another protocol is disconnected, before and after the Hello.
func TestNoise(t *testing.T) {
	s := start(t)
	for name, b := range map[string][]byte{
		"zeros":         make([]byte, 1000),
		"a long hello":  wire.AppendLength(nil, 1<<30),
		"text":          []byte("GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: somebody who looks for something else\r\n\r\n"),
		"another Hello": append([]byte{2}, wire.AppendHello(nil, &wire.Hello{Protocol: 99})...),
	} {
		conn := raw(t, s, newKey(t))
		conn.Write(b)
		ends(t, name, conn)
	}
	for name, b := range map[string][]byte{
		"zeros after the hello": make([]byte, 1000),
		"a long message":        wire.AppendLength(nil, 1<<30),
		"a length of no end":    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	} {
		conn := opened(t, s)
		conn.Write(b)
		ends(t, name, conn)
	}
	lives(t, s)
}

// Invalid messages end their session, and no other.
func TestNonsense(t *testing.T) {
	s := start(t)
	for name, m := range map[string]*protocol.Message{
		"a gap":                       {Kind: protocol.Sync, Seq: 2},
		"an acknowledgment of others": {Kind: protocol.Sync, Seq: 1, Ack: 9},
		"no such kind":                {Kind: 99, Seq: 1},
		"an answer":                   {Kind: protocol.Answer, Seq: 1},
		"a tensor without name":       {Kind: protocol.Register, Seq: 1, Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{0}}}},
		"a tensor with a question":    {Kind: protocol.Sync, Seq: 1, Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{1}, Bytes: 1}}, Bytes: 1},
	} {
		conn := opened(t, s)
		conn.Send(m, make([]byte, m.Bytes))
		ends(t, name, conn)
	}
	lives(t, s)
}

// A client that opens a session and acknowledges messages that the server has not sent does not stop the server.
func TestAcknowledgedTooMuch(t *testing.T) {
	s := start(t)
	lim := protocol.DefaultLimits()
	conn, err := protocol.Greet(raw(t, s, newKey(t)), protocol.ClientClass, nil, &lim)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send(&protocol.Message{Kind: protocol.Open, Ack: 5}); err != nil {
		t.Fatal(err)
	}
	ends(t, "an acknowledgement of nothing", conn)
	lives(t, s)
}

// Invalid requests are answered with an error, and the session continues.
func TestWrongQuestions(t *testing.T) {
	s := start(t)
	conn := opened(t, s)
	seq := uint64(0)
	send := func(m *protocol.Message, parts ...[]byte) {
		seq++
		m.Seq = seq
		if err := conn.Send(m, parts...); err != nil {
			t.Fatal(err)
		}
	}
	ask := func() *protocol.Failure {
		send(&protocol.Message{Kind: protocol.Sync, To: 7})
		for {
			m, err := conn.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == protocol.Answer && m.To == 7 {
				return m.Failure
			}
		}
	}
	one := []protocol.Type{{DType: tensor.Int8, Shape: []int{1}, Bytes: 1}}
	send(&protocol.Message{Kind: protocol.Register, Out: []uint64{1}, Tensors: one, Bytes: 1}, []byte{5})
	for name, m := range map[string]*protocol.Message{
		"a name twice":           {Kind: protocol.Register, Out: []uint64{1}, Tensors: one, Bytes: 1},
		"the name of none":       {Kind: protocol.Execute, Name: "Neg", In: []uint64{1}, Out: []uint64{0}},
		"one name for two":       {Kind: protocol.Execute, Name: "TopK", In: []uint64{1, 1}, Out: []uint64{8, 8}},
		"no such tensor":         {Kind: protocol.Execute, Name: "Neg", In: []uint64{99}, Out: []uint64{2}},
		"more than there is":     {Kind: protocol.Register, Out: []uint64{3}, Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{2 << 20}, Bytes: 2 << 20}}, Bytes: 2 << 20},
		"no such graph":          {Kind: protocol.Run, Blob: []byte("x"), Out: []uint64{4}},
		"too many outputs":       {Kind: protocol.Execute, Name: "Neg", In: []uint64{1}, Out: []uint64{5, 6}},
		"an attribute of a kind": {Kind: protocol.Execute, Name: "Softmax", In: []uint64{1}, Out: []uint64{7}, Attrs: []protocol.Attr{{Name: "axis", Value: "x"}}},
		"a ticket of no size":    {Kind: protocol.Fetch, Blob: []byte("x"), Out: []uint64{9}, Address: string(s.Addresses()[0])},
		"an address of no peer":  {Kind: protocol.Fetch, Blob: make([]byte, 32), Out: []uint64{10}, Address: "/ip4/127.0.0.1/tcp/1"},
	} {
		send(m, make([]byte, m.Bytes))
		if ask() == nil {
			t.Errorf("%s: got no failure", name)
		}
		if f := ask(); f != nil {
			t.Errorf("%s: it is told twice: %v", name, f)
		}
	}
	lives(t, s)
}

// failureOf sends messages and a Sync, and returns the failure that the server tells.
func failureOf(t *testing.T, conn *protocol.Conn, seq *uint64, list ...*protocol.Message) *protocol.Failure {
	t.Helper()
	for _, m := range append(list, &protocol.Message{Kind: protocol.Sync, To: 7}) {
		*seq++
		m.Seq = *seq
		if err := conn.Send(m, make([]byte, m.Bytes)); err != nil {
			t.Fatal(err)
		}
	}
	conn.SetIdle(5 * time.Second)
	for {
		m, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind == protocol.Answer && m.To == 7 {
			return m.Failure
		}
	}
}

// An operation whose result is its own input fails, and does not wait for itself.
func TestOwnResult(t *testing.T) {
	s := start(t)
	conn, seq := opened(t, s), uint64(0)
	if failureOf(t, conn, &seq, &protocol.Message{Kind: protocol.Execute, Name: "Neg", In: []uint64{1}, Out: []uint64{1}}) == nil {
		t.Error("got no failure")
	}
	lives(t, s)
}

// A short message that reads a tensor of strings thousands of times, each a copy, is refused: the copies are counted.
func TestCopiesOfStrings(t *testing.T) {
	s := start(t)
	for name, x := range map[string]*tensor.Tensor{
		"strings":  tensor.Of([]string{strings.Repeat("x", 1<<16)}, 1),
		"few bits": tensor.New(tensor.Int4, 1<<17),
	} {
		conn := opened(t, s)
		typ, b := protocol.TypeOf(x)
		if err := conn.Send(&protocol.Message{Kind: protocol.Register, Seq: 1, Out: []uint64{1}, Tensors: []protocol.Type{typ}, Bytes: typ.Bytes}, b); err != nil {
			t.Fatal(err)
		}
		for i, n := range []int{1, 1000, 1} {
			m := &protocol.Message{Kind: protocol.Read, Seq: uint64(i + 2), To: 1, In: slices.Repeat([]uint64{1}, n)}
			if err := conn.Send(m); err != nil {
				t.Fatal(err)
			}
			for m.Kind != protocol.Answer {
				var err error
				if m, err = conn.Receive(); err != nil {
					t.Fatal(err)
				}
			}
			if err := conn.Skip(m.Bytes); err != nil {
				t.Fatal(err)
			}
			if want := n > 1; (m.Failure != nil) != want || want && m.Failure.Code != protocol.NoMemory {
				t.Errorf("%s, %d times: got %v and %d bytes", name, n, m.Failure, m.Bytes)
			}
		}
	}
	lives(t, s)
}

// A client that never acknowledges answers does not make the server keep any number of them.
func TestNothingAcknowledged(t *testing.T) {
	s := start(t)
	conn := opened(t, s)
	const many = 40000
	answers := make(chan int)
	go func() {
		n := 0
		for m, err := conn.Receive(); err == nil && n < many; m, err = conn.Receive() {
			if m.Kind == protocol.Answer {
				n++
			}
		}
		answers <- n
	}()
	for seq := range uint64(many + 1) {
		if err := conn.Send(&protocol.Message{Kind: protocol.Sync, Seq: seq + 1}); err != nil {
			break
		}
	}
	if n := <-answers; n == many {
		t.Errorf("the server keeps %d answers", n)
	}
	lives(t, s)
}

// A model that needs more memory than its decoding, and that the client forgets after it was refused, does not stop the server.
func TestForgetRefused(t *testing.T) {
	m := &ir.Module{Name: "m", Opsets: map[string]int{"": 22}}
	c := ir.NewConst("c", tensor.New(tensor.Int4, 900_000))
	m.Main = &ir.Func{Name: "main", Body: &ir.Region{Results: []*ir.Value{c}}}
	model, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t)
	conn := opened(t, s)
	id := sha256.Sum256(model)
	if err := conn.Send(&protocol.Message{Kind: protocol.Graph, Seq: 1, To: 1, Blob: id[:], Bytes: uint64(len(model))}, model); err != nil {
		t.Fatal(err)
	}
	a, err := conn.Receive()
	for err == nil && a.Kind != protocol.Answer {
		a, err = conn.Receive()
	}
	if err != nil || a.Failure == nil || a.Failure.Code != protocol.NoMemory {
		t.Fatalf("got %+v, %v", a, err)
	}
	if err := conn.Send(&protocol.Message{Kind: protocol.Forget, Seq: 2, Blob: id[:]}); err != nil {
		t.Fatal(err)
	}
	lives(t, s)
}

// A client that dies in the middle of a tensor leaves no memory in use.
func TestDeathInTheMiddle(t *testing.T) {
	s := start(t)
	conn := opened(t, s)
	m := protocol.Append(nil, &protocol.Message{Kind: protocol.Register, Seq: 1, Out: []uint64{1}, Bytes: 1 << 19,
		Tensors: []protocol.Type{{DType: tensor.Int8, Shape: []int{1 << 19}, Bytes: 1 << 19}}})
	conn.Write(append(wire.AppendLength(nil, len(m)), m...))
	conn.Write(make([]byte, 1000))
	conn.Close()
	for end := time.Now().Add(time.Minute); s.Used() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the server uses %d bytes a minute later", s.Used())
		}
	}
	lives(t, s)
}

// Arbitrary bytes in a session do not stop the server.
func FuzzSession(f *testing.F) {
	frame := func(m *protocol.Message, body ...byte) []byte {
		b := protocol.Append(nil, m)
		return append(append(wire.AppendLength(nil, len(b)), b...), body...)
	}
	one := []protocol.Type{{DType: tensor.Int8, Shape: []int{1}, Bytes: 1}}
	reg := frame(&protocol.Message{Kind: protocol.Register, Seq: 1, Out: []uint64{1}, Tensors: one, Bytes: 1}, 5)
	f.Add(append(reg, frame(&protocol.Message{Kind: protocol.Execute, Seq: 2, Name: "Neg", In: []uint64{1}, Out: []uint64{2}})...))
	f.Add(append(reg, frame(&protocol.Message{Kind: protocol.Read, Seq: 2, In: []uint64{1}})...))
	f.Add(frame(&protocol.Message{Kind: protocol.Graph, Seq: 1, Blob: []byte("x"), Bytes: 3}, 1, 2, 3))
	f.Add(frame(&protocol.Message{Kind: protocol.Offer, Seq: 1, In: []uint64{1}, Blob: make([]byte, 32), Number: 1}))
	s := start(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		conn := opened(t, s)
		conn.Write(b)
		conn.Close()
		lives(t, s)
	})
}
