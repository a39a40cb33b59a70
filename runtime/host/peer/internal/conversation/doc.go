// Package conversation implements the exchange between two peers on a stream, independent of its meaning:
// messages with a length prefix, write queues, payloads in chunks, and limits on the cost of a peer that sends
// too much.
//
// [Frames] reads messages and [Queue] writes them. On a separate stream a [Sender] writes the payloads that the
// peer fetches, and [Inbound] tracks those that are fetched from it, over several connections. [Undecided]
// holds streams whose peer has not been admitted yet; [Waste] and [Bucket] limit what is read and answered.
//
// The package opens no streams and calls no host: a stream is any value with reads, writes and deadlines, and
// calls return what the host has to do next.
package conversation
