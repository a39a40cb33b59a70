package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/wire"
)

// OutputKind says what a host is asked to do.
type OutputKind uint8

// What a host is asked to do.
const (
	Send       OutputKind = iota // send Envelope to Peer; both are borrowed until the next call of the Node, but for payloads that are [Final], in whose memory it may have a share
	Dial                         // open a channel to Peer, then call Connected or DialFailed
	Run                          // run Task on a worker, then call Complete with Command
	Tell                         // hear of Event, which is borrowed until the next call of the Node; see [Node.Snapshot] for what the host writes down of it
	Checkpoint                   // take a Snapshot, keep it, then call Persisted
	Hangup                       // close the channel to Peer, which broke the rules, then call Disconnected
	Fetch                        // have Peer send Bulk, then call Filled
	Yield                        // look to others: the budget is used up, and there is more to do
)

var outputNames = [...]string{"send", "dial", "run", "tell", "checkpoint", "hangup", "fetch", "yield"}

func (k OutputKind) String() string {
	if int(k) < len(outputNames) {
		return outputNames[k]
	}
	return fmt.Sprintf("OutputKind(%d)", k)
}

// Output is one thing that a host is asked to do.
type Output struct {
	Kind     OutputKind
	Peer     wire.PeerID
	Envelope *wire.Envelope
	Bulk     wire.Bulk
	Command  CommandID
	Task     Task
	Event    *Event
}

// output is an Output as it waits to be taken.
type output struct {
	kind     OutputKind
	peer     *peer
	envelope *envelope // of Send; nil: an acknowledgement alone
	command  CommandID
	bulk     wire.Bulk
}
