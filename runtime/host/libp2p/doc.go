// Package libp2p carries the channels of peers over libp2p: TCP with TLS 1.3 or
// Noise and yamux, QUIC, relays, hole punching, and hints from the local
// network. It is a module of its own, so that whoever does without it does not
// depend on what it depends on.
//
// TCP is dialled first. A killed process is noticed at once on TCP, whose
// connection the system closes; QUIC has to wait for silence. QUIC is there for
// where TCP does not lead, and for holes that TCP cannot punch.
//
// Addresses to listen at are those of TCP and QUIC,
//
//	/ip4/0.0.0.0/tcp/4001
//	/ip4/0.0.0.0/udp/4001/quic-v1
//
// and of relays that a peer behind a NAT is to be reached through:
//
//	/ip4/192.0.2.1/tcp/4001/p2p/12D3KooW…/p2p-circuit
//
// With the build tag noquic a peer has no QUIC, and is some MB smaller.
//
// A peer that can be reached from the internet relays for peers that it has
// admitted, within libp2p's limits, until they have punched a hole.
package libp2p
