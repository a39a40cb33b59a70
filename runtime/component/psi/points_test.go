package psi

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestVectors multiplies the points of RFC 7748, section 5.2, and the base point, of which a multiple is a public key.
func TestVectors(t *testing.T) {
	for _, c := range []struct{ number, point, want string }{
		{"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
		{"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d", "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493", "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"},
		{"77076d0a7318a57d3c16c17251b26645c6db38f0a05f4b2e4a6a9b8b7c7a1a3f", "0900000000000000000000000000000000000000000000000000000000000000", ""},
	} {
		number, err := ecdh.X25519().NewPrivateKey(unhex(t, c.number))
		if err != nil {
			t.Fatal(err)
		}
		got, err := times(number, unhex(t, c.point))
		if want := c.want; err != nil || want != "" && hex.EncodeToString(got[:]) != want || want == "" && !bytes.Equal(got[:], number.PublicKey().Bytes()) {
			t.Errorf("%s times %s is %x, %v, want %s", c.number, c.point, got, err, c.want)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// little returns a number as the coordinate of a point.
func little(n *big.Int) (p [pointSize]byte) {
	n.FillBytes(p[:])
	slices.Reverse(p[:])
	return p
}

// TestOnCurve compares with Euler's criterion: v is a square if v^((p-1)/2) is 1.
func TestOnCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	half := new(big.Int).Rsh(prime, 1)
	on := 0
	for range 300 {
		var b [pointSize]byte
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		u := new(big.Int).Mod(new(big.Int).SetBytes(b[:]), prime)
		v := new(big.Int).Exp(u, big.NewInt(3), prime)
		v.Add(v, new(big.Int).Mul(slope, new(big.Int).Mul(u, u))).Add(v, u)
		want := new(big.Int).Exp(v, half, prime).Cmp(big.NewInt(1)) == 0
		if got := onCurve(little(u)); got != want {
			t.Errorf("%v is on the curve: %v, want %v", u, got, want)
		}
		if want {
			on++
		}
	}
	if on < 100 || on > 200 {
		t.Errorf("%d of 300 numbers are on the curve, want about half", on)
	}
	for name, c := range map[string]struct {
		u    *big.Int
		want bool
	}{
		"the base":                      {big.NewInt(9), true},
		"0":                             {big.NewInt(0), false},
		"the prime, which is 0":         {prime, false},
		"9 with the prime, which is 9":  {new(big.Int).Add(prime, big.NewInt(9)), false},
		"the largest of 32 bytes":       {new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)), false},
		"the largest below the prime":   {new(big.Int).Sub(prime, big.NewInt(1)), false}, // -1: 486660 is no square
		"2, which is on the twist only": {big.NewInt(2), false},
	} {
		if got := onCurve(little(c.u)); got != c.want {
			t.Errorf("%s is on the curve: %v, want %v", name, got, c.want)
		}
	}
}

// TestPointOfIdentifier: the point does not depend on the row, and it differs for identifiers that are nearly the same. Points
// that are multiplied by two numbers are equal in either order.
func TestPointOfIdentifier(t *testing.T) {
	numbers := make([]*ecdh.PrivateKey, 2)
	for i := range numbers {
		sum := sha256.Sum256([]byte{byte(i)})
		numbers[i], _ = ecdh.X25519().NewPrivateKey(sum[:])
	}
	names := []string{"", " ", "a", "A", "a ", "ab", "b", "a\x00", "\x00a", "ä", "a\u0308", strings.Repeat("x", 1<<16)}
	points, err := pointsOf(numbers[0], names)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[pointSize]byte]string{}
	for i, p := range points {
		if other, twice := seen[p]; twice {
			t.Errorf("%.20q and %.20q have the same point", names[i], other)
		}
		seen[p] = names[i]
		q, err := pointOf(numbers[1], names[i])
		if err != nil {
			t.Fatal(err)
		}
		ab, errAB := times(numbers[1], p[:])
		ba, errBA := times(numbers[0], q[:])
		if ab != ba || errAB != nil || errBA != nil || p == q {
			t.Errorf("%.20q: %x in one order, %x in the other (%v, %v)", names[i], ab, ba, errAB, errBA)
		}
	}
	slices.Reverse(names)
	again, err := pointsOf(numbers[0], names)
	if slices.Reverse(again); err != nil || !slices.Equal(again, points) {
		t.Errorf("in another order the points are others: %v", err)
	}
}

// TestMeetsOfSets compares the common rows of drawn sets with those of a map.
func TestMeetsOfSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		var sets [2]ids
		for k := range sets {
			for _, i := range r.Perm(14)[:r.IntN(14)] {
				sets[k] = append(sets[k], fmt.Sprint("id", i))
			}
		}
		a, b := opened(t, sets[0], sets[1])
		mine, theirs, asked := meet(t, a, b)
		common := map[string]bool{}
		for _, id := range sets[0] {
			if slices.Contains(sets[1], id) {
				common[id] = true
			}
		}
		for i, row := range mine {
			if id := sets[0][row]; !common[id] || sets[1][theirs[i]] != id {
				t.Errorf("%q and %q: rows %d and %d are no pair, or are there twice", sets[0], sets[1], row, theirs[i])
			} else {
				delete(common, id)
			}
		}
		if len(common) > 0 || len(theirs) != len(mine) || len(asked.Data) != pointSize*len(sets[0]) {
			t.Errorf("%q and %q: %v are not found, %d and %d rows", sets[0], sets[1], slices.Collect(maps.Keys(common)), len(mine), len(theirs))
		}
	}
}

// TestAnswerHidesOrder: the answerer's points are sorted, so that they say nothing about rows; the asker's remain in their order.
func TestAnswerHidesOrder(t *testing.T) {
	names := ids{"q", "w", "e", "r", "t", "y"}
	a, b := opened(t, ids{"e", "z"}, names)
	asked, err := a.Ask(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, own, err := b.Answer(context.Background(), asked)
	if err != nil || len(own.Data) != pointSize*len(names) {
		t.Fatalf("%d bytes, %v", len(own.Data), err)
	}
	points := slices.Collect(slices.Chunk(own.Data, pointSize))
	if !slices.IsSortedFunc(points, bytes.Compare) {
		t.Error("the points are in the order of the rows")
	}
	slices.Reverse(b.Ids.(ids))
	if _, again, err := b.Answer(context.Background(), asked); err != nil || !slices.Equal(again.Data, own.Data) {
		t.Errorf("rows in another order give other points: %v", err)
	}
}

// TestMessages shows the errors for what a peer may send, and for identifiers and secrets that are none.
func TestMessages(t *testing.T) {
	a, b := opened(t, ids{"a", "b"}, ids{"b", "c"})
	twice := &Answerer{Ids: ids{"a", "b", "a"}, secret: b.secret}
	dense := func(b ...byte) tensor.Dense[uint8] { return tensor.DenseOf(b, len(b)) }
	ctx := context.Background()
	good, _ := a.Ask(ctx, 0)
	zero := make([]byte, pointSize)
	answer := func(b *Answerer, asked tensor.Dense[uint8]) error { _, _, err := b.Answer(ctx, asked); return err }
	match := func(twice, own tensor.Dense[uint8]) error { _, _, err := a.Match(ctx, twice, own); return err }
	rows := func(b *Answerer, picks ...int64) error { _, err := b.Rows(ctx, rowsOf(picks)); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{answer(b, dense(zero[1:]...)), "31 bytes are no points of 32 bytes"},
		{answer(b, dense(append(slices.Clone(good.Data), zero...)...)), "point 2: crypto/ecdh: bad X25519 remote ECDH input: low order point"},
		{answer(b, dense(append([]byte{1}, zero[1:]...)...)), "point 0: crypto/ecdh: bad X25519 remote ECDH input: low order point"},
		{answer(twice, good), "rows 0 and 2 have the same identifier"},
		{match(dense(), dense()), "the answer has 0 bytes, want 2 points of 32 bytes"},
		{match(dense(good.Data[1:]...), dense()), "the answer has 63 bytes, want 2 points of 32 bytes"},
		{match(good, dense(1, 2, 3)), "3 bytes are no points of 32 bytes"},
		{match(good, dense(zero...)), "point 0: crypto/ecdh: bad X25519 remote ECDH input: low order point"},
		{rows(b, 0, 2), "pick 1 is 2, want increasing numbers below 2"},
		{rows(b, -1), "pick 0 is -1, want increasing numbers below 2"},
		{rows(b, 1, 0), "pick 1 is 0, want increasing numbers below 2"},
		{rows(b, 0, 0), "pick 1 is 0, want increasing numbers below 2"},
		{rows(twice, 0), "rows 0 and 2 have the same identifier"},
		{a.UnmarshalBinary(make([]byte, 33)), "33 bytes, want 32"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
	if err := rows(b, 0, 1); err != nil {
		t.Errorf("all rows are common: %v", err)
	}
	for _, part := range []interface{ Open(runtime.Env) error }{&Asker{}, &Answerer{}} {
		if err := part.Open(runtime.Env{Random: iotest.ErrReader(io.ErrClosedPipe)}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("no random numbers: %v", err)
		}
	}
}
