package secagg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAnyDropouts: whichever peers are lost at whichever steps, the server gets the exact sum of the vectors that have come, or an
// error; and it gets the sum if those that reveal are enough for the secrets of every peer.
func TestAnyDropouts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	sums, failed := 0, 0
	for range 150 {
		n := 3 + r.IntN(8)
		x := vectors(n, 2)
		f := newFederation(t, n)
		leaves := make([]step, n) // before which answer a peer is lost
		risk := r.IntN(4)
		for i := range leaves {
			if leaves[i] = askedReveal + 1; r.IntN(10) < risk {
				leaves[i] = askedKeys + step(r.IntN(int(askedReveal)))
			}
		}
		f.lost = func(i int, at step) bool { return leaves[i] == at }
		answered := func(at step) (count int) {
			for _, l := range leaves {
				if l > at {
					count++
				}
			}
			return count
		}
		got, count, err := f.run(x)
		want, many := sumOf(x, func(i int) bool { return leaves[i] > askedMask })
		enough := answered(askedKeys) >= 3 && answered(askedReveal)-1 >= threshold(answered(askedKeys)-1)
		switch {
		case err == nil && (!slices.Equal(got, want) || count != many):
			t.Fatalf("%d peers leave at %v: the sum of %v is %v, want %v of %v", n, leaves, count, got, want, many)
		case enough && err != nil:
			t.Errorf("%d peers leave at %v: %v, %v", n, leaves, err, f.failed)
		case err == nil:
			sums++
		default:
			failed++
		}
	}
	if sums < 30 || failed < 30 {
		t.Errorf("%d sums and %d errors: want both", sums, failed)
	}
}

// TestThreshold: as many shares as the threshold says are enough to find the secrets, and one fewer is not.
func TestThreshold(t *testing.T) {
	const n = 10
	x := vectors(n, 2)
	for silent := range n {
		f := newFederation(t, n)
		f.lost = func(i int, at step) bool { return at == askedReveal && i < silent }
		got, _, err := f.run(x)
		want, _ := sumOf(x, func(int) bool { return true })
		if enough := n-silent-1 >= threshold(n-1) || silent == 0; enough != (err == nil) || enough && !slices.Equal(got, want) {
			t.Errorf("%d of %d peers reveal nothing: %v", silent, n, err)
		}
	}
	for k := range 1000 {
		if got := threshold(k); 3*got <= 2*k || 3*(got-1) > 2*k {
			t.Fatalf("the threshold of %d is %d, want the least that is more than two thirds", k, got)
		}
	}
}

// TestForgedShares: a peer that reveals other shares than it has, shares of a wrong size, none, or those of peers that it has none of,
// makes no sum wrong. The server gets the right one, or an error that says whose secrets are wrong.
func TestForgedShares(t *testing.T) {
	const n, liar = 7, 2
	x := vectors(n, 3)
	zero := make([]byte, secretSize)
	for name, forge := range map[string]func(list []message) []message{
		"zeros": func(list []message) []message {
			for i := range list {
				list[i].body = zero
			}
			return list
		},
		"a share of another peer": func(list []message) []message {
			list[0].body, list[1].body = list[1].body, list[0].body
			return list
		},
		"one for all": func(list []message) []message {
			for i := range list {
				list[i].body = list[0].body
			}
			return list
		},
		"too short": func(list []message) []message {
			list[0].body = list[0].body[1:]
			return list
		},
		"too long": func(list []message) []message {
			list[0].body = append(slices.Clone(list[0].body), 0)
			return list
		},
		"none":         func([]message) []message { return nil },
		"of strangers": func(list []message) []message { return appended(list, message{signerOf(77).self, zero}) },
		"of itself":    func(list []message) []message { return appended(list, message{signerOf(liar).self, zero}) },
		"twice":        func(list []message) []message { return append(list[:1:1], list...) },
	} {
		for _, lost := range []int{-1, 4} { // with and without a peer whose other secret is revealed
			f := newFederation(t, n)
			f.lost = lostAt(askedMask, lost)
			f.said = func(i int, at step, b []byte) []byte {
				if i != liar || at != askedReveal {
					return b
				}
				list, err := readMessages(b)
				if err != nil {
					t.Fatal(err)
				}
				return appendMessages(nil, forge(list))
			}
			got, _, err := f.run(x)
			want, _ := sumOf(x, func(i int) bool { return i != lost })
			if err == nil && !slices.Equal(got, want) {
				t.Errorf("%s, %d is lost: the sum is %v, want %v or an error", name, lost, got, want)
			}
			enough := slices.Contains([]string{"too short", "too long", "none", "of strangers", "of itself"}, name) && lost < 0
			if enough && err != nil {
				t.Errorf("%s: %v, though the others are enough", name, err)
			}
			if err != nil && !errors.Is(err, errShares) && !errors.Is(err, errFewShares) && !errors.Is(err, errOrder) {
				t.Errorf("%s, %d is lost: %v, want an error about shares", name, lost, err)
			}
		}
	}
}

// appended adds a message to a list, in order, in place of one of the same peer.
func appended(list []message, m message) []message {
	list = slices.DeleteFunc(list, func(l message) bool { return l.peer == m.peer })
	list = append(list, m)
	slices.SortFunc(list, compare)
	return list
}

// TestSharesOfOneNumber: two shares of one number, equal or not, are no two shares, and numbers that no peer has are none.
func TestSharesOfOneNumber(t *testing.T) {
	r := rand.NewChaCha8([32]byte{3})
	var secret [secretSize]byte
	r.Read(secret[:])
	values, err := split(secret, mostShares, 3, r)
	if err != nil {
		t.Fatal(err)
	}
	other := values[7]
	other[0] ^= 1
	for name, list := range map[string][]share{
		"equal":            {{7, values[7]}, {7, values[7]}, {9, values[9]}},
		"different":        {{7, values[7]}, {9, values[9]}, {7, other}},
		"three":            {{7, values[7]}, {7, other}, {7, values[8]}},
		"before the first": {{-1, values[0]}, {0, values[0]}, {1, values[1]}},
		"behind the last":  {{0, values[0]}, {1, values[1]}, {mostShares, values[0]}},
		"as a byte equal":  {{0, values[0]}, {1, values[1]}, {256, values[0]}},
	} {
		if got, err := reconstruct(list, 3); !errors.Is(err, errShareTwice) {
			t.Errorf("%s: %v, and the secret is right: %v", name, err, got == secret)
		}
	}
	if got, err := reconstruct([]share{{0, values[0]}, {254, values[254]}, {100, values[100]}, {100, other}}, 3); err != nil || got != secret {
		t.Errorf("the first three are enough, whatever follows: %v", err)
	}
}

// polynomial evaluates a polynomial with coefficients in the field of 256 elements, by repeated multiplication and a table of
// logarithms to the base 3.
func polynomial(coefficients []byte, x byte) (y byte) {
	power := byte(1)
	for _, c := range coefficients {
		y ^= logProduct(c, power)
		power = logProduct(power, x)
	}
	return y
}

var exponentials, logarithms = func() (exp [255]byte, log [256]int) {
	x := 1
	for i := range exp {
		exp[i], log[x] = byte(x), i
		if x ^= x << 1; x > 255 {
			x ^= 0x11b
		}
	}
	return exp, log
}()

func logProduct(a, b byte) byte {
	if a == 0 || b == 0 {
		return 0
	}
	return exponentials[(logarithms[a]+logarithms[b])%255]
}

// TestShamirOverPolynomials: the secret of values of any polynomial is its value at 0, and the shares of a secret lie on a polynomial
// of the degree that the threshold says.
func TestShamirOverPolynomials(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for a := range 256 {
		for range 20 {
			if b := byte(r.Uint32()); product(byte(a), b) != logProduct(byte(a), b) {
				t.Fatalf("%x·%x is %x, want %x", a, b, product(byte(a), b), logProduct(byte(a), b))
			}
		}
	}
	for range 100 {
		k := 1 + r.IntN(9)
		coefficients := make([]byte, k)
		for i := range coefficients {
			coefficients[i] = byte(r.Uint32())
		}
		var list []share
		for _, number := range r.Perm(mostShares)[:k] {
			s := share{number: number}
			for i := range s.value {
				s.value[i] = polynomial(coefficients, byte(number+1))
			}
			list = append(list, s)
		}
		got, err := reconstruct(list, k)
		if want := [secretSize]byte(slices.Repeat([]byte{coefficients[0]}, secretSize)); err != nil || got != want {
			t.Fatalf("values of %x at %v: %x (%v)", coefficients, fmt.Sprint(list), got, err)
		}
	}
}
