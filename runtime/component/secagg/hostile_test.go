package secagg

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdh"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Lists of messages that no Collect has made are refused.
func TestHostileLists(t *testing.T) {
	a, b := signerOf(1).self, signerOf(2).self
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	good := appendMessages(nil, []message{{a, []byte("x")}, {b, nil}})
	if list, err := readMessages(good); err != nil || len(list) != 2 || find(list, b) != 1 || find(list, signerOf(3).self) != -1 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "the state ends early"},
		{"a negative number", values.AppendScalar(nil, int64(-1)), "messages: found a size of -1, want 0 to 8"},
		{"more than there are bytes", values.AppendScalar(nil, int64(9)), "messages: found a size of 9, want 0 to 8"},
		{"a message of nobody", append(values.AppendScalar(nil, int64(1)), make([]byte, 40)...), "a message is of no peer"},
		{"a negative length", values.AppendScalar(values.AppendPeer(values.AppendScalar(nil, int64(1)), a), int64(-5)), "messages: found a size of -5, want 0 to 48"},
		{"a message twice", appendMessages(nil, []message{{a, nil}, {a, nil}}), errOrder.Error()},
		{"another order", appendMessages(nil, []message{{b, nil}, {a, nil}}), errOrder.Error()},
		{"bytes behind it", append(good, 0), "1 bytes of state are left over"},
	} {
		if list, err := readMessages(c.b); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v, want %s", c.name, list, err, c.want)
		}
	}
}

// A server refuses a sum whose end does not say which peers are in it, and lists of others than these.
func TestHostileSums(t *testing.T) {
	for _, x := range [][]int32{nil, {-1}, {1}, {0, 0, 0, 0, 0, 0, 0, 1}, {5, 1 << 30}} {
		if _, err := (Server{}).Survivors(context.Background(), tensor.DenseOf(x, len(x))); err != errTail {
			t.Errorf("%v: %v, want %v", x, err, errTail)
		}
	}
	one, nobody := signerOf(1).self, vector(appendMessages(nil, nil))
	sum := make([]int32, 1+8+1)
	sum[0], sum[9] = 7, 1
	putKey(sum[1:], one)
	x := tensor.DenseOf(sum, len(sum))
	list, err := (Server{}).Survivors(context.Background(), x)
	if want := appendMessages(nil, []message{{peer: one}}); err != nil || string(list.Data) != string(want) {
		t.Errorf("%v, %v, want %v", list.Data, err, want)
	}
	shared := vector(appendMessages(nil, []message{{peer: one}}))
	bad := vector([]byte{1})
	for _, c := range []struct {
		roster, inbox, reveals tensor.Dense[uint8]
		want                   string
	}{
		{nobody, nobody, nobody, one.String() + " is in the sum, and has given no shares"},
		{nobody, shared, nobody, one.String() + " has given shares, and no keys"},
		{bad, shared, nobody, "keys: the state ends early"},
		{nobody, bad, nobody, "shares: the state ends early"},
		{nobody, shared, bad, "what peers reveal: the state ends early"},
		{nobody, shared, vector(appendMessages(nil, []message{{one, []byte{1}}})), "what " + one.String() + " reveals: the state ends early"},
	} {
		if _, _, err := (Server{}).Unmask(context.Background(), c.roster, c.inbox, x, c.reveals); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Keys that are too short are refused; keys with which no secret can be shared (all zeros, a point of small order), when a
// secret is.
func TestHostileKeys(t *testing.T) {
	if _, err := readPublicKeys(make([]byte, publicKeysSize-1)); err == nil || err.Error() != "its keys end early" {
		t.Errorf("%v, want that keys end early", err)
	}
	var st store
	s := &session{}
	if err := st.unlock(s); err != nil {
		t.Fatal(err)
	}
	o, err := readPublicKeys(make([]byte, publicKeysSize))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.sealer(signerOf(2).self, &o, signerOf(1).self, signerOf(2).self); err == nil || !strings.Contains(err.Error(), "low order") {
		t.Errorf("%v, want that a point of low order is refused", err)
	}
	if _, err := maskOf(s.secrets.maskKey, o.masks); err == nil || !strings.Contains(err.Error(), "low order") {
		t.Errorf("%v, want that a point of low order is refused", err)
	}
}

// Keys are usable if a secret can be shared with them.
func TestUsable(t *testing.T) {
	private, err := ecdh.X25519().NewPrivateKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	good := private.PublicKey().Bytes()
	list := [][32]byte{[32]byte(good), {2}, {19}, {9}}
	list = append(list, smallOrder[:]...)
	list = append(list, [32]byte(bytes.Repeat([]byte{0xff}, 32)))
	for i, b := range list {
		for _, bit := range []byte{0, lastingBit} {
			b[31] ^= bit
			for _, pair := range [][]byte{slices.Concat(b[:], good), slices.Concat(good, b[:])} {
				o, err := readPublicKeys(append(pair, make([]byte, 32)...))
				if err != nil {
					t.Fatal(err)
				}
				_, first := private.ECDH(o.messages)
				_, second := private.ECDH(o.masks)
				if want, got := cmp.Or(first, second), o.usable(); (want == nil) != (got == nil) {
					t.Errorf("key %d, %x: %v, want %v", i, b, got, want)
				}
			}
		}
	}
}

// A peer whose keys the others would refuse is left out by the server, and the others go on.
func TestLeftOutForItsKeys(t *testing.T) {
	const n, bad = 10, 4
	x := vectors(n, 3)
	f := newFederation(t, n)
	want, count := sumOf(x, func(i int) bool { return i != bad })
	for text, keys := range map[string]func(b []byte) []byte{
		"its keys end early":                     func(b []byte) []byte { return b[:publicKeysSize-1] },
		"its keys are not signed for this round": func(b []byte) []byte { return b[:len(b)-1] },
		"low order": func([]byte) []byte {
			o := make([]byte, publicKeysSize)
			return append(o, signerOf(bad).Sign(separated(f.round, "keys", o))...)
		},
	} {
		f.said = func(i int, at step, b []byte) []byte {
			if i == bad && at == askedKeys {
				return keys(b)
			}
			return b
		}
		got, many, err := f.run(x)
		if err != nil || many != count || !slices.Equal(got, want) || len(f.failed) > 0 {
			t.Errorf("%s: %v of %v, %v, %v, want %v of %v", text, got, many, err, f.failed, want, count)
		}
		if len(f.refused) != 1 || !strings.Contains(f.refused[0].Error(), text) {
			t.Errorf("the server has refused %v, want that %s", f.refused, text)
		}
	}
	if err := (&CollectKeys{}).Open(runtime.Env{}); err == nil || !strings.Contains(err.Error(), "set Identity") {
		t.Errorf("%v, want that keys cannot be checked", err)
	}
}

// A peer remembers a limited number of servers.
func TestManyServers(t *testing.T) {
	c := newFederation(t, 1).clients[0]
	for i := range maxServers + 1 {
		r := runtime.Round{Exec: wire.ExecID{Origin: wire.PeerID{}, Incarnation: 1, Number: 1}}
		var key [32]byte
		key[0], key[1] = byte(i), byte(i>>8)
		r.Exec.Origin, _ = wire.PeerIDOf(key[:])
		c.Enter(r)
		_, err := c.begin()
		if full := i == maxServers; (err != nil) != full || full && !strings.Contains(err.Error(), "one server too many") {
			t.Fatalf("server %d: %v", i, err)
		}
		c.Leave(r)
	}
}

// A sum takes vectors only. One that could not be read to its end makes the sum an error, also after a restart, as a part of
// it is in the sum.
func TestBrokenVector(t *testing.T) {
	s := &Sum{}
	if err := s.Contribute(signerOf(1).self, values.LargeOf(tensor.DenseOf([]int32{1}, 1, 1)), 1); err == nil || err.Error() != "want a vector" {
		t.Errorf("%v, want that a matrix is refused", err)
	}
	s.sums.Add(&sum{x: []int32{1}, err: errors.New("the disk is gone")})
	if _, err := s.Aggregate(); err == nil || err.Error() != "the disk is gone" {
		t.Errorf("%v, want the error of the vector", err)
	}
	s.sums.Add(&sum{x: []int32{1}, err: errors.New("the disk is gone")})
	r := &Sum{}
	statetest.Restart(t, s, r)
	if _, err := r.Aggregate(); err == nil || err.Error() != "a vector could not be read" {
		t.Errorf("%v, want that a vector could not be read", err)
	}
}
