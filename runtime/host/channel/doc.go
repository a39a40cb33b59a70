// Package channel provides streams between peers over any network of connections, encrypted with TLS 1.3.
// Transports over TCP and through a broker use it.
//
// Both ends of a connection present a self-signed certificate; its Ed25519 key is the peer id, and the
// handshake proves that they hold the key. Names, dates and authorities in certificates are ignored. Each
// stream is a separate connection; ALPN gives its protocol. So an intermediary can neither read nor change
// data; it can only end the connection.
package channel
