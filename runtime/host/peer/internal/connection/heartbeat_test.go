package connection

import (
	"errors"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A peer that has just been heard is not pinged, except to measure the round trip now and then.
func TestQuiet(t *testing.T) {
	c := newTestConn(t, nil, deadStream{}, wire.Hello{}, false)
	sh := c.shared
	if !c.Quiet(sh.Now()) {
		t.Error("the round trip of a new connection is not measured")
	}
	for _, streams := range []int64{1, 10000} { // with many, pings are rare
		sh.Streams.Store(streams)
		every := max(int64(sh.Times.Ping), streams*int64(pingShare))
		now := sh.Now() + 100*every
		for _, tt := range []struct {
			heard, measured int64 // ns ago
			want            bool
		}{{0, 0, false}, {every / 2, every, false}, {every, every, true}, {0, measureEvery*every + 1, true}} {
			c.measured = now - tt.measured
			c.moved.Store(now - tt.heard)
			if got := c.Quiet(now); got != tt.want {
				t.Errorf("%d streams, heard %v ago, measured %v ago: a ping is due: %v, want %v", streams, time.Duration(tt.heard), time.Duration(tt.measured), got, tt.want)
			}
		}
	}
}

// Both ends of a connection use the longer interval of theirs, within limits.
func TestPace(t *testing.T) {
	c := newTestConn(t, nil, deadStream{}, wire.Hello{}, false)
	sh := c.shared
	for _, tt := range []struct {
		streams int64
		told    uint64
		want    time.Duration
	}{
		{1, 0, time.Second}, {1, 5e9, 5 * time.Second}, {1, 1, time.Second}, {8000, 5e9, 8 * time.Second},
		{1, 1 << 63, time.Minute}, {1, 0, time.Second},
	} {
		sh.Streams.Store(tt.streams)
		if err := c.ping(wire.AppendPing(nil, wire.Ping{ID: 1, Every: tt.told})); err != nil {
			t.Fatal(err)
		}
		if got := c.Heartbeat(); got != tt.want {
			t.Errorf("%d streams, told %v: the interval is %v, want %v", tt.streams, time.Duration(tt.told), got, tt.want)
		}
	}
}

// A peer that sends pings faster than a host does loses its connection.
func TestPingFlood(t *testing.T) {
	c := newTestConn(t, nil, deadStream{}, wire.Hello{}, false)
	m := wire.AppendPing(nil, wire.Ping{ID: 1})
	var err error
	answered := 0
	for ; err == nil && answered < 100*pingBurst; answered++ {
		err = c.ping(m)
	}
	if !errors.Is(err, ErrFlood) || answered < pingBurst {
		t.Fatalf("%d pings are answered: %v", answered, err)
	}
}
