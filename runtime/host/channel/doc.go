// Package channel carries streams between peers over any network of connections,
// encrypted by TLS 1.3: what transports over TCP, and through a broker, share.
//
// Both ends of a connection present a certificate that they have signed
// themselves; its Ed25519 key is the peer id, and the handshake proves that they
// hold it. Names, dates and authorities in certificates mean nothing. Each stream
// is a connection of its own; what it is for is told by ALPN. So nobody who carries
// a connection can read or change what goes over it, but to end it.
package channel
