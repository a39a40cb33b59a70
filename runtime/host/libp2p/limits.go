package libp2p

import (
	"github.com/libp2p/go-libp2p/core/network"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// resources limits the cost of peers: the host limits the connections without a proven key, the rest is
// libp2p's default for the machine.
func resources(c *peer.TransportConfig) (network.ResourceManager, error) {
	limits := rcmgr.DefaultLimits.AutoScale()
	if c.Handshakes > 0 {
		n := rcmgr.LimitVal(c.Handshakes)
		limits = rcmgr.PartialLimitConfig{Transient: rcmgr.ResourceLimits{
			Conns: 2 * n, ConnsInbound: n, ConnsOutbound: n,
		}}.Build(limits)
	}
	return rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits), rcmgr.WithMetricsDisabled())
}
