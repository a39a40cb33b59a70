// Package wire holds the messages that peers exchange, the names in them, and
// their encoding. It knows neither sockets nor what a message makes a peer do.
//
// Messages are protobuf, written by hand over protowire: Append functions write
// to the end of a slice, Consume functions read in place. What they return
// aliases the bytes that they were given, and the memory of a message is used
// again by the next Consume into it, so that neither direction allocates. The
// schema is wire.proto, beside this file.
//
// Bytes from outside are hostile until proven otherwise. A Consume function
// checks every size against [Limits] before it makes room for anything, skips
// fields that it does not know, and never panics.
//
// What goes where: every stream begins with a [Hello] each way. The envelope
// stream then carries envelopes and a [Ping] now and then, each behind its length
// ([AppendLength]); the bulk stream carries, framed the same way, a [Chunk] or an
// [Ack] at a time. The receiver of a bulk payload begins: the first Ack asks for
// it, the others say how far it has come.
package wire
