package peer

import "github.com/bbgen/bbgen/runtime/host/peer/status"

// How a peer tells how it is doing is the business of package status. The types are aliases,
// as those who launch peers write their names.
type (
	// Line is one line of -events: what a program that launches peers reads.
	Line = status.Line

	// Status is how a peer is doing.
	Status = status.Status

	// PeerStatus is how a peer sees another one.
	PeerStatus = status.PeerStatus

	// Number is one that a program tells of itself.
	Number = status.Number
)
