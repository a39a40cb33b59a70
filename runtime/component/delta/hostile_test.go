package delta

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// news of a version, from an earlier one.
func news(number, from uint64, rest ...byte) tensor.Dense[uint8] {
	b := append(binary.AppendUvarint(binary.AppendUvarint(nil, number), from), rest...)
	return tensor.DenseOf(b, len(b))
}

func whole(number uint64, x ...float32) tensor.Dense[uint8] {
	return news(number, 0, values.AppendDense(nil, tensor.DenseOf(x, len(x)))...)
}

// A receiver refuses what no sender says, and keeps the version that it has.
func TestHostileNews(t *testing.T) {
	c := &Copy{}
	if _, err := c.Apply(whole(3, 1, 2)); err != nil {
		t.Fatal(err)
	}
	other, err := steps8.Encode(tensor.DenseOf([]float32{1, 2, 3}, 3))
	if err != nil {
		t.Fatal(err)
	}
	otherStep := append(binary.AppendUvarint(nil, uint64(len(other.Data))), other.Data...)
	for _, x := range []struct {
		name string
		news tensor.Dense[uint8]
		want string
	}{
		{"nothing", tensor.Dense[uint8]{}, "the state ends early"},
		{"version 0", news(0, 0), "a difference between the versions 0 and 0"},
		{"a negative version", news(1<<63, 0), "a difference between the versions 0 and -9223372036854775808"},
		{"from a later version", news(3, 4), "a difference between the versions 4 and 3"},
		{"from a version that is not here", news(3, 2), "a difference from version 2, this peer has 3"},
		{"no differences", news(4, 3), ""},
		{"very many differences", news(math.MaxInt64, 3), ""},
		{"a difference of another shape", news(4, 3, otherStep...), "a difference of shape [3], want [2]"},
		{"bytes behind them", news(3, 3, 0), "1 bytes of state are left over"},
		{"a model that ends early", news(4, 0, 2, 200), "the state ends early"},
		{"a model that is no number", whole(4, 1, float32(math.NaN())), "element 1 is NaN"},
		{"a model that is infinite", whole(4, float32(math.Inf(-1)), 1), "element 0 is -Inf"},
	} {
		_, err := c.Apply(x.news)
		if err == nil || x.want != "" && err.Error() != x.want {
			t.Errorf("%s: %v, want %s", x.name, err, x.want)
		}
		if have, _ := c.Version(0); have != 3 || !slices.Equal(c.model.Data, []float32{1, 2}) {
			t.Fatalf("%s: the receiver now has version %d, %v", x.name, have, c.model.Data)
		}
	}
}

// The sender refuses changes that are not finite, has nothing before the first version, and begins anew with another shape.
func TestSender(t *testing.T) {
	v := &Versions{Keep: 2}
	if err := v.Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
	if err := (&Versions{Keep: -1}).Open(runtime.Env{}); err == nil || err.Error() != "delta.Versions: Keep is -1, want 0 or more" {
		t.Errorf("%v, want that Keep is refused", err)
	}
	if _, err := v.Since(0); err == nil || err.Error() != "there is no version" {
		t.Errorf("%v, want that there is no version", err)
	}
	for range 2 {
		if _, err := v.Put(tensor.DenseOf([]float32{1, 2}, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Put(tensor.DenseOf([]float32{1, float32(math.Inf(1))}, 2)); err == nil || !strings.HasPrefix(err.Error(), "the difference from version 2: ") {
		t.Errorf("%v, want that the difference from version 2 is refused", err)
	}
	if n, err := v.Put(tensor.DenseOf([]float32{5}, 1)); err != nil || n != 3 || v.steps != nil {
		t.Errorf("another shape is version %d with %d differences (%v), want 3 and none", n, len(v.steps), err)
	}
	for _, have := range []int64{math.MinInt64, -1, 0, 1, 2, 4, math.MaxInt64} { // receivers of another sender
		news, err := v.Since(have)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := new(Copy).Apply(news); err != nil || !slices.Equal(got.Data, []float32{5}) {
			t.Errorf("a receiver of version %d gets %v (%v), want the whole model", have, got.Data, err)
		}
	}
}

// States of a version that cannot be are refused.
func TestHostileState(t *testing.T) {
	b := binary.AppendUvarint(nil, 1<<63)
	for _, c := range []runtime.Component{&Versions{}, &Copy{}} {
		if err := c.UnmarshalBinary(b); err != errVersion {
			t.Errorf("%T: %v, want %v", c, err, errVersion)
		}
	}
}
