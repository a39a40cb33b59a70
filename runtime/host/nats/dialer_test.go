package nats

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// A connection to a broker ends when nothing is received for long, not earlier, and its reader may set a deadline.
func TestBrokerConn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := (&dialer{}).Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	broker, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	c := dialed.(*brokerConn)
	if c.silent != silentTimeout {
		t.Errorf("it may be silent for %v, want %v", c.silent, silentTimeout)
	}
	buf := make([]byte, 8)

	c.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := c.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after a deadline of the reader: %v", err)
	}
	c.SetReadDeadline(time.Time{})

	c.silent = -time.Second // the deadline is over before the first read
	if _, err := c.Read(buf); !errors.Is(err, errSilent) {
		t.Errorf("a silent broker: %v", err)
	}
	c.silent = time.Hour
	for range 3 {
		if _, err := broker.Write([]byte("PONG")); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(buf); err != nil || string(buf[:n]) != "PONG" {
			t.Errorf("read %q, %v", buf[:n], err)
		}
	}
}
