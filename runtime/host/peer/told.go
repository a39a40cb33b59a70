package peer

import "github.com/bbgen/bbgen/runtime/host/peer/status"

// SumPictures returns the picture of a class, from those of its peers and their names: see [status.Sum].
func SumPictures(names []string, pictures []*Picture) *Picture { return status.Sum(names, pictures) }

// Package status defines the status of a peer. The types are aliases for programs that launch peers.
type (
	// A Line is one line of -events, for programs that launch peers.
	Line = status.Line

	// Status is the status of a peer.
	Status = status.Status

	// PeerStatus is the status of another peer as this one sees it.
	PeerStatus = status.PeerStatus

	// A Picture is a peer's part of the program, with what is under way.
	Picture = status.Picture

	// A Number is a number that a program reports.
	Number = status.Number
)
