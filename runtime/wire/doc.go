// Package wire holds the messages that peers exchange, the names in them, and their encoding. It knows neither
// sockets nor the effects of messages.
//
// Messages are protobuf, written by hand over protowire: Append functions append to a slice, Consume functions
// read in place. The results alias the input, and the memory of a message is reused by the next Consume into
// it, so that neither direction allocates. The schema is wire.proto, beside this file.
//
// Bytes from outside are treated as hostile. A Consume function checks every size against [Limits] before it
// allocates, skips unknown fields, and never panics.
//
// Every stream begins with a [Hello] in each direction. The envelope stream then carries envelopes and
// occasional [Ping] messages, each with a length prefix ([AppendLength]); the bulk stream carries [Chunk] and
// [Ack] messages in the same framing. The receiver of a bulk payload begins: its first Ack requests the
// payload, later ones report the progress. A parallel stream carries envelopes alone; for each of them the
// envelope stream has a [Parallel] message in its place.
package wire
