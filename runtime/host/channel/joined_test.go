package channel

import (
	"bytes"
	"errors"
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
