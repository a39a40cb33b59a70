package kademlia

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// MaxValue is the maximum size of a value.
const MaxValue = 1 << 16

const (
	maxK       = 64
	maxLookups = 64  // in progress
	maxResults = 256 // kept
)

// Table implements the role Protocol of a peer of a Kademlia. It begins with the peers that follow it by rank, and
// learns of others by lookups.
type Table struct {
	Class    string
	K        int // the peers of a bucket, and those that store a value; 0: 8
	Alpha    int // the peers that a lookup asks at a time; 0: 3
	Begin    int // the peers that it begins with; 0: 3
	Patience int // periods until a peer that has not answered counts as silent; 0: 4
	Refresh  int // periods between lookups of a random key, which find new peers; 0: 60
	Expire   int // periods until a stored value is forgotten, unless it is stored again; 0: 600
	Agree    int // peers that must return the same value; 0: 2
	Values   int // values of others that are stored here; 0: 1024
	Each     int // values of one peer that are stored here; 0: 64
	Bytes    int // of the values of others; 0: 64 MiB, or a sixteenth of the memory

	table   buckets
	begun   bool
	now     int // periods so far
	stored  store
	lookups []*lookup
	turn    int    // lookups that had a turn
	number  uint64 // of the last lookup
	results []result
}

// result is what a lookup has found.
type result struct {
	key   Key
	value []byte        // nil: none
	peers []wire.PeerID // the nearest that have answered
}

// outside is what a table learns from its node.
type outside struct {
	self     wire.PeerID
	rand     *rand.Rand
	all      func() []wire.PeerID   // the peers of the class, by rank
	admitted func(wire.PeerID) bool // whether a peer is one of the class
}

// Open checks the configuration.
func (t *Table) Open(runtime.Env) error {
	for _, f := range []struct {
		name        string
		value, most int
	}{
		{"K", t.K, maxK}, {"Alpha", t.Alpha, maxK}, {"Begin", t.Begin, maxK}, {"Patience", t.Patience, 1 << 20}, {"Refresh", t.Refresh, 1 << 30},
		{"Expire", t.Expire, 1 << 30}, {"Agree", t.Agree, maxK}, {"Values", t.Values, 1 << 20}, {"Each", t.Each, 1 << 20}, {"Bytes", t.Bytes, math.MaxInt},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("kademlia.Table: %s is %d, want 0 to %d", f.name, f.value, f.most)
		}
	}
	if t.agree() > t.k() {
		return fmt.Errorf("kademlia.Table: Agree is %d and K %d: no more peers than K store a value", t.agree(), t.k())
	}
	return nil
}

// defaultBytes is how many bytes of values a table stores where the memory is not small.
func defaultBytes() int { return min(64<<20, tensor.Limit()/16) }

func (t *Table) k() int        { return cmp.Or(t.K, 8) }
func (t *Table) alpha() int    { return cmp.Or(t.Alpha, 3) }
func (t *Table) patience() int { return cmp.Or(t.Patience, 4) }
func (t *Table) agree() int    { return cmp.Or(t.Agree, 2) }
func (t *Table) expiry() int   { return cmp.Or(t.Expire, 600) }

func (t *Table) outside(n runtime.Peer) outside {
	return outside{
		self: n.Self(), rand: n.Rand(), all: func() []wire.PeerID { return n.Peers(nil, t.Class) },
		admitted: func(p wire.PeerID) bool {
			class, _, ok := n.ClassOf(p)
			return ok && classes.Is(class, t.Class)
		},
	}
}

// Put stores a value at the K peers that are nearest to its key, when they are found. Values expire; so the program
// puts them again.
func (t *Table) Put(key, value tensor.Dense[uint8]) error {
	if len(value.Data) == 0 || len(value.Data) > MaxValue {
		return fmt.Errorf("a value of %d bytes, want 1 to %d", len(value.Data), MaxValue)
	}
	return t.look(putValue, key, value.Data)
}

// Get begins a lookup of a value. Value returns the result.
func (t *Table) Get(key tensor.Dense[uint8]) error { return t.look(getValue, key, nil) }

// Find begins a lookup of the peers that are nearest to a key. Nearest returns the result.
func (t *Table) Find(key tensor.Dense[uint8]) error { return t.look(findPeers, key, nil) }

// Value returns the value that the last lookup of a key has found; it is empty if there is none.
func (t *Table) Value(key tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
	k, err := keyOf(key)
	for _, r := range t.results {
		if r.key == k && r.value != nil {
			return tensor.DenseOf(slices.Clone(r.value), len(r.value)), err
		}
	}
	return tensor.DenseOf([]byte(nil), 0), err
}

// Nearest returns the peers that the last lookup of a key has found, the nearest first; without one, the nearest that
// this peer knows.
func (t *Table) Nearest(key tensor.Dense[uint8]) ([]wire.PeerID, error) {
	k, err := keyOf(key)
	for _, r := range t.results {
		if r.key == k && len(r.peers) > 0 {
			return slices.Clone(r.peers), err
		}
	}
	return t.table.nearest(k, t.k()), err
}

// State returns the numbers of known peers, of lookups in progress, and of values stored here.
func (t *Table) State() (tensor.Dense[int64], error) {
	return tensor.DenseOf([]int64{int64(len(t.table.all())), int64(len(t.lookups)), int64(len(t.stored.list))}, 3), nil
}

// keyOf returns a key of at most 32 bytes; the rest is 0.
func keyOf(b tensor.Dense[uint8]) (k Key, err error) {
	if len(b.Data) > len(k) {
		return k, fmt.Errorf("a key of %d bytes, want at most %d: take a hash", len(b.Data), len(k))
	}
	copy(k[:], b.Data)
	return k, nil
}

// look begins a lookup. One of the same kind and key that is in progress goes on, with the new value.
func (t *Table) look(what kind, key tensor.Dense[uint8], value []byte) error {
	k, err := keyOf(key)
	if err != nil {
		return err
	}
	for _, l := range t.lookups {
		if l.kind == what && l.key == k {
			l.value = slices.Clone(value)
			return nil
		}
	}
	if len(t.lookups) >= maxLookups {
		return fmt.Errorf("%d lookups are in progress: wait for one to end", len(t.lookups))
	}
	t.start(what, k, value)
	return nil
}

func (t *Table) start(what kind, key Key, value []byte) {
	t.number++
	t.lookups = append(t.lookups, &lookup{number: t.number, kind: what, key: key, value: slices.Clone(value)})
}

// Tick advances a lookup, or pings a peer whose place another one could take.
func (t *Table) Tick(n runtime.Peer) ([]wire.PeerID, tensor.Dense[uint8], error) {
	to, r := t.wake(t.outside(n))
	if len(to) == 0 {
		return nil, tensor.DenseOf([]byte(nil), 0), nil
	}
	return to, r.message(), nil
}

// wake counts a period. It returns a request, and the peers that it is for.
func (t *Table) wake(out outside) ([]wire.PeerID, request) {
	t.now++
	t.begin(out)
	t.stored.expire(t.now)
	t.table.expire(t.now, t.patience())
	for _, l := range t.lookups {
		for _, p := range l.expire(t.now, t.patience()) {
			t.table.silent(p)
		}
	}
	if t.now%cmp.Or(t.Refresh, 60) == 0 && len(t.lookups) < maxLookups {
		t.start(findPeers, randomKey(out.rand), nil)
	}
	if t.now%4 == 0 { // lookups do not keep pings waiting
		if p, ok := t.table.ping(t.now); ok {
			return []wire.PeerID{p}, request{op: opPing}
		}
	}
	for range len(t.lookups) {
		t.turn++
		i := t.turn % len(t.lookups)
		if to, r := t.advance(i, out); len(to) > 0 {
			return to, r
		}
		if len(t.lookups) == 0 {
			break
		}
	}
	if p, ok := t.table.ping(t.now); ok {
		return []wire.PeerID{p}, request{op: opPing}
	}
	return nil, request{}
}

// begin fills the table with the next peers by rank, and looks for the peer itself, by which its neighbors learn of it.
func (t *Table) begin(out outside) {
	t.table.self, t.table.k = out.self.Key(), t.k()
	t.stored.most, t.stored.each, t.stored.bytes = cmp.Or(t.Values, 1024), cmp.Or(t.Each, 64), cmp.Or(t.Bytes, defaultBytes())
	if t.begun && len(t.table.all()) > 0 {
		return
	}
	all := out.all()
	self := slices.Index(all, out.self)
	for i := 1; i < len(all) && i <= cmp.Or(t.Begin, 3); i++ {
		if p := all[(self+i)%len(all)]; p != out.self {
			t.table.heard(p)
		}
	}
	if len(all) > 1 && len(t.lookups) < maxLookups {
		t.begun = true
		t.start(findPeers, out.self.Key(), nil)
	}
}

func randomKey(r *rand.Rand) (k Key) {
	for i := range k {
		k[i] = byte(r.Uint32())
	}
	return k
}

// advance makes the next step of a lookup. It returns a request, and ends the lookup if there is nothing left to ask.
func (t *Table) advance(i int, out outside) ([]wire.PeerID, request) {
	l := t.lookups[i]
	if len(l.list) == 0 {
		for _, p := range t.table.nearest(l.key, t.k()) {
			l.add(p, t.k())
		}
	}
	to, done := l.next(t.now, t.k(), t.alpha())
	r := request{number: l.number, op: opFindPeers, key: l.key}
	if l.kind == getValue {
		r.op = opFindValue
		done = done || l.found != nil
	}
	if !done {
		return to, r
	}
	t.lookups = slices.Delete(t.lookups, i, i+1)
	t.finish(l)
	if l.kind != putValue {
		return nil, r
	}
	near := l.nearest(t.k())
	if len(near) > 0 && (len(near) < t.k() || compare(out.self, near[len(near)-1], l.key) < 0) {
		t.stored.put(record{l.key, l.value, out.self, t.now + t.expiry()})
	}
	return near, request{number: l.number, op: opStore, key: l.key, value: l.value}
}

// finish keeps the result of a lookup.
func (t *Table) finish(l *lookup) {
	t.results = slices.DeleteFunc(t.results, func(r result) bool { return r.key == l.key })
	if len(t.results) >= maxResults {
		t.results = slices.Delete(t.results, 0, 1)
	}
	r := result{key: l.key, value: l.found, peers: l.nearest(t.k())}
	t.results = append(t.results, r)
}

// Receive answers a request.
func (t *Table) Receive(n runtime.Peer, from wire.PeerID, m tensor.Dense[uint8]) ([]wire.PeerID, tensor.Dense[uint8], error) {
	r, err := parseRequest(m.Data)
	if err != nil {
		return nil, tensor.Dense[uint8]{}, err
	}
	a := t.serve(t.outside(n), from, r)
	return []wire.PeerID{from}, a.message(), nil
}

// serve computes the answer to a request.
func (t *Table) serve(out outside, from wire.PeerID, r request) reply {
	t.begin(out)
	t.table.heard(from)
	a := reply{number: r.number}
	switch r.op {
	case opStore:
		if len(r.value) > 0 {
			t.stored.put(record{r.key, r.value, from, t.now + t.expiry()})
		}
	case opFindValue:
		a.value = t.stored.get(r.key)
		fallthrough
	case opFindPeers:
		for _, p := range t.table.nearest(r.key, t.k()+1) {
			if p != from && len(a.peers) < t.k() {
				a.peers = append(a.peers, p)
			}
		}
	}
	return a
}

// Answered takes an answer.
func (t *Table) Answered(n runtime.Peer, from wire.PeerID, m tensor.Dense[uint8]) error {
	a, err := parseReply(m.Data)
	if err == nil {
		t.answer(t.outside(n), from, a)
	}
	return err
}

// answer takes an answer. The peer lives; what it names counts only if this peer has asked.
func (t *Table) answer(out outside, from wire.PeerID, a reply) {
	t.table.heard(from)
	i := slices.IndexFunc(t.lookups, func(l *lookup) bool { return l.number == a.number })
	if i < 0 || !t.lookups[i].waits(from) {
		return
	}
	l := t.lookups[i]
	if l.kind == getValue && len(a.value) > 0 {
		l.see(a.value, t.agree())
	}
	for _, p := range a.peers[:min(len(a.peers), t.k())] {
		if p != out.self && out.admitted(p) {
			l.add(p, t.k())
		}
	}
}
