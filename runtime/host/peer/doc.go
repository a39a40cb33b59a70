// Package peer is the shared code of the mains of distributed peers: the loop that drives a node, the
// connections to other peers and the command line.
//
// Parts with a state of their own are packages that do not depend on this one:
//
//	trust                  keys, members, invitations
//	status                 reports and their pages, metrics, lines of -events
//	internal/conversation  messages and payloads on streams, what a peer may cost
//	internal/spool         large values in files
//	internal/state         the state directory, snapshots
//	internal/output        the log, -events and -out, written beside the loop
//
// The package knows no network. A [Transport] opens and accepts streams whose other end has proven its key;
// tcp, libp2p and nats are packages beside this one, and package hosttest tests the requirements for all of
// them. This package defines the messages on a stream: a Hello in each direction, then envelopes, pings and, on
// a separate stream, the chunks of large payloads.
//
// A reader begins with main.go, the commands, and setup.go, which makes a host. host.go has the loop, phase.go says
// how a program begins and ends, exchange.go passes envelopes between node and connections, which connect.go,
// handshake.go and conn.go make. peer.go is a peer inside another Go program.
//
// One goroutine owns the node. Others read and write streams, run commands and store snapshots, and communicate
// with it through a lock-free mailbox.
package peer
