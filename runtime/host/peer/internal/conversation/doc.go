// Package conversation is what two peers say on a stream, apart from what it means: messages
// behind their lengths, what waits to be written, payloads in chunks, and how much a peer may
// cost that talks too much.
//
// [Frames] reads messages and [Queue] writes them. On a stream of its own a [Sender] writes
// the payloads that the peer fetches, and [Inbound] knows those that are fetched from it,
// over connections that come and go. [Undecided] holds streams whose peer has not been let
// in yet; [Waste] and [Bucket] limit what is read and answered.
//
// The package opens no stream and asks nobody: a stream is whatever can be read or written
// with a deadline, and what the host has to do next is what a call returns.
package conversation
