package secagg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// counting counts the signatures that a peer checks.
type counting struct {
	signer
	checked *int
}

func (c counting) Verify(from wire.PeerID, msg, sig []byte) bool {
	*c.checked++
	return c.signer.Verify(from, msg, sig)
}

// countingFederation is a federation whose clients count the signatures that they check.
func countingFederation(t *testing.T, n int) (f *federation, checked *int) {
	f, checked = newFederation(t, n), new(int)
	for i, c := range f.clients {
		c.identity = counting{signerOf(i), checked}
	}
	return f, checked
}

// older makes a peer one of a version that has other keys in each round.
func (f *federation) older(i int) {
	var key [32]byte
	key[0], key[1] = byte(i), byte(f.round.Exec.Number)
	p, err := pairsOf(key)
	if err != nil {
		f.t.Fatal(err)
	}
	p.public[31] &^= lastingBit
	f.clients[i].pairs = p
}

// Peers check signatures when they meet; in later rounds the secrets of pairs are enough, until a peer begins anew.
func TestLastingKeys(t *testing.T) {
	const n = 5
	x := vectors(n, 9)
	want, _ := sumOf(x, func(int) bool { return true })
	f, checked := countingFederation(t, n)
	for round, signatures := range []int{n * (n - 1), 0, 0, 2 * (n - 1), 0} {
		if round == 3 { // all meet peer 2 anew, which has forgotten them
			c := &Client{}
			if err := c.Open(runtime.Env{Random: rand.NewChaCha8([32]byte{77}), Identity: f.clients[2].identity}); err != nil {
				t.Fatal(err)
			}
			f.clients[2] = c
		}
		*checked = 0
		got, _, err := f.run(x)
		if err != nil || !slices.Equal(got, want) || len(f.failed) > 0 {
			t.Fatalf("round %d: %v, %v", round, err, f.failed)
		}
		if *checked != signatures {
			t.Errorf("round %d: peers have checked %d signatures, want %d", round, *checked, signatures)
		}
	}
}

// A server that changes the keys of a peer that others know is found out before any of them gives its vector: what it has
// changed is not signed, and the peer does not authenticate the list.
func TestChangedKeysOfKnownPeer(t *testing.T) {
	const n, victim = 6, 4
	x := vectors(n, 3)
	for part, at := range map[string]int{"key for masks": 40, "hash of its own mask": 70} {
		f, checked := countingFederation(t, n)
		if _, _, err := f.run(x); err != nil {
			t.Fatal(err)
		}
		*checked = 0
		f.told = func(i int, now step, b []byte) []byte {
			if now != askedShares || i == victim {
				return b
			}
			list, err := readMessages(b)
			if err != nil {
				t.Fatal(err)
			}
			body := slices.Clone(list[find(list, f.ids[victim])].body)
			body[at] ^= 1
			list[find(list, f.ids[victim])].body = body
			return appendMessages(nil, list)
		}
		_, _, err := f.run(x)
		if *checked > 0 {
			t.Errorf("%s: peers have checked %d signatures: this test is of those that they do not check", part, *checked)
		}
		if err == nil || len(f.masked) > 0 || len(f.failed[askedMask]) != n || !strings.Contains(fmt.Sprint(f.failed[askedMask]), "message authentication failed") {
			t.Errorf("%s: %v, %d vectors, %v; want that no peer gives its vector", part, err, len(f.masked), f.failed)
		}
	}
}

// A server that shows peers the keys of an earlier round finds no use for the shares of that round.
func TestRepeatedKeysOfKnownPeer(t *testing.T) {
	const n, victim = 6, 4
	x := vectors(n, 3)
	f := newFederation(t, n)
	if _, _, err := f.run(x); err != nil {
		t.Fatal(err)
	}
	keys, shares := f.lists[askedKeys], f.lists[askedShares]
	f.lost = func(i int, at step) bool { return i == victim }
	f.told = func(i int, at step, b []byte) []byte {
		old := map[step][]byte{askedShares: keys, askedMask: shares}[at]
		if old == nil {
			return b
		}
		from, err := readMessages(old)
		if err != nil {
			t.Fatal(err)
		}
		list, err := readMessages(b)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, from[find(from, f.ids[victim])])
		slices.SortFunc(list, compare)
		return appendMessages(nil, list)
	}
	if _, _, err := f.run(x); err == nil || len(f.masked) > 0 || len(f.failed[askedMask]) != n-1 {
		t.Errorf("%v, %d vectors, %v; want that no peer gives its vector", err, len(f.masked), f.failed)
	}
}

// A message has a key of its own: in each round, to each peer, and in each direction. So the same text looks different.
func TestKeysOfMessages(t *testing.T) {
	a, b, c := signerOf(1).self, signerOf(2).self, signerOf(3).self
	sessions := func(key byte) (list []*session) {
		s := store{key: [32]byte{key}}
		for n := range uint64(2) {
			x := &session{of: runtime.Round{Exec: wire.ExecID{Origin: c, Number: n}}, roster: []byte("roster")}
			if err := s.unlock(x); err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
		return list
	}
	from, to := sessions(1), sessions(2)
	seen := map[string]string{}
	seal := func(what string, s, other *session, peer, from, to wire.PeerID) {
		t.Helper()
		o, err := readPublicKeys(other.publicKeys())
		if err != nil {
			t.Fatal(err)
		}
		aead, err := s.sealer(peer, &o, from, to)
		if err != nil {
			t.Fatal(err)
		}
		text := string(aead.Seal(nil, make([]byte, aead.NonceSize()), []byte("shares"), nil))
		if before, twice := seen[text]; twice {
			t.Errorf("%s has the key of %s", what, before)
		}
		seen[text] = what
	}
	seal("from a to b", from[0], to[0], b, a, b)
	seal("from a to b in the next round", from[1], to[1], b, a, b)
	seal("from b to a", to[0], from[0], a, b, a)
	seal("from a to c, who has taken the key of b", from[0], to[0], c, a, c)
	from[0].roster = []byte("another roster")
	seal("from a to b with another roster", from[0], to[0], b, a, b)
}

// Peers of older versions take part, whichever peers are lost: then all sign.
func TestOlderPeers(t *testing.T) {
	const n = 8
	x := vectors(n, 30)
	f, checked := countingFederation(t, n)
	for round := range 4 {
		for i := range n / 2 {
			f.older(i)
		}
		lost := step(round) // at no step at first
		f.lost = lostAt(lost, 1, 6)
		*checked = 0
		got, _, err := f.run(x)
		want, _ := sumOf(x, func(i int) bool { return lost == 0 || i != 1 && i != 6 })
		if err != nil || !slices.Equal(got, want) || len(f.failed) > 0 || *checked < n/2*(n-2) {
			t.Errorf("round %d: %v, %v, %d signatures", round, err, f.failed, *checked)
		}
	}
}

// A tag is for one peer, from one peer, of one text.
func TestTags(t *testing.T) {
	const n = 6
	x := vectors(n, 3)
	for name, change := range map[string]func(tags []byte) []byte{
		"one of another peer": func(b []byte) []byte { copy(b[:tagSize], b[tagSize:]); return b },
		"a wrong one":         func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"too few":             func(b []byte) []byte { return b[tagSize:] },
		"none":                func([]byte) []byte { return nil },
	} {
		f := newFederation(t, n)
		f.said = func(i int, at step, b []byte) []byte {
			if i == 2 && at == askedAgree {
				return change(slices.Clone(b))
			}
			return b
		}
		f.run(x)
		if !strings.Contains(fmt.Sprint(f.failed[askedReveal]), signerOf(2).self.String()+" agrees on another list") {
			t.Errorf("%s: %v, want that a peer notices", name, f.failed)
		}
	}
}

// A peer remembers a limited number of others, and goes on when it forgets them.
func TestManyPairs(t *testing.T) {
	p, err := pairsOf([32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	other, err := pairsOf([32]byte{2})
	if err != nil {
		t.Fatal(err)
	}
	o := publicKeys{messages: other.private.PublicKey()}
	for i := range 2*maxPairs + 1 {
		var key [32]byte
		key[0], key[1] = byte(i), byte(i>>8)
		id, _ := wire.PeerIDOf(key[:])
		p.with(id, &o).signed = true
		if len(p.others) > maxPairs {
			t.Fatalf("%d others are remembered, want at most %d", len(p.others), maxPairs)
		}
		if !p.with(id, &o).signed {
			t.Fatalf("other %d is forgotten at once", i)
		}
	}
}
