// Package protocol is the messages between a client of a remote device and its server, in protobuf, written
// by hand over protowire like those of runtime/wire, and the connection that carries them.
//
// A stream begins with a Hello in each direction, in which the client proves an invitation if it is not
// admitted yet. Each message is preceded by its length. Elements of tensors follow the message and are not a
// part of it, so that they are read directly to their memory.
//
// Messages of a session are numbered in both directions, and kept by their sender until the other end has
// received them. After a break a new connection continues the session.
//
// Bytes from outside are not trusted: every size is compared with a limit before memory is allocated for it.
package protocol
