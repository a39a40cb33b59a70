package libp2p

import (
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
)

// maxWindow is how many bytes of a stream may lie here unread. Libp2p allows
// 16 MiB, which ten peers that send large values would fill with 160 MiB; what was
// just written is in a processor's cache, too, when it is read. It is 40 MB/s where
// an answer takes 100 ms.
const maxWindow = 4 << 20

// muxer is libp2p's yamux with smaller windows.
func muxer() *yamux.Transport {
	t := *yamux.DefaultTransport
	t.MaxStreamWindowSize = maxWindow
	return &t
}
