package byround

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

func exec(n uint64) runtime.Round {
	id, _ := wire.PeerIDOf([]byte("0123456789abcdef0123456789abcdef"))
	return runtime.Round{Exec: wire.ExecID{Origin: id, Incarnation: 7, Number: n}, Module: 2}
}

func in(v *Values[int32], n uint64) (list []int32) {
	v.Enter(exec(n))
	for x := range v.All() {
		list = append(list, *x)
	}
	return list
}

func of(x int32) *int32 { return &x }

// filled has two values in execution 1 and one in execution 2, which overlap.
func filled() *Values[int32] {
	var v Values[int32]
	v.Enter(exec(1))
	v.Add(of(10))
	v.Enter(exec(2))
	*v.Begin() = 20
	v.Enter(exec(1))
	v.Add(of(11))
	return &v
}

// Executions that overlap have values of their own; the end of one leaves the others.
func TestApart(t *testing.T) {
	v := filled()
	if got := *v.First(); got != 10 || v.First() != v.Begin() {
		t.Errorf("the first value is %d, and Begin another one; want 10, and the same", got)
	}
	if left := v.Leave(exec(2)); len(left) != 1 || *left[0] != 20 {
		t.Errorf("execution 2 leaves with %v", left)
	}
	if left := v.Leave(exec(2)); left != nil || v.Len() != 2 || v.Round() != exec(1) {
		t.Errorf("it leaves again with %v; %d values remain in %v", left, v.Len(), v.Round())
	}
	if got := v.Take(); len(got) != 2 || *got[0] != 10 || *got[1] != 11 {
		t.Errorf("took %v, want 10 and 11", got)
	}
	if v.First() != nil || v.Take() != nil || v.Len() != 0 {
		t.Errorf("%d values remain", v.Len())
	}
	if *v.Begin() != 0 || v.Len() != 1 { // the same execution gathers again
		t.Errorf("it begins with %d", *v.Begin())
	}
}

// A loop over All may end early.
func TestAllBreaks(t *testing.T) {
	v := filled()
	for x := range v.All() {
		if *x != 10 {
			t.Errorf("%d, want the first value only", *x)
		}
		break
	}
	for r, x := range v.Each() {
		if r != exec(1) || *x != 10 {
			t.Errorf("%d of %v, want the first value only", *x, r)
		}
		break
	}
}

func appendOne(b []byte, x *int32) []byte { return values.AppendScalar(b, *x) }

func readOne(f *values.Fields, x *int32) error {
	values.ReadScalar(f, x)
	return nil
}

// What was gathered is there again after a restart, and what was there before is returned.
func TestState(t *testing.T) {
	v := filled()
	f := values.NewFields(v.Append(nil, appendOne))
	var read Values[int32]
	if err := read.Read(f, readOne); err != nil || f.End() != nil {
		t.Fatal(err, f.End())
	}
	w := Values[int32]{}
	w.Enter(exec(3))
	w.Add(of(30))
	if former := w.Replace(read); len(former) != 1 || *former[0] != 30 || w.Round() != exec(3) || w.First() != nil {
		t.Errorf("%v were replaced, in %v", former, w.Round())
	}
	if one, two := in(&w, 1), in(&w, 2); !slices.Equal(one, []int32{10, 11}) || !slices.Equal(two, []int32{20}) {
		t.Errorf("restored %v and %v, want [10 11] and [20]", one, two)
	}
}

// A number of values that cannot be there is refused before anything is allocated, and each prefix of a state ends early.
func TestHostileState(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{
		{-1, "values of -1 executions in 70 bytes, want 0 to 2"},
		{3, "values of 3 executions in 70 bytes, want 0 to 2"},
		{math.MaxInt64, "values of 9223372036854775807 executions in 70 bytes, want 0 to 2"},
	} {
		var v Values[int32]
		b := append(values.AppendScalar(nil, c.n), make([]byte, 70)...)
		if err := v.Read(values.NewFields(b), readOne); err == nil || err.Error() != c.want || v.Len() != 0 {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	good := filled().Append(nil, appendOne)
	for n := range good {
		var v Values[int32]
		if err := v.Read(values.NewFields(good[:n]), readOne); err == nil {
			t.Errorf("%d of %d bytes are a state", n, len(good))
		}
	}
}

// A count that only the component has read may be wrong, too: reading ends with the bytes.
func TestItemsEndEarly(t *testing.T) {
	v := filled()
	b := v.AppendItems(nil, appendOne)
	var read Values[int32]
	if err := read.ReadItems(values.NewFields(b), math.MaxInt, readOne); err == nil || err.Error() != "the state ends early" || read.Len() != 3 {
		t.Errorf("%v after %d values, want that the state ends early after 3", err, read.Len())
	}
}
