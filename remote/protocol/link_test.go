package protocol

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// received returns the numbers of the fresh messages on a connection. Link accepts them.
func received(t *testing.T, link *Link, c *Conn) (seqs []uint64) {
	t.Helper()
	for {
		m, err := c.Receive()
		if errors.Is(err, io.EOF) { // no more was written yet
			return seqs
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Skip(m.Bytes); err != nil {
			t.Fatal(err)
		}
		fresh, err := link.Fresh(m)
		if err != nil {
			t.Fatal(err)
		}
		if fresh {
			link.Took(m)
			seqs = append(seqs, m.Seq)
		}
		link.writers.Wait()
	}
}

// attach connects two links.
func attach(a, b *Link) (x, y *Conn) {
	x, y = conns()
	a.Attach(x, b.Have())
	b.Attach(y, a.Have())
	a.writers.Wait()
	b.writers.Wait()
	return x, y
}

func equal(a []uint64, b ...uint64) bool { return slices.Equal(a, b) }

// TestLink breaks a connection. Messages that the other end has not received are sent again on the next
// connection, in order and once, and the others are dropped.
func TestLink(t *testing.T) {
	a, b := NewLink(0, 0), NewLink(0, 0)
	var done []int
	post := func(i int) {
		t.Helper()
		if seq, err := a.Post(&Message{Kind: Graph, Bytes: 1}, func() { done = append(done, i) }, []byte{byte(i)}); err != nil || seq != uint64(i) {
			t.Fatalf("message %d has number %d, %v", i, seq, err)
		}
	}
	post(1) // before a connection
	x, y := attach(a, b)
	post(2)
	if got := received(t, b, y); !equal(got, 1, 2) {
		t.Fatalf("there came %v, want 1 and 2", got)
	}
	broken(x)
	post(3)
	if !x.Stream.(*pipe).closed {
		t.Error("a connection that broke is open")
	}
	post(4)
	b.Detach(y)
	if len(done) != 0 {
		t.Errorf("%v are done before the other end has said so", done)
	}
	_, y = attach(a, b)
	if got := received(t, b, y); !equal(got, 3, 4) {
		t.Errorf("after the break there came %v, want 3 and 4", got)
	}
	if len(done) != 2 || done[0] != 1 || done[1] != 2 {
		t.Errorf("%v are done, want 1 and 2", done)
	}
	a.Close(ErrClosed)
	if len(done) != 4 {
		t.Errorf("after the end %v are done, want all", done)
	}
}

// TestLinkAgain receives messages twice and accepts them once.
func TestLinkAgain(t *testing.T) {
	a, b := NewLink(0, 0), NewLink(0, 0)
	_, y := attach(a, b)
	for range 3 {
		a.Post(&Message{Kind: Sync}, nil)
	}
	received(t, b, y)
	again, z := conns()
	a.Attach(again, 1) // as if the other end had only received one
	a.writers.Wait()
	if got := received(t, b, z); len(got) != 0 {
		t.Errorf("%v are taken twice", got)
	}
}

// TestLinkAcknowledges: after a number of messages, or of bytes, the sender gets an acknowledgement and drops
// them.
func TestLinkAcknowledges(t *testing.T) {
	for _, c := range []struct {
		messages int
		bytes    uint64
	}{{ackEach, 0}, {1, ackBytes}} {
		a, b := NewLink(0, 0), NewLink(0, 0)
		x, y := attach(a, b)
		done := 0
		for range c.messages {
			a.Post(&Message{Kind: Graph, Bytes: c.bytes}, func() { done++ }, make([]byte, c.bytes))
		}
		received(t, b, y)
		if got := received(t, a, x); !equal(got, 0) || done != c.messages {
			t.Errorf("%d messages of %d bytes: there came back %v, and %d are done", c.messages, c.bytes, got, done)
		}
	}
}

// TestLinkErrors tests that impossible numbers of messages are refused.
func TestLinkErrors(t *testing.T) {
	l := NewLink(0, 0)
	for want, m := range map[string]*Message{
		"message 2 follows message 0":                  {Kind: Sync, Seq: 2},
		"message 1 is acknowledged, the last one is 0": {Kind: Sync, Seq: 1, Ack: 1},
	} {
		if _, err := l.Fresh(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestLinkFull makes a sender wait for room: for messages, and for their bytes.
func TestLinkFull(t *testing.T) {
	for _, l := range []*Link{NewLink(1, 0), NewLink(0, 10)} {
		if _, err := l.Post(&Message{Kind: Graph, Bytes: 10}, nil, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		posted := make(chan uint64)
		go func() {
			seq, _ := l.Post(&Message{Kind: Graph, Bytes: 10}, nil, make([]byte, 10))
			posted <- seq
		}()
		if _, err := l.Fresh(&Message{Kind: Received, Ack: 1}); err != nil {
			t.Fatal(err)
		}
		if seq := <-posted; seq != 2 {
			t.Errorf("the message that waited has number %d, want 2", seq)
		}
	}
}

// TestLinkClosed: waiting and later callers get the error of a closed link.
func TestLinkClosed(t *testing.T) {
	l := NewLink(1, 0)
	x, _ := conns()
	l.Attach(x, 0)
	why := errors.New("it was enough")
	l.Post(&Message{Kind: Sync}, nil)
	failed := make(chan error)
	go func() {
		_, err := l.Post(&Message{Kind: Sync}, nil)
		failed <- err
	}()
	l.Close(why)
	if err := <-failed; !errors.Is(err, why) {
		t.Errorf("the waiting call returns %v, want %v", err, why)
	}
	done := false
	if _, err := l.Post(&Message{Kind: Sync}, func() { done = true }); !errors.Is(err, why) || !done {
		t.Errorf("later there is %v, and done is %v", err, done)
	}
	if l.Close(errors.New("twice")); !x.Stream.(*pipe).closed {
		t.Error("the connection is open")
	}
	late, _ := conns()
	if l.Attach(late, 0); !late.Stream.(*pipe).closed {
		t.Error("a connection that comes after the end is open")
	}
}

// TestTell sends messages without a number immediately, or not at all.
func TestTell(t *testing.T) {
	a, b := NewLink(0, 0), NewLink(0, 0)
	a.Tell(&Message{Kind: Ping}) // without a connection
	_, y := attach(a, b)
	a.Tell(&Message{Kind: Ping})
	a.writers.Wait()
	if got := received(t, b, y); !equal(got, 0) {
		t.Errorf("there came %v, want one message without a number", got)
	}
}
