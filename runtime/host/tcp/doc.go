// Package tcp carries streams between peers over TCP, encrypted by TLS 1.3, from
// the standard library alone: the transport of the smallest peers.
//
// Both ends of a connection present a certificate that they have signed
// themselves; its Ed25519 key is the peer id, and the handshake proves that they
// hold it. Names, dates and authorities in certificates mean nothing. Each stream
// is a connection of its own; what it is for is told by ALPN.
package tcp
