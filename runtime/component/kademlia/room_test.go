package kademlia

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// usage is what the values of a store take, in all and by peer, counted from nothing.
type usage struct {
	values, bytes int
	of            map[wire.PeerID][2]int
}

func usageOf(s *store) usage {
	u := usage{of: map[wire.PeerID][2]int{}}
	for _, r := range s.list {
		u.values++
		u.bytes += len(r.value)
		o := u.of[r.from]
		u.of[r.from] = [2]int{o[0] + 1, o[1] + len(r.value)}
	}
	return u
}

// model is a store as a map, with a limit for each peer of what all leave for the others.
type model struct {
	most, each, bytes int
	values            map[string]record
}

func (m *model) put(r record) bool {
	name := fmt.Sprint(r.from, r.key)
	_, replaces := m.values[name]
	total, totalBytes, own, ownBytes := 0, 0, 0, 0
	for n, v := range m.values {
		if n == name {
			continue
		}
		total, totalBytes = total+1, totalBytes+len(v.value)
		if v.from == r.from {
			own, ownBytes = own+1, ownBytes+len(v.value)
		}
	}
	leftBytes := m.bytes - totalBytes
	if ownBytes+len(r.value) > leftBytes || !replaces && (own+1 > m.each || own+1 > m.most-total) {
		return false
	}
	m.values[name] = r
	return true
}

// TestStoreModel: any sequence of values of some peers, of keys that they share, and of periods leaves what a map with the same
// limits has.
func TestStoreModel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := &store{most: 1 + r.IntN(30), each: 1 + r.IntN(12), bytes: r.IntN(400)}
		m := &model{s.most, s.each, s.bytes, map[string]record{}}
		x := newTown(t, seed, 5)
		for now := range 400 {
			v := record{Key{byte(r.IntN(10))}, make([]byte, r.IntN(30)), x.ids[r.IntN(5)], now + r.IntN(60)}
			if got, want := s.put(v), m.put(v); got != want {
				t.Fatalf("seed %d, period %d: a value of %d bytes is stored: %v, want %v; %+v", seed, now, len(v.value), got, want, usageOf(s))
			}
			s.expire(now)
			for n, v := range m.values {
				if v.until < now {
					delete(m.values, n)
				}
			}
			u := usageOf(s)
			if u.values != len(m.values) || u.values > s.most || u.bytes > s.bytes {
				t.Fatalf("seed %d, period %d: %+v, want %d values, at most %d of %d bytes", seed, now, u, len(m.values), s.most, s.bytes)
			}
			for k := range byte(10) {
				last := -1
				for _, v := range m.values {
					if v.key == (Key{k}) {
						last = max(last, v.until)
					}
				}
				if got := s.get(Key{k}); (got != nil) != (last >= 0) {
					t.Fatalf("seed %d, period %d: key %d has the value %v, want one: %v", seed, now, k, got, last >= 0)
				}
			}
		}
	}
}

// TestStoreLeavesRoom: however many peers publish as much and as large values as they can, each gets the same room and the next one
// as much.
func TestStoreLeavesRoom(t *testing.T) {
	const most, limit = 600, 600 * 100
	for insiders := 1; insiders <= 8; insiders++ {
		for _, size := range []int{1, 100, 5000} {
			x := newTown(t, 1, insiders+1)
			s := &store{most: most, each: most, bytes: limit}
			for round := range most {
				for _, p := range x.ids[:insiders] {
					s.put(record{Key{byte(round), byte(round >> 8)}, make([]byte, size), p, 1})
				}
			}
			u := usageOf(s)
			room := min(most/(insiders+1), limit/(insiders+1)/size) - 1 // a value is not divided
			got := 0
			for k := range most {
				if s.put(record{Key{0, 0, byte(k), byte(k >> 8)}, make([]byte, size), x.ids[insiders], 1}) {
					got++
				}
			}
			if got*2 < room {
				t.Errorf("%d peers with %d values of %d bytes leave room for %d, want %d", insiders, u.values, size, got, room)
			}
		}
	}
}

// TestReplacedValueHasItsRoom: a peer that has used its share may replace a value, whose room is free then, and not by one that
// takes the room of others.
func TestReplacedValueHasItsRoom(t *testing.T) {
	x := newTown(t, 1, 2)
	s := &store{most: 10, each: 10, bytes: 100}
	put := func(key, size int) bool {
		return s.put(record{Key{byte(key)}, bytes.Repeat([]byte{byte(size)}, size), x.ids[0], 9})
	}
	if !put(1, 30) || !put(2, 20) || put(3, 1) {
		t.Fatalf("one peer has %+v, want 50 bytes of 100", usageOf(s))
	}
	for _, c := range []struct {
		size int
		ok   bool
	}{{30, true}, {61, false}, {5, true}, {60, true}, {81, false}} {
		before := len(s.get(Key{1}))
		if ok := put(1, c.size); ok != c.ok {
			t.Errorf("%d bytes in place of %d: %v", c.size, before, ok)
		} else if got := len(s.get(Key{1})); !ok && got != before || ok && got != c.size {
			t.Errorf("after %d bytes in place of %d: %d", c.size, before, got)
		}
	}
}

// TestDefaultBytes: on a machine with little memory a table stores less.
func TestDefaultBytes(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	x := newTown(t, 1, 2)
	for _, c := range []struct {
		memory int64
		most   int
	}{{64 << 20, 4 << 20}, {256 << 20, 16 << 20}, {math.MaxInt64, 64 << 20}} {
		debug.SetMemoryLimit(c.memory)
		table := &Table{Values: 1 << 20, Each: 1 << 20}
		table.begin(x.outside(0))
		for k := range 4096 {
			if !table.stored.put(record{Key{byte(k), byte(k >> 8)}, make([]byte, MaxValue), x.ids[k%2], 1}) {
				break
			}
		}
		if got := usageOf(&table.stored).bytes; got > c.most || got < c.most/2 {
			t.Errorf("with %d bytes of memory %d are stored, want up to %d", c.memory, got, c.most)
		}
	}
	if err := (&Table{Bytes: -1}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "Bytes is -1") {
		t.Errorf("less than 0 bytes: %v", err)
	}
}

// heldBy returns how many bytes of values from others a table's lookups hold.
func heldBy(p *Table) (n int) {
	for _, l := range p.lookups {
		n += len(l.found) + len(l.seen)*len(sum{})
	}
	return n
}

// TestLargeLies: peers that each answer with another large value occupy no memory with them, and the value that two honest peers
// return is found among them.
func TestLargeLies(t *testing.T) {
	x := newTown(t, 5, 40)
	p := x.all[0]
	p.Agree, p.K = 2, 8
	p.wake(x.outside(0))
	keys := maxLookups - len(p.lookups)
	for k := range keys {
		x.check(p.Get(word(fmt.Sprint("key ", k))))
	}
	truth := bytes.Repeat([]byte("true "), 100)
	for i, l := range p.lookups {
		if l.kind != getValue {
			continue
		}
		for j, from := range x.ids[1:] {
			l.list = append(l.list, candidate{id: from, status: asked})
			value := truth
			if j != 7 && j != 30 {
				value = make([]byte, MaxValue)
				value[0], value[MaxValue-1] = byte(j), byte(i)
			}
			if l.found != nil && j <= 30 {
				t.Fatalf("lookup %d believes one peer", i)
			}
			p.answer(x.outside(0), from, reply{number: l.number, value: value})
			p.answer(x.outside(0), from, reply{number: l.number, value: value}) // the same peer again
		}
		if !bytes.Equal(l.found, truth) {
			t.Errorf("lookup %d has found %d bytes, want the value that two return", i, len(l.found))
		}
	}
	if n := heldBy(p); n > keys*(len(truth)+40*len(sum{})) {
		t.Errorf("%d lookups hold %d bytes of values from others", len(p.lookups), n)
	}
}

// TestFirstAgreedValueStays: when enough peers have returned one value, others that agree on another one later do not replace it.
func TestFirstAgreedValueStays(t *testing.T) {
	for enough := 1; enough <= 5; enough++ {
		var l lookup
		for i := range enough {
			if l.found != nil {
				t.Fatalf("found after %d of %d", i, enough)
			}
			l.see([]byte("one"), enough)
		}
		for range 10 {
			l.see([]byte("other"), enough)
		}
		if want := "one"; string(l.found) != want {
			t.Errorf("%q is found when %d must agree, want %q", l.found, enough, want)
		}
	}
}

// TestForgedState: a state that claims more than it has is refused, and does not change the table.
func TestForgedState(t *testing.T) {
	x := newTown(t, 2, 12)
	x.periods(30)
	x.check(x.all[0].Put(word("a"), word("b")))
	x.check(x.all[0].Get(word("c")))
	x.periods(10)
	state, err := x.all[0].AppendBinary(nil)
	x.check(err)
	r := rand.New(rand.NewPCG(9, 9))
	for range 3000 {
		forged := bytes.Clone(state)
		for range 1 + r.IntN(3) {
			forged[r.IntN(len(forged))] = byte(r.Uint32())
		}
		p := &Table{K: 6}
		if p.UnmarshalBinary(forged) != nil {
			if n, _ := p.State(); n.Data[0]+n.Data[1]+n.Data[2] != 0 {
				t.Fatal("a refused state has changed the table")
			}
			continue
		}
		p.wake(x.outside(1)) // goes on
		if n, err := p.State(); err != nil || n.Data[1] > maxLookups {
			t.Fatalf("a forged state: %v, %v", n.Data, err)
		}
	}
}

// TestDistanceIsAMetric: of keys that differ, the order by distance is total, symmetric, and only the key itself is at distance 0.
func TestDistanceIsAMetric(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	zero := Key{}
	for range 500 {
		a, b, c := randomKey(r), randomKey(r), randomKey(r)
		if distance(a, b) != distance(b, a) || distance(a, a) != zero || distance(a, b) == zero {
			t.Fatal("a distance that is none")
		}
		ab, bc, ac := distance(a, b), distance(b, c), distance(a, c)
		if x := distance(ab, bc); x != ac { // d(a,c) = d(a,b) XOR d(b,c), which is at most their sum
			t.Fatalf("%x is not %x", x, ac)
		}
	}
}

// TestNearestIsBruteForce: the nearest known peers are those that a sort of all known ones by distance has first.
func TestNearestIsBruteForce(t *testing.T) {
	for seed := range uint64(20) {
		x := newTown(t, seed, 60)
		b := &buckets{self: x.ids[0].Key(), k: 60}
		for _, p := range x.ids {
			b.heard(p)
		}
		key := randomKey(x.r)
		got := b.nearest(key, 9)
		if len(got) != 9 {
			t.Fatalf("%d peers, want 9", len(got))
		}
		for i, p := range got {
			nearer := 0
			for _, q := range x.ids[1:] {
				a, b := distance(q.Key(), key), distance(p.Key(), key)
				if bytes.Compare(a[:], b[:]) < 0 {
					nearer++
				}
			}
			if nearer != i {
				t.Errorf("seed %d: %d peers are nearer than number %d", seed, nearer, i)
			}
		}
	}
}

// TestWireLimits: a request and an answer come back as they were; one with a value that is too large, or with too many names, does not.
func TestWireLimits(t *testing.T) {
	x := newTown(t, 1, maxK+1)
	for _, size := range []int{0, 1, MaxValue, MaxValue + 1} {
		r := request{number: math.MaxUint64, op: opStore, key: Key{1, 31: 2}, value: make([]byte, size)}
		got, err := parseRequest(r.message().Data)
		if (err == nil) != (size <= MaxValue) {
			t.Errorf("a value of %d bytes: %v", size, err)
		}
		if err == nil && (got.number != r.number || got.key != r.key || !bytes.Equal(got.value, r.value)) {
			t.Errorf("a request with %d bytes comes back as %+v", size, got)
		}
	}
	for _, n := range []int{0, 1, maxK, maxK + 1} {
		a := reply{number: 1, peers: x.ids[:n]}
		if got, err := parseReply(a.message().Data); (err == nil) != (n <= maxK) || err == nil && len(got.peers) != n {
			t.Errorf("an answer with %d names: %v", n, err)
		}
	}
	if _, err := parseReply(tensor.DenseOf([]byte(nil), 0).Data); err == nil {
		t.Error("nothing is an answer")
	}
}
