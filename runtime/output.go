package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// OutputKind is the kind of an [Output].
type OutputKind uint8

// The requests to a host.
const (
	Send       OutputKind = iota // send Envelope to Peer. Both are borrowed until the next call of the Node, except payloads that are [Final]: the host may hold references to their memory
	Dial                         // open a channel to Peer, then call Connected or DialFailed
	Run                          // run Task on a worker, then call Complete with Command
	Tell                         // receive Event, which is borrowed until the next call of the Node; see [Node.Snapshot] for how a host records it
	Checkpoint                   // take a Snapshot, keep it, then call Persisted
	Hangup                       // close the channel to Peer, which violated the protocol, then call Disconnected
	Fetch                        // fetch Bulk from Peer, then call Filled
	Load                         // read Value, which Peer has sent, from its file into memory, then call Loaded
	Yield                        // run other work: the budget is used up, and there is more to do
)

var outputNames = [...]string{"send", "dial", "run", "tell", "checkpoint", "hangup", "fetch", "load", "yield"}

// String returns the kind in one word, such as "send".
func (k OutputKind) String() string {
	if int(k) < len(outputNames) {
		return outputNames[k]
	}
	return fmt.Sprintf("OutputKind(%d)", k)
}

// An Output is one request to a host.
type Output struct {
	Kind     OutputKind
	Peer     wire.PeerID
	Envelope *wire.Envelope
	Bulk     wire.Bulk
	Value    wire.Blob // with a reference, which the host releases
	Command  CommandID
	Task     Task
	Event    *Event
}

// output is an Output that waits to be taken.
type output struct {
	kind     OutputKind
	peer     *peer
	envelope *outbox.Envelope // of Send; nil: only an acknowledgement
	places   bool             // of Send: the message says where this peer can be dialed
	command  CommandID
	bulk     wire.Bulk
	value    wire.Blob // of Load, with a reference
}
