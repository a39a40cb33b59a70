package nats

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/channel"
	"github.com/bbgen/bbgen/runtime/wire"
)

// place is the address of a listener.
type place struct {
	broker string // in the form of package net
	at     string // the broker's address
	name   string // "": not given
}

// parse parses /dns/broker.example.com/tcp/4222/nats/NAME, with or without the name, and with or without a peer
// id at the end.
func parse(a wire.Address) (place, error) {
	rest, _, _ := strings.Cut(string(a), "/p2p/")
	at, name, named := strings.Cut(rest, "/nats/")
	broker, err := channel.HostPort(wire.Address(at))
	if err == nil && named && !isName(name) {
		err = fmt.Errorf("address %s: want a name of letters, digits, - and _ behind /nats/", a)
	}
	return place{broker, at, name}, err
}

// isName reports whether a name can be part of a subject.
func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}) < 0
}

// address returns the place in the form that others dial.
func (p *place) address(self wire.PeerID) wire.Address {
	return wire.Address(fmt.Sprintf("%s/nats/%s/p2p/%v", p.at, p.name, self))
}

// subject returns the subject of a listener's calls.
func subject(name string) string { return "bbgen.listen." + name }
