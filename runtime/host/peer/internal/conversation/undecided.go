package conversation

import (
	"io"
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Waiting is a stream that a peer has opened.
type Waiting interface {
	io.Closer
	Peer() wire.PeerID // proven by the channel
}

// Undecided holds the streams that are neither accepted nor refused yet: their Hello has not come, or their
// refusal is being written. If there are too many, the oldest is closed, so that a stranger that opens many
// silent streams loses its own ones first. Members have separate places, which strangers cannot use up.
type Undecided struct {
	room int // for all strangers together

	mu        sync.Mutex
	strangers []Waiting // oldest first
	members   map[wire.PeerID][]Waiting
}

// memberRoom is how many streams of one member may be undecided.
const memberRoom = 16

// NewUndecided has room for so many streams of strangers.
func NewUndecided(room int) *Undecided {
	return &Undecided{room: room, members: map[wire.PeerID][]Waiting{}}
}

// Enter adds a stream.
func (u *Undecided) Enter(s Waiting, member bool) {
	var over Waiting
	u.mu.Lock()
	if member {
		u.members[s.Peer()], over = push(u.members[s.Peer()], s, memberRoom)
	} else {
		u.strangers, over = push(u.strangers, s, u.room)
	}
	u.mu.Unlock()
	if over != nil {
		over.Close()
	}
}

// push appends a stream to a list, and removes and returns the oldest one if the list is full.
func push(list []Waiting, s Waiting, room int) (_ []Waiting, over Waiting) {
	if len(list) >= max(room, 1) {
		over = list[0]
		list = slices.Delete(list, 0, 1)
	}
	return append(list, s), over
}

// Leave removes a stream that was accepted or refused.
func (u *Undecided) Leave(s Waiting) {
	u.mu.Lock()
	defer u.mu.Unlock()
	is := func(x Waiting) bool { return x == s }
	u.strangers = slices.DeleteFunc(u.strangers, is)
	if list, ok := u.members[s.Peer()]; ok {
		if list = slices.DeleteFunc(list, is); len(list) > 0 {
			u.members[s.Peer()] = list
		} else {
			delete(u.members, s.Peer())
		}
	}
}
