package conversation

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// opened is a stream that a peer has opened.
type opened struct {
	peer   wire.PeerID
	closed bool
}

func (o *opened) Peer() wire.PeerID { return o.peer }

func (o *opened) Close() error {
	o.closed = true
	return nil
}

// Of too many streams of strangers the oldest is closed, but no stream of a member.
func TestUndecided(t *testing.T) {
	id, err := wire.PeerIDOf(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	u := NewUndecided(2)
	member := &opened{peer: id}
	u.Enter(member, true)
	var all []*opened
	for range 5 {
		s := &opened{}
		u.Enter(s, false)
		all = append(all, s)
	}
	if n := slices.IndexFunc(all, func(s *opened) bool { return !s.closed }); n != 3 || member.closed || all[4].closed {
		t.Errorf("the first %d strangers are closed, want 3; the member is: %t", n, member.closed)
	}
	u.Leave(all[3])
	u.Enter(&opened{}, false)
	if all[4].closed {
		t.Error("a stream is closed though there is room")
	}
	for range memberRoom {
		u.Enter(&opened{peer: id}, true)
	}
	if !member.closed {
		t.Error("a member has more streams than there is room for")
	}
	if u.Leave(member); len(u.members[id]) != memberRoom {
		t.Errorf("%d streams of the member are left, want %d", len(u.members[id]), memberRoom)
	}
}
