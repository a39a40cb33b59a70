package trust

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// isNear reports whether a peer with these addresses runs on this machine: one of them is of the loopback, or of an interface of
// this machine.
func isNear(list []wire.Address) bool {
	return slices.ContainsFunc(list, func(a wire.Address) bool {
		parts := strings.SplitN(string(a), "/", 4)
		if len(parts) < 3 {
			return false
		}
		ip, err := netip.ParseAddr(parts[2])
		if err != nil {
			return parts[2] == "localhost"
		}
		ip = ip.Unmap()
		return ip.IsLoopback() || slices.Contains(own(), ip)
	})
}

// own returns the addresses of this machine when it is first called.
var own = sync.OnceValue(func() (list []netip.Addr) {
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			list = append(list, p.Addr().Unmap())
		}
	}
	return list
})
