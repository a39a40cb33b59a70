// Package tcp carries streams between peers over TCP, from the standard library alone:
// the transport of the smallest peers. Each stream is a TCP connection with TLS 1.3; see
// package channel for how its ends know each other.
package tcp
