package libp2p

import (
	"net"
	"runtime"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
)

// maxWindow is how many unread bytes of a stream may be buffered. Libp2p allows 16 MiB, which is 160 MiB for
// ten peers that send large values; and data that are read soon after they were written are still in the
// processor's cache. It allows 40 MB/s with a round trip of 100 ms.
const maxWindow = 4 << 20

// mux is libp2p's yamux with smaller windows.
//
// Frames pass from one goroutine to another, each in memory of its own. On a single core, many would accumulate
// before the other goroutine runs, and would have left the cache by then: so a goroutine yields after it has
// passed on a frame.
type mux struct{ yamux.Transport }

func muxer() *mux {
	m := &mux{*yamux.DefaultTransport}
	m.MaxStreamWindowSize = maxWindow
	return m
}

// NewConn is yamux's.
func (m *mux) NewConn(c net.Conn, isServer bool, scope network.PeerScope) (network.MuxedConn, error) {
	return m.Transport.NewConn(&turns{Conn: c}, isServer, scope)
}

// The largest frame of yamux, with its head and without.
const (
	frameSize = 64 << 10
	frameData = frameSize - 12
)

// turns is a connection whose reader yields after each frame.
type turns struct {
	net.Conn
	read int
}

func (t *turns) Read(b []byte) (int, error) {
	if t.read >= frameSize {
		t.read = 0
		runtime.Gosched()
	}
	n, err := t.Conn.Read(b)
	t.read += n
	return n, err
}
