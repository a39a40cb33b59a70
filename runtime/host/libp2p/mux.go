package libp2p

import (
	"net"
	"runtime"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
)

// maxWindow is how many bytes of a stream may lie here unread. Libp2p allows
// 16 MiB, which ten peers that send large values would fill with 160 MiB; what was
// just written is in a processor's cache, too, when it is read. It is 40 MB/s where
// an answer takes 100 ms.
const maxWindow = 4 << 20

// mux is libp2p's yamux with smaller windows.
//
// Frames go from one goroutine to another, each in memory of its own. Where there is
// one core, many would wait before the other one runs, and have left the cache by then:
// so who has handed one over lets others run.
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

// turns is a connection whose reader lets others run after each frame's worth.
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
