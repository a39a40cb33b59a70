// Package protocol is what a client of a remote device and its server say to each other:
// messages in protobuf, written by hand over protowire like those of runtime/wire, and
// the conversation that carries them.
//
// A stream begins with a Hello each way, in which the client proves an invitation if it
// is not known yet. Each message then stands behind its length; elements of tensors
// follow it and are no part of it, so that they are read to where they belong.
//
// Messages of a session are numbered in both directions, and kept by their sender until
// the other end has them. After a break a new connection goes on where the last one was.
//
// Bytes from outside are hostile until proven otherwise: every size is compared with a
// limit before memory is spent on it.
package protocol
