package peer

import (
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// undecided is the streams that are neither accepted nor refused yet: their Hello has not
// come, or their refusal is being written. When there are too many the oldest is closed,
// so that a stranger who opens streams and says nothing loses his own first. Members have
// places of their own: strangers never keep them out.
type undecided struct {
	room int // for all strangers together

	mu        sync.Mutex
	strangers []Stream // oldest first
	members   map[wire.PeerID][]Stream
}

// memberRoom is how many streams of one member may be undecided.
const memberRoom = 8

func newUndecided(room int) *undecided {
	return &undecided{room: room, members: map[wire.PeerID][]Stream{}}
}

// enter adds a stream.
func (u *undecided) enter(s Stream, member bool) {
	var over Stream
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

// push adds a stream to those that wait, and returns the oldest if there is no room for
// it any more.
func push(list []Stream, s Stream, room int) (_ []Stream, over Stream) {
	if len(list) >= max(room, 1) {
		over = list[0]
		list = slices.Delete(list, 0, 1)
	}
	return append(list, s), over
}

// leave removes a stream that was accepted or refused.
func (u *undecided) leave(s Stream) {
	u.mu.Lock()
	defer u.mu.Unlock()
	is := func(x Stream) bool { return x == s }
	u.strangers = slices.DeleteFunc(u.strangers, is)
	if list, ok := u.members[s.Peer()]; ok {
		if list = slices.DeleteFunc(list, is); len(list) > 0 {
			u.members[s.Peer()] = list
		} else {
			delete(u.members, s.Peer())
		}
	}
}
