package nats

import (
	"errors"
	"net"
	"os"
	"time"
)

// The times after which a broker is lost that does not close the connection. The broker answers pings, so that some
// bytes come in each interval. On a busy machine the answer may wait behind much data: any byte is a sign of life, and
// the client's own limit, which only counts answers, is never reached.
const (
	pingInterval  = 5 * time.Second
	silentTimeout = 3 * pingInterval
	maxPingsOut   = 1 << 20
)

// dialer opens connections to brokers that end when the broker falls silent.
type dialer struct{ net.Dialer }

// Dial implements [natsgo.CustomDialer].
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	c, err := d.Dialer.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &brokerConn{Conn: c, silent: silentTimeout}, nil
}

// brokerConn is the connection to a broker. It has one reader.
type brokerConn struct {
	net.Conn
	silent  time.Duration // how long a read waits
	limited bool          // the reader has set a deadline of its own
}

func (c *brokerConn) SetDeadline(t time.Time) error {
	c.limited = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

func (c *brokerConn) SetReadDeadline(t time.Time) error {
	c.limited = !t.IsZero()
	return c.Conn.SetReadDeadline(t)
}

var errSilent = errors.New("the broker has fallen silent")

// Read fails if nothing is received for long. What was received while this process did not run is read first.
func (c *brokerConn) Read(p []byte) (int, error) {
	if c.limited {
		return c.Conn.Read(p)
	}
	for _, wait := range []time.Duration{c.silent, c.silent / 8} {
		if err := c.Conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
	return 0, errSilent
}
