// Package peer is what the mains of distributed peers share: the loop that
// drives a node, the connections to other peers and the command line.
//
// What has a state of its own has a room of its own, which does not know this one:
//
//	trust                  keys, members, invitations
//	status                 reports and their pages, metrics, lines of -events
//	internal/conversation  messages and payloads on streams, what a peer may cost
//	internal/spool         large values in files
//	internal/state         the state directory, snapshots
//	internal/output        the log, -events and -out, written beside the loop
//
// It knows no network. A [Transport] opens and accepts streams whose other end
// has proven its key; tcp, libp2p and nats are packages beside this one, and
// package hosttest says in tests what any of them must do. All that is said on a
// stream is said here: a Hello each way before anything else, then envelopes,
// pings and, on a stream of their own, the chunks of large payloads.
//
// One goroutine owns the node. Others read and write streams, run commands and
// keep snapshots, and tell it by notes in a mailbox without locks.
package peer
