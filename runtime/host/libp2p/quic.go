//go:build !noquic

package libp2p

import (
	"crypto/hkdf"
	"crypto/sha256"

	"github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	quicgo "github.com/quic-go/quic-go"
)

// udpOption lets tests replace the network of QUIC.
type udpOption = quicreuse.Option

// addQUIC adds QUIC. Tests pass options for a simulated network.
func (b *builder) addQUIC(udp []udpOption) error {
	var reset quicgo.StatelessResetKey
	var token quicgo.TokenGeneratorKey
	for info, key := range map[string][]byte{"bbgen quic stateless reset": reset[:], "bbgen quic token": token[:]} {
		k, err := hkdf.Key(sha256.New, b.t.config.Key.Seed(), nil, info, len(key))
		if err != nil {
			return err
		}
		copy(key, k)
	}
	ports, err := quicreuse.NewConnManager(reset, token, udp...)
	if err != nil {
		return err
	}
	b.t.keep(ports)
	t, err := libp2pquic.NewTransport(b.key, ports, nil, nil, b.limits)
	if err != nil {
		return err
	}
	return b.swarm.AddTransport(t)
}
