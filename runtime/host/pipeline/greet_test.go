package pipeline

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// pipeStream is a stream over a pipe.
type pipeStream struct {
	peer.Stream
	c net.Conn
}

func (s pipeStream) Read(b []byte) (int, error)  { return s.c.Read(b) }
func (s pipeStream) Write(b []byte) (int, error) { return s.c.Write(b) }
func (s pipeStream) Close() error                { return s.c.Close() }

// TestGreetFails: whatever the other end answers to the greeting, it is refused with the number of its stage, and neither the
// connection nor a goroutine remains: the bubble of the test would not end.
func TestGreetFails(t *testing.T) {
	own := newScales(2, 0).fingerprint()
	for name, c := range map[string]struct {
		answer func(w io.WriteCloser)
		want   string
	}{
		"nothing":         {func(w io.WriteCloser) { w.Close() }, "stage 1 of 2 is lost"},
		"half a head":     {func(w io.WriteCloser) { w.Write([]byte{1, 0}); w.Close() }, "stage 1 of 2 is lost"},
		"no size":         {func(w io.WriteCloser) { w.Write(make([]byte, 5)) }, "does not follow the protocol"},
		"too large":       {func(w io.WriteCloser) { w.Write([]byte{0, 0, 0, 0x80, byte(hello)}) }, "does not follow the protocol"},
		"cut off":         {func(w io.WriteCloser) { w.Write([]byte{0xff, 0xff, 0xff, 0x7f, byte(hello), 1, 2, 3}); w.Close() }, "stage 1 of 2 is lost"},
		"another kind":    {func(w io.WriteCloser) { writeMessage(w, end, append(own, "1"...)) }, "stage 1 is of another training"},
		"another program": {func(w io.WriteCloser) { writeMessage(w, hello, []byte("another1")) }, "stage 1 is of another training"},
		"another number":  {func(w io.WriteCloser) { writeMessage(w, hello, append(own, "0"...)) }, "stage 1 is of another training"},
		"a longer number": {func(w io.WriteCloser) { writeMessage(w, hello, append(own, "10"...)) }, "stage 1 is of another training"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &place{m: &newScales(2, 0).Model, number: 0, members: make([]peer.Member, 2)}
				near, far := net.Pipe()
				heard := make(chan string)
				go func() {
					m, _ := readMessage(far)
					heard <- string(m.body)
					io.Copy(io.Discard, far)
				}()
				go func() {
					if text := <-heard; text != string(own)+strconv.Itoa(0) {
						t.Errorf("the other end hears %q", text)
					}
					c.answer(far)
				}()
				l, err := p.greet(t.Context(), pipeStream{c: near}, 1)
				if l != nil || err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, %v, want %q", l, err, c.want)
				}
				if _, err := near.Write([]byte{1}); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the connection is open: %v", err)
				}
				far.Close()
			})
		})
	}
}

// TestLinkEnds closes a link in each state: idle, with messages that nobody reads, and with messages that nobody takes. No goroutine
// remains.
func TestLinkEnds(t *testing.T) {
	for name, c := range map[string]struct {
		before func(l *link, far net.Conn)
		takes  time.Duration // at most
	}{
		"idle":          {func(*link, net.Conn) {}, 0},
		"read":          {func(l *link, far net.Conn) { l.send(end); go io.Copy(io.Discard, far) }, 0},
		"not read":      {func(l *link, _ net.Conn) { l.send(forward, make([]byte, 1<<20)); l.send(end) }, farewell},
		"not taken":     {func(_ *link, far net.Conn) { go sendMany(far) }, 0},
		"lost":          {func(l *link, far net.Conn) { l.send(end); far.Close() }, 0},
		"a wrong size":  {func(_ *link, far net.Conn) { far.Write(make([]byte, 5)) }, 0},
		"too large":     {func(l *link, _ net.Conn) { l.send(forward, make([]byte, 1<<20)) }, farewell},
		"both and more": {func(l *link, far net.Conn) { go sendMany(far); l.send(forward, make([]byte, 1<<20)) }, farewell},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				l := newLink(1, near)
				c.before(l, far)
				synctest.Wait()
				began := time.Now()
				l.close()
				if took := time.Since(began); took > c.takes {
					t.Errorf("it takes %v, want %v at most", took, c.takes)
				}
				l.send(end) // is ignored
				l.written()
				synctest.Wait()
				n := 0
				for range l.in { // ends
					n++
				}
				if n > pending {
					t.Errorf("after the end it still holds %d messages, want those that it had room for", n)
				}
				far.Close()
			})
		})
	}
}

// sendMany sends more messages than a link holds.
func sendMany(w io.Writer) {
	for range 10 * pending {
		if writeMessage(w, forward, []byte("x")) != nil {
			return
		}
	}
}

// TestEmptyShapes: a size of 0 makes a tensor empty, and does not let the other sizes be any: their product, as somebody may
// compute it, has a limit, too.
func TestEmptyShapes(t *testing.T) {
	p := model.Port{Name: "x", Type: "float32[a,b,c]", Elem: tensor.Float32, Dims: []string{"a", "b", "c"}}
	for _, sizes := range [][3]uint64{{0, 0, 0}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, maxMessage, maxMessage}, {1 << 20, 0, 1 << 40}, {maxMessage, maxMessage, 0}, {1 << 62, 4, 1}} {
		var b []byte
		b = binary.AppendUvarint(b, 3)
		for _, d := range sizes {
			b = binary.AppendUvarint(b, d)
		}
		list, err := decode(b, []model.Port{p})
		if err != nil {
			if !errors.Is(err, errMessage) {
				t.Errorf("%v: %v", sizes, err)
			}
			continue
		}
		if x := list[0]; x.Len() != 0 || len(x.Bytes()) != 0 {
			t.Errorf("%v: %d elements from no bytes", sizes, x.Len())
		}
		for i, d := range list[0].Shape {
			if uint64(d) != sizes[i] {
				t.Errorf("%v became %v", sizes, list[0].Shape)
			}
		}
	}
}
