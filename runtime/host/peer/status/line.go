package status

import "time"

// A Line is one line of -events, for programs that launch peers.
type Line struct {
	Time  time.Time `json:"time"`
	Peer  string    `json:"peer"` // the writer: client-3
	Kind  string    `json:"kind"` // an event of the node, or: started, status, refused, ended
	From  string    `json:"from,omitempty"`
	Name  string    `json:"name,omitempty"`
	Round uint64    `json:"round,omitempty"` // the execution's number at its origin
	Value any       `json:"value,omitempty"` // of emitted: a number or a short list
	Type  string    `json:"type,omitempty"`  // of emitted: float32[10,784]
	Hash  string    `json:"hash,omitempty"`  // of emitted: SHA-256 of the elements
	Error string    `json:"error,omitempty"`

	// Dropped is how many lines of this kind and peer were left out before this one because of the rate limit.
	Dropped uint64 `json:"dropped,omitempty"`

	*Status
	Picture *Picture `json:"picture,omitempty"` // of a peer with pages, with its status
}
