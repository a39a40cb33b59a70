// Package spool keeps large values in files, for a peer whose memory is smaller than what
// it is sent. It knows neither the node nor the network.
//
// A [Spool] is what a node puts values into and finds them in again (runtime.Spool). A
// value is a wire.Blob with a reference count; its file goes when nobody has a share in it
// and no snapshot that is kept names it. What a peer sends is written by a [Writer], or
// held in memory within limits, and counts for the [Share] of that peer.
//
// Files are written, closed and removed on a goroutine of the spool: who keeps a value
// takes its sums and goes on. Nothing waits for the disk but Write, Open and Sync.
package spool
