// Package peer is the shared code of the mains of distributed peers: the loop that drives a node, the
// connections to other peers and the command line.
//
// Parts with a state of their own are packages that do not depend on this one:
//
//	trust                  keys, members, invitations
//	status                 reports and their pages, metrics, lines of -events
//	internal/conversation  messages and payloads on a stream, what a peer may cost
//	internal/connection    the streams of a connection between two peers
//	internal/spool         large values in files
//	internal/state         the state directory, snapshots, orders of upgrades
//	internal/upgrade       how another binary takes over
//	internal/output        the log, -events and -out, written beside the loop
//
// The package knows no network. A [Transport] opens and accepts streams whose other end has proven its key;
// tcp, libp2p and nats are packages beside this one, and package hosttest tests the requirements for all of
// them. Package connection defines the messages on a stream: a Hello in each direction, then envelopes, pings and, on
// a separate stream, the chunks of large payloads.
//
// A reader begins with main.go, the commands, setup.go, which makes a host, and loop.go, which drives it. The files
// of this package call only those of their own line and of the lines above it (internal/arch tests that):
//
//	options, limits, program, transport, aliases   what a peer is given
//	host, link, clock                              the state of a host and of its peers
//	log, lines, past, progress, traces             what users are told
//	phase                                          how a program begins and ends
//	links, handshake                               who the peers are, and how they are greeted
//	exchange, bulk, parallelopen, chaos            what the node sends and receives on it
//	connect, accept, meet, introduce               how connections begin and end
//	report, picture, pages                         the state of a peer, for users
//	loop, events, heartbeat, checkpoint            what the loop does
//	setup, identity, node                          how a host is made
//	main, commands, doctor, upgrade, peer          the command line, and a peer inside another Go program
//
// One goroutine, the loop, owns the node. Others read and write streams, run commands and store snapshots, and
// communicate with it through a lock-free mailbox. A connection does not know the host, which is its receiver.
package peer
