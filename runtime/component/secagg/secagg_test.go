package secagg

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// signer is a runtime.Identity.
type signer struct {
	key  ed25519.PrivateKey
	self wire.PeerID
}

func (s signer) Self() wire.PeerID      { return s.self }
func (s signer) Sign(msg []byte) []byte { return ed25519.Sign(s.key, msg) }
func (s signer) Verify(from wire.PeerID, msg, sig []byte) bool {
	key := from.Key()
	return ed25519.Verify(key[:], msg, sig)
}

func signerOf(i int) signer {
	seed := make([]byte, ed25519.SeedSize)
	seed[0], seed[1] = byte(i), byte(i>>8)
	key := ed25519.NewKeyFromSeed(seed)
	self, _ := wire.PeerIDOf(key.Public().(ed25519.PublicKey))
	return signer{key, self}
}

// federation is peers with a server between them.
type federation struct {
	t       *testing.T
	clients []*Client
	ids     []wire.PeerID
	round   runtime.Round

	lost    func(i int, at step) bool               // whether a peer is lost before it answers
	told    func(i int, at step, b []byte) []byte   // the server's message to a peer; nil: unchanged
	said    func(i int, at step, b []byte) []byte   // a peer's message; nil: unchanged
	refused []error                                 // what the server has refused
	failed  map[step][]error                        // of peers that were lost with them
	again   func(i int, at step, c *Client) *Client // the client after a step; nil: the same
	masked  [][]int32                               // the vectors that the server received
	lists   map[step][]byte                         // the lists that the server made
}

func newFederation(t *testing.T, n int) *federation {
	t.Helper()
	f := &federation{t: t, round: runtime.Round{Exec: wire.ExecID{Origin: signerOf(1 << 15).self, Incarnation: 1, Number: 1}}}
	for i := range n {
		c := &Client{}
		if err := c.Open(runtime.Env{Random: rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)}), Identity: signerOf(i)}); err != nil {
			t.Fatal(err)
		}
		f.clients, f.ids = append(f.clients, c), append(f.ids, signerOf(i).self)
	}
	return f
}

// ask sends a request to all remaining peers, and collects their answers.
func (f *federation) ask(at step, question []byte, left *[]int, answer func(c *Client, i int, b tensor.Dense[uint8]) (tensor.Dense[uint8], error)) []byte {
	type collector interface {
		runtime.Gatherer
		Contribute(wire.PeerID, tensor.Dense[uint8], float32) error
		Aggregate() (tensor.Dense[uint8], error)
	}
	all := collector(&Collect{})
	if at == askedKeys {
		keys := &CollectKeys{}
		if err := keys.Open(runtime.Env{Identity: signerOf(1 << 15)}); err != nil {
			f.t.Fatal(err)
		}
		all = keys
	}
	all.Enter(f.round)
	*left = slices.DeleteFunc(*left, func(i int) bool {
		if f.lost != nil && f.lost(i, at) {
			return true
		}
		b := slices.Clone(question)
		if f.told != nil {
			b = f.told(i, at, b)
		}
		c := f.clients[i]
		c.Enter(f.round)
		y, err := answer(c, i, vector(b))
		if err != nil {
			f.failed[at] = append(f.failed[at], err)
			return true
		}
		if f.again != nil {
			f.clients[i] = f.again(i, at, c)
		}
		if f.said != nil {
			y.Data = f.said(i, at, y.Data)
		}
		if err := all.Contribute(f.ids[i], y, 1); err != nil {
			f.refused = append(f.refused, err)
			return true
		}
		return false
	})
	list, _ := all.Aggregate()
	f.lists[at] = list.Data
	return list.Data
}

// run runs a round in which peer i contributes x[i].
func (f *federation) run(x [][]int32) ([]int32, float32, error) {
	var left []int
	for i := range f.clients {
		left = append(left, i)
	}
	f.round.Exec.Number++
	f.refused = nil
	f.failed, f.lists, f.masked = map[step][]error{}, map[step][]byte{}, nil
	roster := f.ask(askedKeys, nil, &left, func(c *Client, _ int, _ tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
		return c.Keys(context.Background(), 0)
	})
	inbox := f.ask(askedShares, roster, &left, func(c *Client, _ int, b tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
		return c.Shares(context.Background(), b)
	})
	var all Sum
	all.Enter(f.round)
	f.ask(askedMask, inbox, &left, func(c *Client, i int, b tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
		y, err := c.Mask(context.Background(), b, tensor.DenseOf(x[i], len(x[i])))
		if err == nil {
			f.masked = append(f.masked, y.Data)
			err = all.Contribute(f.ids[i], values.LargeOf(y), 1)
		}
		return vector(nil), err
	})
	sum, err := all.Aggregate()
	if err != nil {
		return nil, 0, err
	}
	survivors, err := Server{}.Survivors(context.Background(), sum)
	if err != nil {
		return nil, 0, err
	}
	proof := f.ask(askedAgree, survivors.Data, &left, func(c *Client, _ int, b tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
		return c.Agree(context.Background(), b)
	})
	reveals := f.ask(askedReveal, proof, &left, func(c *Client, _ int, b tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
		return c.Reveal(context.Background(), b)
	})
	y, count, err := Server{}.Unmask(context.Background(), vector(roster), vector(inbox), sum, vector(reveals))
	return y.Data, count, err
}

// vectors returns random vectors of n peers.
func vectors(n, size int) [][]int32 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([][]int32, n)
	for i := range x {
		for range size {
			x[i] = append(x[i], int32(r.Uint32()))
		}
	}
	return x
}

// sumOf returns the plain sum of the vectors of remaining peers.
func sumOf(x [][]int32, in func(i int) bool) (sum []int32, count float32) {
	sum = make([]int32, len(x[0]))
	for i := range x {
		if in(i) {
			count++
			for k, v := range x[i] {
				sum[k] += v
			}
		}
	}
	return sum, count
}

// lostAt makes some peers be lost before they answer a request.
func lostAt(at step, peers ...int) func(int, step) bool {
	return func(i int, now step) bool { return now == at && slices.Contains(peers, i) }
}

// The sum is exact, whichever peers are lost at which step, and after restarts between all steps.
func TestSum(t *testing.T) {
	const n = 10
	x := vectors(n, 2500)
	f := newFederation(t, n)
	f.again = func(i int, _ step, c *Client) *Client {
		d := &Client{}
		if err := d.Open(runtime.Env{Random: rand.NewChaCha8([32]byte{99}), Identity: signerOf(i)}); err != nil {
			t.Fatal(err)
		}
		statetest.Restart(t, c, d)
		return d
	}
	for at := step(0); at <= askedReveal; at++ {
		f.lost = lostAt(at, 3, 7)
		got, count, err := f.run(x)
		want, many := sumOf(x, func(i int) bool { return at == 0 || at > askedMask || i != 3 && i != 7 })
		if err != nil || !slices.Equal(got, want) || count != many || len(f.failed) > 0 {
			t.Errorf("two are lost at %v: the sum of %v is right: %v (%v, %v), want that of %v", at, count, slices.Equal(got, want), err, f.failed, many)
		}
	}
	f.lost = func(i int, at step) bool { return i == 3 && at == askedMask || i == 7 && at == askedReveal }
	got, _, err := f.run(x)
	if want, _ := sumOf(x, func(i int) bool { return i != 3 }); err != nil || !slices.Equal(got, want) {
		t.Errorf("lost at two steps: %v", err)
	}
}

// With many peers each shares secrets with some.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand key exchanges")
	}
	const n = 66
	x := vectors(n, 3)
	f := newFederation(t, n)
	f.lost = func(i int, at step) bool { return at == step(i%10) && i < 20 } // two at each step
	got, _, err := f.run(x)
	want, _ := sumOf(x, func(i int) bool { return i >= 20 || i%10 == 0 || i%10 > int(askedMask) })
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the sum of many is wrong: %v %v", err, f.failed)
	}
	roster, _ := readMessages(f.lists[askedKeys])
	for _, l := range roster {
		near := neighbors(roster, l.peer)
		if len(near) != degree(len(roster)) || len(near) > 60 || slices.Contains(near, l.peer) {
			t.Fatalf("%v has %d neighbors", l.peer, len(near))
		}
		for _, p := range near {
			if !slices.Contains(neighbors(roster, p), l.peer) {
				t.Fatalf("%v is a neighbor of %v, which is none of its", p, l.peer)
			}
		}
	}
}

// More losses than the thresholds allow are an error, and reveal nothing.
func TestTooMany(t *testing.T) {
	x := vectors(10, 3)
	for at, want := range map[step]string{
		askedShares: "neighbors have given shares", askedMask: "shares, want at least", askedReveal: "neighbors give their shares",
	} {
		f := newFederation(t, 10)
		f.lost = lostAt(at, 0, 1, 2, 3)
		_, _, err := f.run(x)
		if err == nil || !strings.Contains(fmt.Sprint(err, f.failed), want) {
			t.Errorf("four of ten are lost at %v: %v %v, want %q", at, err, f.failed, want)
		}
	}
}

// A masked vector looks random: the same vector has other values in each round, with half of its bits set.
func TestHidden(t *testing.T) {
	const n, size = 4, 10000
	x := make([][]int32, n)
	for i := range x {
		x[i] = make([]int32, size)
	}
	f := newFederation(t, n)
	var before [][]int32
	for range 2 {
		if _, _, err := f.run(x); err != nil {
			t.Fatal(err)
		}
		for i, y := range f.masked {
			ones := 0
			for _, v := range y {
				for ; v != 0; v &= v - 1 {
					ones++
				}
			}
			if ones < 16*size-3000 || ones > 16*size+3000 {
				t.Errorf("%d bits of a masked vector are 1, want about %d", ones, 16*size)
			}
			if before != nil && slices.Equal(before[i], y) {
				t.Error("two rounds have the same masks")
			}
		}
		before = f.masked
	}
}

// A server that claims that only one peer is in the sum, or that sends peers different lists, gets nothing from
// the peers that detect it.
func TestLyingServer(t *testing.T) {
	const n = 10
	x := vectors(n, 3)
	changed := func(b []byte, change func(list []message) []message) []byte {
		list, err := readMessages(b)
		if err != nil {
			t.Fatal(err)
		}
		return appendMessages(nil, change(list))
	}
	without := func(p wire.PeerID) func([]message) []message {
		return func(list []message) []message {
			return slices.DeleteFunc(list, func(l message) bool { return l.peer == p })
		}
	}
	for _, c := range []struct {
		name string
		told func(f *federation) func(i int, at step, b []byte) []byte
		at   step
		want string
	}{
		{"half of the peers are told that one is lost that is there", func(f *federation) func(int, step, []byte) []byte {
			return func(i int, at step, b []byte) []byte {
				if at == askedAgree && i%2 == 0 {
					return changed(b, without(f.ids[9]))
				}
				return b
			}
		}, askedReveal, "has sent different ones"},
		{"and each is shown only the signatures that fit", func(f *federation) func(int, step, []byte) []byte {
			return func(i int, at step, b []byte) []byte {
				switch {
				case at == askedAgree && i%2 == 0:
					return changed(b, without(f.ids[9]))
				case at == askedReveal:
					return changed(b, func(list []message) []message {
						return slices.DeleteFunc(list, func(l message) bool { return slices.Index(f.ids, l.peer)%2 != i%2 })
					})
				}
				return b
			}
		}, askedReveal, "5 of 10 peers agree"},
		{"half see another list of shares", func(f *federation) func(int, step, []byte) []byte {
			return func(i int, at step, b []byte) []byte {
				if at == askedMask && i < 5 {
					return changed(b, without(f.ids[9]))
				}
				return b
			}
		}, askedAgree, "in the sum, which has sent no shares"},
		{"only one peer is in the sum", func(f *federation) func(int, step, []byte) []byte {
			return func(_ int, at step, b []byte) []byte {
				if at == askedAgree {
					return changed(b, func(list []message) []message { return list[:1] })
				}
				return b
			}
		}, askedAgree, "1 peers take part, want at least 3"},
		{"the keys of another are the server's own", func(f *federation) func(int, step, []byte) []byte {
			s := &session{}
			if err := (&store{key: [32]byte{1}}).unlock(s); err != nil {
				t.Fatal(err)
			}
			own := s.publicKeys()
			return func(i int, at step, b []byte) []byte {
				if at == askedShares {
					return changed(b, func(list []message) []message {
						at := find(list, f.ids[(i+1)%n])
						list[at].body = append(slices.Clone(own), list[at].body[publicKeysSize:]...)
						return list
					})
				}
				return b
			}
		}, askedShares, "that are not signed for this round"},
		{"shares are of another peer", func(f *federation) func(int, step, []byte) []byte {
			return func(i int, at step, b []byte) []byte {
				if at == askedMask {
					return changed(b, func(list []message) []message {
						list[0].body, list[1].body = list[1].body, list[0].body
						return list
					})
				}
				return b
			}
		}, askedMask, "message authentication failed"},
		{"a stranger is in the sum", func(f *federation) func(int, step, []byte) []byte {
			return func(_ int, at step, b []byte) []byte {
				if at == askedAgree {
					return changed(b, func(list []message) []message {
						list = append(list, message{peer: signerOf(999).self})
						slices.SortFunc(list, compare)
						return list
					})
				}
				return b
			}
		}, askedAgree, "in the sum, which has sent no shares"},
	} {
		f := newFederation(t, n)
		f.told = c.told(f)
		_, _, err := f.run(x)
		if err == nil || !strings.Contains(fmt.Sprint(f.failed[c.at]), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.name, err, f.failed, c.want)
		}
	}
}

// No request is answered twice, in another order, for an earlier round, or with peers that may not take part.
func TestOnce(t *testing.T) {
	f := newFederation(t, 4)
	if _, _, err := f.run(vectors(4, 1)); err != nil {
		t.Fatal(err)
	}
	c := f.clients[0]
	fails := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := c.Reveal(context.Background(), vector(f.lists[askedAgree]))
	fails("is requested after Reveal", err)
	_, err = c.Keys(context.Background(), 0)
	fails("keys for it may be known", err)
	c.Leave(f.round)
	_, err = c.Reveal(context.Background(), vector(f.lists[askedAgree]))
	fails("no such round", err)
	f.round.Exec.Number++
	c.Enter(f.round)
	if _, err = c.Keys(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	_, err = c.Mask(context.Background(), vector(f.lists[askedShares]), tensor.DenseOf([]int32{1}, 1))
	fails("Mask is requested after Keys", err)
	_, err = c.Shares(context.Background(), vector(f.lists[askedKeys])) // of the previous round
	fails("the server has other keys of this peer than it has made", err)

	g := newFederation(t, 4)
	g.clients[0].members = g.ids[:3]
	g.run(vectors(4, 1))
	fails("not among Members", g.failed[askedShares][0])
	for _, c := range []*Client{{Least: 1}, {Least: -1}, {Members: []string{"nobody"}}} {
		if err := c.Open(runtime.Env{Random: rand.NewChaCha8([32]byte{}), Identity: signerOf(1)}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	fails("Identity", (&Client{}).Open(runtime.Env{Random: rand.NewChaCha8([32]byte{})}))
	fails("Random", (&Client{}).Open(runtime.Env{Identity: signerOf(1)}))
}

// A peer that reveals wrong secrets is detected, and so are malformed answers: none causes a panic.
func TestLyingPeer(t *testing.T) {
	x := vectors(6, 3)
	for at := askedKeys; at <= askedReveal; at++ {
		if at == askedMask {
			continue // a vector may be arbitrary
		}
		for k := range 40 {
			f := newFederation(t, 4)
			f.said = func(i int, now step, b []byte) []byte {
				if i == 2 && now == at {
					b = slices.Clone(b)
					if b[k*len(b)/40] ^= 1; k%7 == 0 {
						b = b[:k*len(b)/40]
					}
				}
				return b
			}
			sum, _, err := f.run(x[:4])
			if leftOut := at == askedKeys; leftOut != (len(f.refused) == 1) || leftOut && err != nil {
				t.Fatalf("byte %d of %v is another one: the server refuses %v, %v", k, at, f.refused, err)
			}
			if want, _ := sumOf(x, func(i int) bool { return i < 4 && (i != 2 || at != askedKeys) }); err == nil && !slices.Equal(sum, want) {
				t.Fatalf("byte %d of %v is another one, and the sum is wrong without an error", k, at)
			}
		}
	}
}

// Any threshold number of shares gives the secret, fewer give another one.
func TestShamir(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	for range 50 {
		var secret [secretSize]byte
		r.Read(secret[:])
		p := rand.New(r)
		n := 1 + p.IntN(mostNeighbors)
		k := 1 + p.IntN(n)
		values, err := split(secret, n, k, r)
		if err != nil {
			t.Fatal(err)
		}
		var shares []share
		for _, i := range p.Perm(n) {
			shares = append(shares, share{i, values[i]})
		}
		if got, err := reconstruct(shares, k); err != nil || got != secret {
			t.Fatalf("%d of %d shares: %v", k, n, err)
		}
		if _, err := reconstruct(shares[:k-1], k); err == nil {
			t.Fatal("too few shares are enough")
		}
		if got, _ := reconstruct(shares, k-1); k > 1 && got == secret {
			t.Fatalf("%d of %d shares give the secret, want %d", k-1, n, k)
		}
	}
}

// Multiplication is that of the field: the product of a number and its inverse is 1.
func TestField(t *testing.T) {
	if product(0x57, 0x83) != 0xc1 { // from the standard of AES
		t.Errorf("57·83 is %x, want c1", product(0x57, 0x83))
	}
	for a := 1; a < 256; a++ {
		if product(byte(a), inverse(byte(a))) != 1 {
			t.Fatalf("the inverse of %d is %d", a, inverse(byte(a)))
		}
	}
}

// Gathering components continue in the middle of a round, separate executions, and accept one message of
// bounded size from each peer.
func TestGather(t *testing.T) {
	one, two := runtime.Round{Module: 1}, runtime.Round{Module: 2}
	a, b := signerOf(1).self, signerOf(2).self
	c, d := &Collect{Max: 3}, &Collect{Max: 3}
	s, r := &Sum{}, &Sum{}
	say := func(p wire.PeerID, x ...byte) error { return c.Contribute(p, vector(x), 1) }
	add := func(p wire.PeerID, x ...int32) {
		if err := s.Contribute(p, values.LargeOf(tensor.DenseOf(x, len(x))), 1); err != nil {
			t.Fatal(err)
		}
	}
	c.Enter(one)
	s.Enter(one)
	if say(a, 1) != nil || say(a, 2) == nil || say(b, 1, 2, 3, 4) == nil {
		t.Error("something is taken twice, or too much of it")
	}
	add(a, 1, -2)
	c.Enter(two)
	s.Enter(two)
	say(a, 9)
	add(a, 100, 100)
	statetest.Restart(t, c, d)
	statetest.Restart(t, s, r)
	c, s = d, r
	c.Enter(one)
	s.Enter(one)
	say(b, 5)
	add(b, 1<<31-1, 3)
	list, _ := c.Aggregate()
	want := []message{{a, []byte{1}}, {b, []byte{5}}}
	slices.SortFunc(want, compare)
	if !slices.Equal(list.Data, appendMessages(nil, want)) {
		t.Errorf("%v, want %v", list.Data, want)
	}
	sum, err := s.Aggregate()
	x, peers, _ := splitSum(sum.Data)
	if err != nil || !slices.Equal(x, []int32{-1 << 31, 1}) || len(peers) != 2 || peers[0].peer != want[0].peer {
		t.Errorf("%v of %v (%v)", x, peers, err)
	}
	if s.Leave(two); s.sums.Len() != 0 {
		t.Error("a round that has ended is kept")
	}
	if _, err := s.Aggregate(); err == nil {
		t.Error("there is a sum without contributions")
	}
}

// Input from outside causes no panic, and announced lengths cause no allocation.
func FuzzLetters(f *testing.F) {
	f.Add(appendMessages(nil, []message{{signerOf(1).self, []byte("body")}}))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := readMessages(b)
		if err == nil && !slices.Equal(appendMessages(nil, list), b) {
			t.Errorf("%v is read as %v", b, list)
		}
		(&Collect{}).UnmarshalBinary(b)
		(&Sum{}).UnmarshalBinary(b)
		(&Client{}).UnmarshalBinary(b)
		var x []int32
		for _, v := range b {
			x = append(x, int32(v))
		}
		splitSum(x)
	})
}
