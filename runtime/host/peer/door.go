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
	d.mu.Lock()
	defer d.mu.Unlock()
	if member {
		d.members[s.Peer()] = push(d.members[s.Peer()], s, memberRoom)
	} else {
		d.strangers = push(d.strangers, s, d.room)
	}
}

// push adds a stream to those that wait, and closes the oldest if there is no room.
func push(list []Stream, s Stream, room int) []Stream {
	if len(list) >= max(room, 1) {
		list[0].Close()
		list = slices.Delete(list, 0, 1)
	}
	return append(list, s)
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
