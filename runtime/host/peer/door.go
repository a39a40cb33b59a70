package peer

import (
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime/wire"
)

// door counts the streams about which nothing is decided yet: whose Hello has not
// come, or whose refusal is being written. When there are too many the oldest goes,
// so that whoever opens streams and says nothing shuts out himself first. Members
// have places of their own: strangers never keep them out.
type door struct {
	room int // for all strangers together

	mu        sync.Mutex
	strangers []Stream // oldest first
	members   map[wire.PeerID][]Stream
}

// memberRoom is how many streams of one member may wait at the door.
const memberRoom = 8

func newDoor(room int) *door { return &door{room: room, members: map[wire.PeerID][]Stream{}} }

// enter lets a stream wait.
func (d *door) enter(s Stream, member bool) {
	var over Stream
	d.mu.Lock()
	if member {
		d.members[s.Peer()], over = push(d.members[s.Peer()], s, memberRoom)
	} else {
		d.strangers, over = push(d.strangers, s, d.room)
	}
	d.mu.Unlock()
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

// leave says that something is decided about a stream.
func (d *door) leave(s Stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	is := func(x Stream) bool { return x == s }
	d.strangers = slices.DeleteFunc(d.strangers, is)
	if list, ok := d.members[s.Peer()]; ok {
		if list = slices.DeleteFunc(list, is); len(list) > 0 {
			d.members[s.Peer()] = list
		} else {
			delete(d.members, s.Peer())
		}
	}
}
