package tcp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/wire"
)

// hostPort reads /ip4/192.0.2.1/tcp/4001 and the like, with or without the peer
// behind it, as package net wants it.
func hostPort(a wire.Address) (string, error) {
	parts := strings.Split(string(a), "/")
	if len(parts) == 7 && parts[5] == "p2p" {
		parts = parts[:5]
	}
	if len(parts) != 5 || parts[0] != "" || parts[3] != "tcp" {
		return "", fmt.Errorf("address %s: want /ip4/…/tcp/…, with ip6 or dns in place of ip4 if need be", a)
	}
	host, port := parts[2], parts[4]
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("address %s: port %q", a, port)
	}
	ip, err := netip.ParseAddr(host)
	switch parts[1] {
	case "ip4":
		if err != nil || !ip.Is4() {
			return "", fmt.Errorf("address %s: %q is no IPv4 address", a, host)
		}
	case "ip6":
		if err != nil || !ip.Is6() {
			return "", fmt.Errorf("address %s: %q is no IPv6 address", a, host)
		}
	case "dns", "dns4", "dns6":
		if host == "" || strings.ContainsAny(host, "[]:%") {
			return "", fmt.Errorf("address %s: %q is no name", a, host)
		}
	default:
		return "", fmt.Errorf("address %s: /%s is not for TCP", a, parts[1])
	}
	return net.JoinHostPort(host, port), nil
}

// addressOf writes where a peer listens.
func addressOf(ip netip.Addr, port uint16, id wire.PeerID) wire.Address {
	kind := "ip6"
	if ip = ip.Unmap(); ip.Is4() {
		kind = "ip4"
	}
	return wire.Address(fmt.Sprintf("/%s/%s/tcp/%d/p2p/%v", kind, ip.WithZone(""), port, id))
}

// dialable lists the addresses behind one that is listened at: an unspecified
// one stands for all of the machine.
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
