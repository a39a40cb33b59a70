package kademlia

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Key is a point of the space in which peers and values lie.
type Key = [32]byte

// keyBits is the size of a key, and so the number of buckets.
const keyBits = 256

// entry is a known peer.
type entry struct {
	id       wire.PeerID
	failures int // requests without an answer since it was heard last
}

// bucket has the known peers in a range of distances, those that were silent for longest first.
type bucket struct {
	live   []entry
	spare  []wire.PeerID // heard while the bucket was full, the latest last
	pinged int           // the period of a ping to the first of live; 0: none
}

// buckets are the known peers of a peer, by distance. The last bucket is the nearest half of the others.
type buckets struct {
	self Key
	k    int
	list [keyBits]bucket
	used int // no bucket from here on has a peer
}

// distance returns the XOR of two keys.
func distance(a, b Key) (d Key) {
	for i := range a {
		d[i] = a[i] ^ b[i]
	}
	return d
}

// of returns the bucket for a peer; nil for the peer itself.
func (t *buckets) of(id wire.PeerID) *bucket {
	d := distance(t.self, id.Key())
	for i, b := range d {
		if b != 0 {
			at := i*8 + bits.LeadingZeros8(b)
			t.used = max(t.used, at+1)
			return &t.list[at]
		}
	}
	return nil
}

// heard records that a peer has sent something.
func (t *buckets) heard(id wire.PeerID) {
	b := t.of(id)
	if b == nil {
		return
	}
	switch i := b.find(id); {
	case i >= 0:
		if i == 0 {
			b.pinged = 0
		}
		b.live = append(slices.Delete(b.live, i, i+1), entry{id: id})
	case len(b.live) < t.k:
		b.live = append(b.live, entry{id: id})
		b.forget(id)
	default:
		b.forget(id)
		if b.spare = append(b.spare, id); len(b.spare) > t.k {
			b.spare = slices.Delete(b.spare, 0, 1)
		}
	}
}

// silent records that a peer has not answered. It is forgotten at once if there is another one for its place, and
// otherwise after a few times.
func (t *buckets) silent(id wire.PeerID) {
	b := t.of(id)
	if b == nil {
		return
	}
	b.forget(id)
	i := b.find(id)
	if i < 0 {
		return
	}
	if i == 0 {
		b.pinged = 0
	}
	if b.live[i].failures++; len(b.spare) == 0 && b.live[i].failures < maxFailures {
		return
	}
	b.live = slices.Delete(b.live, i, i+1)
	if n := len(b.spare); n > 0 {
		b.live = append(b.live, entry{id: b.spare[n-1]})
		b.spare = b.spare[:n-1]
	}
}

// maxFailures is how often a peer may not answer until it is forgotten without another one.
const maxFailures = 3

// ping returns a peer to ping in this period, whose place another one could take.
func (t *buckets) ping(now int) (id wire.PeerID, ok bool) {
	for i := range t.used {
		b := &t.list[i]
		if len(b.spare) > 0 && len(b.live) > 0 && b.pinged == 0 {
			b.pinged = now
			return b.live[0].id, true
		}
	}
	return id, false
}

// expire gives the places of peers that have not answered a ping to others.
func (t *buckets) expire(now, patience int) {
	for i := range t.used {
		if b := &t.list[i]; b.pinged > 0 && now-b.pinged > patience && len(b.live) > 0 {
			b.pinged = 0
			t.silent(b.live[0].id)
		}
	}
}

// all returns all known peers.
func (t *buckets) all() (list []wire.PeerID) {
	for i := range t.used {
		for _, e := range t.list[i].live {
			list = append(list, e.id)
		}
	}
	return list
}

// nearest returns the n known peers that are nearest to a key.
func (t *buckets) nearest(key Key, n int) []wire.PeerID {
	list := t.all()
	sortByDistance(list, key)
	return list[:min(n, len(list))]
}

// sortByDistance sorts peers by their distance from a key.
func sortByDistance(list []wire.PeerID, key Key) {
	type far struct {
		d  Key
		id wire.PeerID
	}
	all := make([]far, len(list))
	for i, p := range list {
		all[i] = far{distance(p.Key(), key), p}
	}
	slices.SortFunc(all, func(a, b far) int { return bytes.Compare(a.d[:], b.d[:]) })
	for i := range all {
		list[i] = all[i].id
	}
}

// compare orders peers by their distance from a key, which is 0 only between equal ones.
func compare(a, b wire.PeerID, key Key) int {
	x, y := distance(a.Key(), key), distance(b.Key(), key)
	return bytes.Compare(x[:], y[:])
}

func (b *bucket) find(id wire.PeerID) int {
	return slices.IndexFunc(b.live, func(e entry) bool { return e.id == id })
}

func (b *bucket) forget(id wire.PeerID) {
	b.spare = slices.DeleteFunc(b.spare, func(p wire.PeerID) bool { return p == id })
}
