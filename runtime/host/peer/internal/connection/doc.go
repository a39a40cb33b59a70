// Package connection reads and writes the streams of a connection between two peers: Hellos, then envelopes, pings and
// introductions on an envelope stream, large envelopes on parallel streams, and the chunks of payloads on a bulk stream.
//
// A [Conn] is an envelope stream with its [Parallel] streams, and a [Bulk] belongs to it. What is kept of a peer over
// all its connections is an [Account]. Goroutines of the package read and write. The goroutine that owns the node, the
// loop, is told through a mailbox what has come: it is a [Receiver].
//
// The package opens no streams and knows no host. It does not decide which peers may connect, or when streams are
// opened.
package connection
