package protocol

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// pipe is one end of a stream in memory, which holds the bytes from the other end.
type pipe struct {
	in, out *bytes.Buffer
	broken  bool // written bytes are lost, and cause an error
	closed  bool
}

var errBroken = errors.New("the connection broke")

func (p *pipe) Read(b []byte) (int, error) { return p.in.Read(b) }

func (p *pipe) Write(b []byte) (int, error) {
	if p.broken {
		return 0, errBroken
	}
	return p.out.Write(b)
}

func (p *pipe) Close() error                     { p.closed = true; return nil }
func (p *pipe) Peer() wire.PeerID                { return wire.PeerID{} }
func (p *pipe) Protocol() peer.Protocol          { return Stream }
func (p *pipe) SetReadDeadline(time.Time) error  { return nil }
func (p *pipe) SetWriteDeadline(time.Time) error { return nil }

// pipes returns both ends of a stream.
func pipes() (a, b *pipe) {
	x, y := new(bytes.Buffer), new(bytes.Buffer)
	return &pipe{in: x, out: y}, &pipe{in: y, out: x}
}

// conns returns both ends of a connection.
func conns() (a, b *Conn) {
	lim := DefaultLimits()
	x, y := pipes()
	return newConn(x, peer.NewFrames(x, time.Hour), &lim), newConn(y, peer.NewFrames(y, time.Hour), &lim)
}

// broken makes later writes to a connection be lost.
func broken(c *Conn) { c.Stream.(*pipe).broken = true }

// TestConn sends messages and the data after them: small, large and none.
func TestConn(t *testing.T) {
	a, b := conns()
	large := bytes.Repeat([]byte{7}, piece+together)
	for _, m := range []struct {
		m     Message
		parts [][]byte
	}{
		{Message{Kind: Ping}, nil},
		{Message{Kind: Register, Seq: 1, Out: []uint64{1}, Tensors: []Type{{tensor.Uint8, []int{3}, 3}}, Bytes: 3}, [][]byte{{1}, {2, 3}}},
		{Message{Kind: Graph, Seq: 2, Blob: []byte("name"), Bytes: uint64(len(large))}, [][]byte{large}},
		{Message{Kind: Graph, Seq: 3, Blob: []byte("skipped"), Bytes: 2}, [][]byte{{1, 2}}},
		{Message{Kind: Close, Seq: 4}, nil},
	} {
		if err := a.Send(&m.m, m.parts...); err != nil {
			t.Fatal(err)
		}
		got, err := b.Receive()
		if err != nil || got.Kind != m.m.Kind || got.Seq != m.m.Seq || got.Bytes != m.m.Bytes || !bytes.Equal(got.Blob, m.m.Blob) {
			t.Fatalf("%+v came as %+v, %v", m.m, got, err)
		}
		if string(got.Blob) == "skipped" {
			if err := b.Skip(got.Bytes); err != nil {
				t.Fatal(err)
			}
			continue
		}
		body := make([]byte, got.Bytes)
		if err := b.Fill(body); err != nil || !bytes.Equal(body, bytes.Join(m.parts, nil)) {
			t.Errorf("after message %d come %d other bytes, %v", got.Seq, len(body), err)
		}
	}
	if _, err := b.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want EOF", err)
	}
	broken(a)
	if err := a.Send(&Message{Kind: Ping}); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want what the stream says", err)
	}
}

// TestHello exchanges Hellos, and tests each way in which the server refuses.
func TestHello(t *testing.T) {
	lim := DefaultLimits()
	for _, c := range []struct {
		answer func(s *pipe) error
		want   string // "": a conversation begins
	}{
		{func(s *pipe) error { return Welcome(s, "") }, ""},
		{func(s *pipe) error { return Welcome(s, "no room\nfor you") }, "the server refuses: no room?for you"},
		{func(*pipe) error { return nil }, "the server refuses: it closed the connection"},
		{func(s *pipe) error { return writeHello(s, &wire.Hello{Protocol: 2}) }, "the server refuses: it speaks version 2 of the protocol, want 1"},
		{func(s *pipe) error { _, err := s.Write([]byte{1, 0xff}); return err }, "no hello: "},
	} {
		a, b := pipes()
		if err := c.answer(b); err != nil { // after the request was written
			t.Fatal(err)
		}
		conn, err := Greet(a, ClientClass, []byte("a proof"), &lim)
		if (err == nil) != (c.want == "") || err != nil && !bytes.HasPrefix([]byte(err.Error()), []byte(c.want)) || (conn == nil) != (err != nil) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		_, hello, err := Hear(b, &lim)
		if err != nil || len(hello.Classes) != 1 || hello.Classes[0] != ClientClass || string(hello.JoinProof) != "a proof" {
			t.Errorf("the server hears %+v, %v", hello, err)
		}
	}
}
