package trust

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/wire"
)

// ParseAddress parses an address in the form of libp2p, or as host:port.
func ParseAddress(s string, lim *wire.Limits) (wire.Address, error) {
	if !strings.HasPrefix(s, "/") {
		i := strings.LastIndexByte(s, ':')
		if i < 0 {
			return "", fmt.Errorf("address %.80q: want host:port or /ip4/…/tcp/…", s)
		}
		host, port := s[:i], s[i+1:]
		if strings.ContainsAny(host, "[]") {
			inside, begins := strings.CutPrefix(host, "[")
			inside, ends := strings.CutSuffix(inside, "]")
			if host = inside; !begins || !ends {
				return "", fmt.Errorf("address %.80q: want an IPv6 address between [ and ], as in [::1]:4001", s)
			}
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", fmt.Errorf("address %.80q: port %.80q, want a number from 0 to 65535", s, port)
		}
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

// ParseAddresses parses addresses in the forms that users write.
func ParseAddresses(list []string, lim *wire.Limits) ([]wire.Address, error) {
	var out []wire.Address
	for _, s := range list {
		a, err := ParseAddress(s, lim)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}
