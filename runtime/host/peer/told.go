package peer

import "github.com/bbgen/bbgen/runtime/host/peer/status"

// Package status defines the status of a peer. The types are aliases for programs that launch peers.
type (
	// A Line is one line of -events, for programs that launch peers.
	Line = status.Line

	// Status is the status of a peer.
	Status = status.Status

	// PeerStatus is the status of another peer as this one sees it.
	PeerStatus = status.PeerStatus

	// A Number is a number that a program reports.
	Number = status.Number
)
