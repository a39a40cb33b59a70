// Package tcp provides streams between peers over TCP, using only the standard library: the transport of the
// smallest peers. Each stream is a TCP connection with TLS 1.3; package channel describes the authentication.
package tcp
