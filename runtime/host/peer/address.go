package peer

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/bbgen/bbgen/runtime/wire"
)

// address reads an address as libp2p writes it, or as host:port.
func address(s string, lim *wire.Limits) (wire.Address, error) {
	if !strings.HasPrefix(s, "/") {
		i := strings.LastIndexByte(s, ':')
		if i < 0 {
			return "", fmt.Errorf("address %q: want host:port or /ip4/…/tcp/…", s)
		}
		host, port := strings.Trim(s[:i], "[]"), s[i+1:]
		kind := "dns"
		if ip, err := netip.ParseAddr(host); err == nil {
			kind = "ip6"
			if ip.Is4() {
				kind = "ip4"
			}
		} else if host == "" {
			kind, host = "ip4", "0.0.0.0"
		}
		s = "/" + kind + "/" + host + "/tcp/" + port
	}
	return wire.ParseAddress(s, lim)
}
