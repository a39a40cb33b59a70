package wire

import "strings"

// Address is the address of a peer in the form of libp2p: /ip4/192.0.2.1/tcp/4001/p2p/12D3KooW…. Only hosts
// interpret it.
type Address string

// ParseAddress checks a text from outside.
func ParseAddress[T ~string | ~[]byte](text T, lim *Limits) (Address, error) {
	if err := within("address", len(text), lim.Address); err != nil {
		return "", err
	}
	if err := checkAddress(text); err != nil {
		return "", err
	}
	return Address(text), nil
}

// checkAddress checks that an address consists of parts of printable ASCII, each after a slash.
func checkAddress[T ~string | ~[]byte](text T) error {
	if len(text) < 2 || text[0] != '/' {
		return malformed("address", "%.40q does not begin with a slash and a name", text)
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' {
			return malformed("address", "character %q at %d", c, i)
		}
	}
	return nil
}

// Peer returns the peer in the address: its last /p2p/ part.
func (a Address) Peer() (PeerID, bool) {
	_, id, ok := cutLast(string(a), "/p2p/")
	if !ok {
		return PeerID{}, false
	}
	id, _, _ = strings.Cut(id, "/")
	p, err := ParsePeerID(id)
	return p, err == nil
}

// IsPlace reports whether an address says where a peer can be dialed: it begins with a network, and names no value or
// component within the peer, as addresses of bytesandbrains may.
func (a Address) IsPlace() bool {
	network, _, _ := strings.Cut(strings.TrimPrefix(string(a), "/"), "/")
	switch network {
	case "ip4", "ip6", "dns", "dns4", "dns6":
	default:
		return false
	}
	for _, within := range [...]string{"/site/", "/component/", "/op/"} {
		if strings.Contains(string(a), within) {
			return false
		}
	}
	return true
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
