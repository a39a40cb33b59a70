// Package libp2p transports the channels of peers over libp2p: TCP with TLS 1.3 or Noise and yamux, QUIC,
// relays, hole punching, and hints from the local network. It is a separate module, so that programs without it
// do not have its dependencies.
//
// TCP is dialed first. The death of a process is noticed at once on TCP, as the system closes its connections;
// QUIC has to wait for a timeout. QUIC is for networks without TCP connectivity, and for NATs through which TCP
// cannot punch holes.
//
// Addresses to listen at are those of TCP and QUIC,
//
//	/ip4/0.0.0.0/tcp/4001
//	/ip4/0.0.0.0/udp/4001/quic-v1
//
// and of relays through which a peer behind a NAT can be reached:
//
//	/ip4/192.0.2.1/tcp/4001/p2p/12D3KooW…/p2p-circuit
//
// With the build tag noquic a peer has no QUIC, and is some MB smaller.
//
// A peer that can be reached from the internet relays for the peers that it has admitted, within libp2p's
// limits, until they have punched a hole.
package libp2p
