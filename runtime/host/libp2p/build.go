package libp2p

import (
	"fmt"
	"io"
	"net"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/sec"
	libp2ptransport "github.com/libp2p/go-libp2p/core/transport"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/host/observedaddrs"
	"github.com/libp2p/go-libp2p/p2p/host/peerstore/pstoremem"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	circuit "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	libp2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// builder assembles a host. Package libp2p's own constructor would also link WebRTC, WebTransport and a
// framework for dependency injection.
type builder struct {
	t      *transport
	key    crypto.PrivKey
	bus    event.Bus
	limits network.ResourceManager
	swarm  *swarm.Swarm
	up     libp2ptransport.Upgrader
}

func (t *transport) build(udp []udpOption) error {
	at, err := places(t.config.Listen)
	if err != nil {
		return err
	}
	b := &builder{t: t, bus: eventbus.NewBus()}
	if b.key, err = keyToLibp2p(t.config.Key); err != nil {
		return err
	}
	if b.limits, err = resources(&t.config); err != nil {
		return err
	}
	t.keep(b.limits)
	for _, step := range []func() error{b.makeSwarm, b.addTCP, func() error { return b.addQUIC(udp) }, b.makeHost} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, a := range at.own {
		err := free(a)
		if err == nil {
			err = b.swarm.Listen(a)
		}
		if err != nil {
			return fmt.Errorf("listen at %s: %w", a, err)
		}
	}
	if len(udp) > 0 { // a simulated network of a test
		return nil
	}
	return t.serve(at)
}

// free returns an error if another process listens at a TCP address. libp2p would share its port with that
// process, in order to dial from it: half of the incoming connections would go to the other process.
func free(a multiaddr.Multiaddr) error {
	at, err := manet.ToNetAddr(a)
	own, ok := at.(*net.TCPAddr)
	if err != nil || !ok || own.Port == 0 {
		return nil
	}
	l, err := net.ListenTCP("tcp", own)
	if err != nil {
		return err
	}
	return l.Close()
}

// keep makes the transport close c, before the services that were added earlier.
func (t *transport) keep(c io.Closer) { t.services = append(t.services, c) }

// makeSwarm makes the part of the host that dials and holds connections.
func (b *builder) makeSwarm() error {
	id, err := idToLibp2p(b.t.id)
	if err != nil {
		return err
	}
	store, err := pstoremem.NewPeerstore()
	if err != nil {
		return err
	}
	b.t.keep(store)
	if err := store.AddPrivKey(id, b.key); err != nil {
		return err
	}
	if err := store.AddPubKey(id, b.key.GetPublic()); err != nil {
		return err
	}
	b.swarm, err = swarm.NewSwarm(id, store, b.bus, swarm.WithResourceManager(b.limits), swarm.WithDialRanker(tcpFirst))
	if err != nil {
		return err
	}
	b.t.swarm = b.swarm
	b.t.keep(b.swarm)
	return nil
}

// addTCP adds TCP with TLS 1.3 or Noise, and yamux.
func (b *builder) addTCP() error {
	muxers := []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: muxer()}}
	tls, err := libp2ptls.New(libp2ptls.ID, b.key, muxers)
	if err != nil {
		return err
	}
	noise, err := noise.New(noise.ID, b.key, muxers)
	if err != nil {
		return err
	}
	b.up, err = upgrader.New([]sec.SecureTransport{tls, noise}, muxers, nil, b.limits, nil, upgrader.WithAcceptTimeout(b.t.config.HandshakeTimeout))
	if err != nil {
		return err
	}
	t, err := tcp.NewTCPTransport(b.up, b.limits, nil)
	if err != nil {
		return err
	}
	return b.swarm.AddTransport(t)
}

// makeHost makes the host on the swarm: it learns its external addresses from other peers, and punches holes.
func (b *builder) makeHost() error {
	manager, err := connmgr.NewConnManager(idleConnections/2, idleConnections)
	if err != nil {
		return err
	}
	b.t.keep(manager)
	seen, err := observedaddrs.NewManager(b.bus, b.swarm)
	if err != nil {
		return err
	}
	b.t.keep(seen)
	h, err := basichost.NewHost(b.swarm, &basichost.HostOpts{
		EventBus:             b.bus,
		ConnManager:          manager,
		ObservedAddrsManager: seen,
		EnableHolePunching:   true,
		UserAgent:            "bbgen",
		NegotiationTimeout:   b.t.config.HandshakeTimeout,
	})
	if err != nil {
		return err
	}
	b.t.host = h
	b.t.keep(h)
	if err := circuit.AddTransport(h, b.up); err != nil {
		return err
	}
	seen.Start(b.swarm)
	h.Start()
	return nil
}

// idleConnections is how many connections without a stream of ours may stay open.
const idleConnections = 64
