package tcp

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/bbgen/bbgen/runtime/wire"
)

// addressOf returns the address of a listener.
func addressOf(ip netip.Addr, port uint16, id wire.PeerID) wire.Address {
	kind := "ip6"
	if ip = ip.Unmap(); ip.Is4() {
		kind = "ip4"
	}
	return wire.Address(fmt.Sprintf("/%s/%s/tcp/%d/p2p/%v", kind, ip.WithZone(""), port, id))
}

// dialable returns the addresses of a listener: an unspecified one stands for all addresses of the machine.
func dialable(at net.Addr, id wire.PeerID) []wire.Address {
	ap, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return nil
	}
	if !ap.Addr().IsUnspecified() {
		return []wire.Address{addressOf(ap.Addr(), ap.Port(), id)}
	}
	var list, loopback []wire.Address
	all, _ := net.InterfaceAddrs()
	for _, x := range all {
		p, err := netip.ParsePrefix(x.String())
		ip := p.Addr().Unmap()
		switch {
		case err != nil || ap.Addr().Is4() && !ip.Is4() || ip.IsLinkLocalUnicast():
		case ip.IsLoopback():
			loopback = append(loopback, addressOf(ip, ap.Port(), id))
		default:
			list = append(list, addressOf(ip, ap.Port(), id))
		}
	}
	return append(list, loopback...)
}

// portOf returns the port of a host and port.
func portOf(at string) string {
	_, port, _ := net.SplitHostPort(at)
	return port
}
