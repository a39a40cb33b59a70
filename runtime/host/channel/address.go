package channel

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/wire"
)

// HostPort converts an address such as /ip4/192.0.2.1/tcp/4001, with or without a peer id at the end, to the
// form of package net.
func HostPort(a wire.Address) (string, error) {
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
