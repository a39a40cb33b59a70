package status

import "github.com/bbgen/bbgen/runtime/wire"

// Status is the status of a peer.
type Status struct {
	ID        string         `json:"id"`
	State     string         `json:"state"`     // waiting, running, stopping
	Completed uint64         `json:"completed"` // the number of its own execution that ended last
	Latest    uint64         `json:"latest"`    // the latest execution that ended here, of any origin
	Live      int            `json:"live"`      // executions
	Outbound  int            `json:"outbound"`  // unacknowledged envelopes
	In        int64          `json:"in"`        // bytes
	Out       int64          `json:"out"`
	Missing   []string       `json:"missing,omitempty"` // peers that do not respond
	Apart     []string       `json:"apart,omitempty"`   // before the program begins: why some of these cannot be reached, as in "client-0: connection refused"
	Rounds    int            `json:"rounds,omitempty"`  // of the program's loops, counted from 1: the last one that ended here
	Awaited   []string       `json:"awaited,omitempty"` // peers that must connect before the program begins: 3 of 4 clients are up
	Waits     []string       `json:"waits,omitempty"`   // the first values for which executions have waited for long
	Idle      bool           `json:"idle,omitempty"`    // nothing happens until another peer or the host acts
	Ungiven   []string       `json:"ungiven,omitempty"` // inputs of the host that no -in gives
	Unsaved   string         `json:"unsaved,omitempty"` // why the latest snapshot could not be written
	Addresses []wire.Address `json:"addresses,omitempty"`
	Pages     string         `json:"pages,omitempty"` // the address of the pages: http://127.0.0.1:8080/

	Fed        bool `json:"fed,omitempty"`        // all inputs of -in were given
	Unanswered int  `json:"unanswered,omitempty"` // executions of -in that have not ended, or have failed
}
