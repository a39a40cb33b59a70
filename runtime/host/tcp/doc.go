// Package tcp provides streams between peers over TCP, using only the standard library: the transport of the
// smallest peers. Each stream is a TCP connection with TLS 1.3; package channel describes the authentication.
//
// Between peers of one machine and one user it is a Unix socket instead, on Linux, which takes less of the system's time. It is
// found by the address of TCP, encrypted and authenticated all the same.
package tcp
