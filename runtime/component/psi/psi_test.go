package psi

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

type ids []string

func (l ids) Ids() []string { return l }

// meet runs the protocol, and returns the rows of both.
func meet(t *testing.T, a *Asker, b *Answerer) (mine, theirs []int64, asked tensor.Dense[uint8]) {
	t.Helper()
	asked, err := a.Ask(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	twice, own, err := b.Answer(context.Background(), asked)
	if err != nil {
		t.Fatal(err)
	}
	rows, picks, err := a.Match(context.Background(), twice, own)
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Rows(context.Background(), picks)
	if err != nil {
		t.Fatal(err)
	}
	return rows.Data, other.Data, asked
}

func opened(t *testing.T, a, b ids) (*Asker, *Answerer) {
	t.Helper()
	x, y := &Asker{Ids: a}, &Answerer{Ids: b}
	for _, c := range []interface{ Open(runtime.Env) error }{x, y} {
		if err := c.Open(runtime.Env{Random: rand.Reader}); err != nil {
			t.Fatal(err)
		}
	}
	return x, y
}

// Both peers have the common rows in the same order, and no others.
func TestMeet(t *testing.T) {
	var a, b ids
	for i := range 60 {
		if i%2 == 0 {
			a = append(a, fmt.Sprint("person ", i))
		}
		if i%3 == 0 {
			b = append(b, fmt.Sprint("person ", 59-i))
		}
	}
	x, y := opened(t, a, b)
	mine, theirs, _ := meet(t, x, y)
	var found []string
	for i, row := range mine {
		if a[row] != b[theirs[i]] {
			t.Errorf("row %d of one is %q, and of the other one %q", i, a[row], b[theirs[i]])
		}
		found = append(found, a[row])
	}
	if want := 10; len(found) != want {
		t.Errorf("%d common rows, want %d: %q", len(found), want, found)
	}
	for _, none := range []struct{ a, b ids }{{nil, b}, {a, nil}, {ids{"x"}, ids{"y"}}} {
		x, y := opened(t, none.a, none.b)
		if mine, theirs, _ := meet(t, x, y); len(mine)+len(theirs) > 0 {
			t.Errorf("%v and %v are common to %q and %q", mine, theirs, none.a, none.b)
		}
	}
}

// Another execution has other points for the same rows, and a peer that continues from a snapshot has the same.
func TestSecret(t *testing.T) {
	x, _ := opened(t, ids{"a", "b"}, nil)
	first, _ := x.Ask(context.Background(), 0)
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back := &Asker{Ids: x.Ids}
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again, _ := back.Ask(context.Background(), 0); !slices.Equal(first.Data, again.Data) {
		t.Error("the points after a restart are others")
	}
	x.Enter(runtime.Round{Module: 1})
	if other, _ := x.Ask(context.Background(), 0); slices.Equal(first.Data[:pointSize], other.Data[:pointSize]) {
		t.Error("two executions have the same points")
	}
	if err := back.UnmarshalBinary(b[1:]); err == nil {
		t.Error("a state that is cut off is read")
	}
}

// What the other peer sends is checked.
func TestRefused(t *testing.T) {
	x, y := opened(t, ids{"a", "b"}, ids{"b"})
	bytes := func(n int) tensor.Dense[uint8] { return tensor.DenseOf(make([]byte, n), n) }
	for _, bad := range []int{1, pointSize - 1, pointSize} { // the last is the point 0
		if _, _, err := y.Answer(context.Background(), bytes(bad)); err == nil {
			t.Errorf("%d bytes are answered", bad)
		}
	}
	if _, _, err := x.Match(context.Background(), bytes(pointSize), bytes(0)); err == nil {
		t.Error("one point answers two")
	}
	for _, bad := range [][]int64{{-1}, {1}, {0, 0}} {
		if _, err := y.Rows(context.Background(), rowsOf(bad)); err == nil {
			t.Errorf("the picks %v are read", bad)
		}
	}
	twice := &Asker{Ids: ids{"a", "a"}, secret: x.secret}
	if _, err := twice.Ask(context.Background(), 0); err == nil {
		t.Error("two rows have the same identifier")
	}
}
