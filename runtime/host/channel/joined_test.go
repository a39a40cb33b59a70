package channel

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
)

// counted is a connection that records what is written to it, and fails if it is broken.
type counted struct {
	net.Conn
	writes  [][]byte
	failure error
}

func (c *counted) Write(b []byte) (int, error) {
	if c.failure != nil {
		return 0, c.failure
	}
	c.writes = append(c.writes, bytes.Clone(b))
	if c.Conn != nil {
		return c.Conn.Write(b)
	}
	return len(b), nil
}

// TestJoined: what is written at once is one write, others are written as they come. After a failure nothing is written
// any more.
func TestJoined(t *testing.T) {
	raw := &counted{}
	c := &joined{Conn: raw}
	several := func() (int, error) {
		for _, part := range []string{"one", "two", "three"} {
			if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
				return n, err
			}
		}
		return 11, nil
	}
	c.Write([]byte("before"))
	if n, err := c.writeAtOnce(several); n != 11 || err != nil {
		t.Fatal(n, err)
	}
	c.Write([]byte("after"))
	if want := "before,onetwothree,after"; string(bytes.Join(raw.writes, []byte(","))) != want {
		t.Errorf("got the writes %q, want %s", raw.writes, want)
	}
	raw.failure = errors.New("broken")
	if _, err := c.writeAtOnce(several); !errors.Is(err, raw.failure) {
		t.Errorf("got %v, want the error of the connection", err)
	}
	broken := raw.failure
	raw.failure, raw.writes = nil, nil
	if _, err := c.Write([]byte("late")); !errors.Is(err, broken) || raw.writes != nil {
		t.Errorf("after a failure: %v, and %q is written", err, raw.writes)
	}
}

// TestWrites: what is larger than a record is written several records at once, in parts, whatever its size, and arrives whole.
func TestWrites(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := certificate(key)
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	raw := &counted{Conn: here}
	j := &joined{Conn: raw}
	s := &stream{Conn: tls.Client(j, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true}), joined: j}
	sizes := map[int]int{0: 0, 1: 1, record: 1, record + 1: 1, atOnce: 1, atOnce + 1: 2, atOnce + record + 1: 2, 3*atOnce + 5: 4}
	var sent bytes.Buffer
	read := make(chan []byte)
	go func() {
		b, err := io.ReadAll(tls.Server(there, &tls.Config{Certificates: []tls.Certificate{cert}}))
		if err != nil {
			t.Error(err)
		}
		read <- b
	}()
	if err := s.Conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	for size, writes := range sizes {
		b := bytes.Repeat([]byte{byte(size), 7, 9}, size/3+1)[:size]
		sent.Write(b)
		raw.writes = nil
		if n, err := s.Write(b); n != size || err != nil || len(raw.writes) != writes {
			t.Errorf("%d bytes: %d in %d writes, want %d: %v", size, n, len(raw.writes), writes, err)
		}
	}
	s.Conn.Close()
	if got := <-read; !bytes.Equal(got, sent.Bytes()) {
		t.Errorf("%d bytes arrive, want %d, or others", len(got), sent.Len())
	}
}
