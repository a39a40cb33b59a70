package kademlia

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// town is a set of peers with messages between them.
type town struct {
	t     *testing.T
	r     *rand.Rand
	ids   []wire.PeerID
	at    map[wire.PeerID]int
	all   []*Table
	dead  []bool
	lies  []bool // the peer names others, and returns values, as it likes
	mail  []func()
	trace []byte // of what was sent
}

// lie is the value that liars return.
var lie = []byte("a lie")

func newTown(t *testing.T, seed uint64, n int) *town {
	x := &town{t: t, r: rand.New(rand.NewPCG(seed, 7)), at: map[wire.PeerID]int{}, dead: make([]bool, n), lies: make([]bool, n)}
	for i := range n {
		var key [32]byte
		for j := range key {
			key[j] = byte(x.r.Uint32())
		}
		id, err := wire.PeerIDOf(key[:])
		if err != nil {
			t.Fatal(err)
		}
		x.ids, x.at[id] = append(x.ids, id), i
		x.all = append(x.all, &Table{K: 6, Refresh: 20})
	}
	return x
}

func (x *town) outside(i int) outside {
	return outside{self: x.ids[i], rand: x.r, all: func() []wire.PeerID { return slices.Clone(x.ids) }, admitted: func(p wire.PeerID) bool { _, ok := x.at[p]; return ok }}
}

// periods lets some periods pass. A message takes one.
func (x *town) periods(n int) {
	for range n {
		mail := x.mail
		x.mail = nil
		for _, deliver := range mail {
			deliver()
		}
		for i, t := range x.all {
			if !x.dead[i] {
				to, r := t.wake(x.outside(i))
				x.send(i, to, r)
			}
		}
	}
}

// send sends a request to live peers, and their answers back. Messages are encoded and decoded.
func (x *town) send(i int, to []wire.PeerID, r request) {
	for _, p := range to {
		j := x.at[p]
		m := r.message().Data
		x.trace = append(append(x.trace, byte(i), byte(j)), m...)
		x.mail = append(x.mail, func() {
			if x.dead[j] {
				return
			}
			r, err := parseRequest(m)
			if err != nil {
				x.t.Fatal(err)
			}
			a := x.all[j].serve(x.outside(j), x.ids[i], r)
			if x.lies[j] {
				a.value, a.peers = lie, nil
				for range 6 {
					a.peers = append(a.peers, x.ids[x.r.IntN(len(x.ids))])
				}
			}
			b := a.message().Data
			x.mail = append(x.mail, func() {
				a, err := parseReply(b)
				if err != nil {
					x.t.Fatal(err)
				}
				if !x.dead[i] {
					x.all[i].answer(x.outside(i), x.ids[j], a)
				}
			})
		})
	}
}

// nearest returns the peers that are really nearest to a key, of those that live.
func (x *town) nearest(key Key, n int) []wire.PeerID {
	var list []wire.PeerID
	for i, p := range x.ids {
		if !x.dead[i] {
			list = append(list, p)
		}
	}
	sortByDistance(list, key)
	return list[:n]
}

// living returns a random peer that lives and does not lie.
func (x *town) living() int {
	for {
		if i := x.r.IntN(len(x.all)); !x.dead[i] && !x.lies[i] {
			return i
		}
	}
}

func word(s string) tensor.Dense[uint8] { return tensor.DenseOf([]byte(s), len(s)) }

// check fails the test on an error.
func (x *town) check(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// TestFind shows that lookups find the peers that are nearest to a key, though each peer begins with three others.
func TestFind(t *testing.T) {
	for seed := range uint64(12) {
		x := newTown(t, seed, 60)
		x.periods(60)
		found := 0
		asks := make([]int, 10)
		for k := range asks {
			asks[k] = x.living()
			x.check(x.all[asks[k]].Find(word(fmt.Sprint("key ", k))))
		}
		x.periods(40)
		for k, i := range asks {
			key := word(fmt.Sprint("key ", k))
			got, err := x.all[i].Nearest(key)
			x.check(err)
			at, _ := keyOf(key)
			want := slices.DeleteFunc(x.nearest(at, 7), func(p wire.PeerID) bool { return p == x.ids[i] })[:6]
			if slices.Equal(got, want) {
				found++
			}
		}
		if found < 9 {
			t.Errorf("seed %d: %d of 10 lookups find the nearest peers", seed, found)
		}
	}
}

// TestValues shows that values are found after half of the peers have died, and none after they have expired.
func TestValues(t *testing.T) {
	found, all := 0, 0
	for seed := range uint64(10) {
		x := newTown(t, seed, 40)
		for _, p := range x.all {
			p.Expire = 400
		}
		x.periods(60)
		for k := range 10 {
			x.check(x.all[x.living()].Put(word(fmt.Sprint("key ", k)), word(fmt.Sprint("value ", k))))
			x.periods(2)
		}
		x.periods(60)
		for n := 0; n < 20; n++ {
			x.dead[x.living()] = true
		}
		x.periods(40)
		asks := make([]int, 10)
		for k := range asks {
			asks[k] = x.living()
			x.check(x.all[asks[k]].Get(word(fmt.Sprint("key ", k))))
		}
		x.periods(100)
		for k, i := range asks {
			got, err := x.all[i].Value(word(fmt.Sprint("key ", k)))
			x.check(err)
			if all++; string(got.Data) == fmt.Sprint("value ", k) {
				found++
			}
		}
		x.periods(300)
		i := x.living()
		x.check(x.all[i].Get(word("key 3")))
		x.periods(60)
		if got, _ := x.all[i].Value(word("key 3")); len(got.Data) > 0 {
			t.Errorf("seed %d: %q is found after it has expired", seed, got.Data)
		}
	}
	if found < all*8/10 { // of 6 copies, fewer than 2 remain in one of ten cases

		t.Errorf("%d of %d values are found after half of the peers have died", found, all)
	}
}

// TestLiars shows that peers that name random peers and return the same wrong value, one in eight, hide few values
// and are rarely believed.
func TestLiars(t *testing.T) {
	found, wrong, all := 0, 0, 0
	for seed := range uint64(12) {
		x := newTown(t, seed, 48)
		for i := range x.lies {
			x.lies[i] = i%8 == 3
		}
		for _, p := range x.all {
			p.Agree = 3
		}
		x.periods(60)
		asks := make([]int, 5)
		for k := range asks {
			asks[k] = x.living()
			x.check(x.all[x.living()].Put(word(fmt.Sprint("key ", k)), word("true")))
		}
		x.periods(50)
		for k, i := range asks {
			x.check(x.all[i].Get(word(fmt.Sprint("key ", k))))
		}
		x.periods(50)
		for k, i := range asks {
			got, err := x.all[i].Value(word(fmt.Sprint("key ", k)))
			x.check(err)
			all++
			switch {
			case string(got.Data) == "true":
				found++
			case len(got.Data) > 0:
				wrong++
			}
		}
	}
	if found < all*9/10 || wrong > all/20 {
		t.Errorf("of %d lookups %d find the value, and %d a wrong one", all, found, wrong)
	}
}

// TestEviction shows that a full bucket keeps its peers as long as they answer, and takes another one for the peer
// that does not.
func TestEviction(t *testing.T) {
	x := newTown(t, 1, 40)
	b := &buckets{self: x.ids[0].Key(), k: 2}
	var far []wire.PeerID
	for _, p := range x.ids[1:] {
		if b.of(p) == &b.list[0] {
			far = append(far, p)
		}
	}
	for _, p := range far[:4] {
		b.heard(p)
	}
	if !slices.Equal(b.all(), far[:2]) {
		t.Fatalf("a full bucket has %v, want the first two", b.all())
	}
	p, ok := b.ping(1)
	if _, again := b.ping(1); !ok || p != far[0] || again {
		t.Fatalf("the ping is for %v (%v), want one for the peer that was silent for longest", p, ok)
	}
	b.heard(p)
	if b.expire(100, 4); !slices.Equal(b.all(), []wire.PeerID{far[1], far[0]}) {
		t.Errorf("after an answer the bucket has %v", b.all())
	}
	if p, _ = b.ping(101); p != far[1] {
		t.Errorf("the next ping is for %v", p)
	}
	if b.expire(106, 4); !slices.Equal(b.all(), []wire.PeerID{far[0], far[3]}) {
		t.Errorf("after silence the bucket has %v, want the latest other peer", b.all())
	}
	if b.heard(x.ids[0]); len(b.all()) != 2 {
		t.Error("the table has the peer itself")
	}
}

// TestStore shows the limits of what a peer keeps for others.
func TestStore(t *testing.T) {
	s := &store{most: 5, each: 2, bytes: 1 << 10}
	x := newTown(t, 1, 6)
	put := func(from, key int, value string, until int) bool {
		return s.put(record{Key{byte(key)}, []byte(value), x.ids[from], until})
	}
	if !put(0, 1, "a", 5) || !put(0, 2, "b", 9) || put(0, 3, "c", 9) || !put(0, 1, "d", 6) {
		t.Error("one peer has another number of values than two")
	}
	if !put(1, 1, "e", 8) || !put(1, 4, "f", 8) || !put(2, 5, "g", 8) || put(3, 6, "h", 8) {
		t.Error("all peers have another number of values than five")
	}
	if got := string(s.get(Key{1})); got != "e" {
		t.Errorf("the value is %q, want the one that was stored last", got)
	}
	if s.expire(9); len(s.list) != 1 || s.get(Key{1}) != nil {
		t.Errorf("%d values remain, want one", len(s.list))
	}
}

// TestUnasked shows that answers to no question change nothing but that their sender is alive, and that a name alone does
// not come into the table.
func TestUnasked(t *testing.T) {
	x := newTown(t, 3, 30)
	p := x.all[0]
	p.wake(x.outside(0))
	before := len(p.table.all())
	l := p.lookups[0]
	p.answer(x.outside(0), x.ids[20], reply{number: l.number, peers: x.ids[21:26]})
	if slices.ContainsFunc(l.list, func(c candidate) bool { return slices.Contains(x.ids[21:26], c.id) }) {
		t.Error("a peer that was not asked names peers to a lookup")
	}
	if n := len(p.table.all()); n != before+1 {
		t.Errorf("the table has %d peers, want %d", n, before+1)
	}
	i := slices.IndexFunc(l.list, func(c candidate) bool { return c.status == asked })
	p.answer(x.outside(0), l.list[i].id, reply{number: l.number, peers: x.ids[21:26]})
	if n := len(p.table.all()); n != before+1 || !slices.ContainsFunc(l.list, func(c candidate) bool { return c.id == x.ids[22] }) {
		t.Errorf("the table has %d peers, and the lookup %v", n, l.list)
	}
}

// TestDeterminism shows that the same seed gives the same messages.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) []byte {
		x := newTown(t, seed, 30)
		x.check(x.all[3].Put(word("k"), word("v")))
		x.periods(100)
		return x.trace
	}
	if !bytes.Equal(run(1), run(1)) || bytes.Equal(run(1), run(2)) {
		t.Error("the messages do not follow from the seed")
	}
}

// TestState shows that a peer continues from its state, and refuses a truncated one.
func TestState(t *testing.T) {
	x := newTown(t, 2, 30)
	x.check(x.all[3].Put(word("k"), word("v")))
	x.periods(70)
	x.check(x.all[3].Get(word("k")))
	for _, p := range x.all {
		state, err := p.AppendBinary(nil)
		x.check(err)
		other := &Table{K: 6}
		for n := range state {
			if err := other.UnmarshalBinary(state[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes are accepted", n, len(state))
			}
		}
		x.check(other.UnmarshalBinary(state))
		if len(other.table.all()) != len(p.table.all()) || len(other.stored.list) != len(p.stored.list) || len(other.lookups) != len(p.lookups) || len(other.results) != len(p.results) {
			t.Errorf("the state read is %+v, want %+v", other, p)
		}
	}
	state, _ := x.all[3].AppendBinary(nil)
	x.all[3] = &Table{K: 6}
	x.check(x.all[3].UnmarshalBinary(state))
	x.periods(60)
	if got, _ := x.all[3].Value(word("k")); string(got.Data) != "v" {
		t.Errorf("a lookup that goes on from a state finds %q", got.Data)
	}
}

// TestRefuses shows what is refused: settings, keys, values, messages.
func TestRefuses(t *testing.T) {
	for _, bad := range []*Table{{K: -1}, {K: 65}, {K: 2, Agree: 3}, {Expire: -1}} {
		if err := bad.Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "kademlia.Table: ") {
			t.Errorf("%+v is accepted: %v", bad, err)
		}
	}
	p := &Table{}
	if p.Open(runtime.Env{}) != nil || p.Get(word(strings.Repeat("k", 33))) == nil || p.Put(word("k"), word("")) == nil || p.Put(word("k"), word(strings.Repeat("v", MaxValue+1))) == nil {
		t.Error("a key or a value of a wrong size is accepted")
	}
	for i := range maxLookups + 1 {
		if err := p.Get(word(fmt.Sprint(i))); (err != nil) != (i == maxLookups) {
			t.Errorf("lookup %d: %v", i, err)
		}
	}
	x := newTown(t, 1, 3)
	r := request{number: 1, op: opStore, value: []byte("v")}
	a := reply{number: 1, value: []byte("v"), peers: x.ids}
	for n, m := 0, r.message().Data; n < len(m); n++ {
		if _, err := parseRequest(m[:n]); err == nil {
			t.Errorf("the first %d of %d bytes of a request are accepted", n, len(m))
		}
	}
	for n, m := 0, a.message().Data; n < len(m); n++ {
		if _, err := parseReply(m[:n]); err == nil {
			t.Errorf("the first %d of %d bytes of an answer are accepted", n, len(m))
		}
	}
	r.op = ops
	if _, err := parseRequest(r.message().Data); err == nil {
		t.Error("a request of no kind is accepted")
	}
}
