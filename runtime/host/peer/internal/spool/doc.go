// Package spool stores large values in files, for a peer whose memory is smaller than the values that it
// receives. It knows neither the node nor the network.
//
// A [Spool] stores and finds the large values of a node (values.Spool). A value is a wire.Blob with a
// reference count; its file is removed when it has no reference left and no stored snapshot names it. Data from
// a peer are written by a [Writer], or held in memory within limits, and count for the [Share] of that peer.
//
// A goroutine of the spool writes, closes and removes files: the loop only computes the checksums of a value.
// Only Write, Open and Sync wait for the disk.
package spool
