package status

import "github.com/bbgen/bbgen/runtime/wire"

// Status is how a peer is doing.
type Status struct {
	ID        string         `json:"id"`
	State     string         `json:"state"`     // waiting, running, stopping
	Completed uint64         `json:"completed"` // the execution of its own that ended last
	Latest    uint64         `json:"latest"`    // the latest execution that ended here, whoever began it
	Live      int            `json:"live"`      // executions
	Outbound  int            `json:"outbound"`  // envelopes not acknowledged
	In        int64          `json:"in"`        // bytes
	Out       int64          `json:"out"`
	Missing   []string       `json:"missing,omitempty"` // peers that cannot be heard
	Rounds    int            `json:"rounds,omitempty"`  // of the program's loops, counted from 1: the one that ended last here
	Awaited   []string       `json:"awaited,omitempty"` // peers without which nothing begins: 3 of 4 clients are up
	Waits     []string       `json:"waits,omitempty"`   // what executions have waited for for long, the first of them
	Unsaved   string         `json:"unsaved,omitempty"` // why the latest snapshot could not be written
	Addresses []wire.Address `json:"addresses,omitempty"`
	Pages     string         `json:"pages,omitempty"` // where they are served: http://127.0.0.1:8080/

	Fed        bool `json:"fed,omitempty"`        // all that -in gives has been given
	Unanswered int  `json:"unanswered,omitempty"` // executions of it that have not come to their end
}
