package delta

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const size = 700

// walk returns n models, each a step after the other.
func walk(n int) (models []tensor.Dense[float32]) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, size)
	for range n {
		for i := range x {
			x[i] += float32(r.NormFloat64())
		}
		models = append(models, tensor.DenseOf(slices.Clone(x), size))
	}
	return models
}

// Receivers that take each version, miss some, or begin late all have the bits of the sender, and are near its model.
func TestVersions(t *testing.T) {
	v := &Versions{}
	every, some, late := &Copy{}, &Copy{}, &Copy{}
	for i, model := range walk(40) {
		number, err := v.Put(model)
		if err != nil || number != int64(i+1) {
			t.Fatalf("version %d is number %d, %v", i+1, number, err)
		}
		for _, c := range []struct {
			*Copy
			when bool
		}{{every, true}, {some, i%3 == 2}, {late, i > 20 && i%9 == 0}} {
			if !c.when {
				continue
			}
			have, _ := c.Version(0)
			news, err := v.Since(have)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Apply(news)
			if err != nil || !slices.Equal(got.Data, v.model.Data) {
				t.Fatalf("version %d after %d: %v", number, have, err)
			}
			missed := number - have
			if whole := have == 0 || missed > 3; whole != (len(news.Data) > 4*size) || !whole && len(news.Data) > int(missed)*(size*11/10+20) {
				t.Errorf("%d bytes from version %d to %d", len(news.Data), have, number)
			}
		}
		for k, x := range model.Data {
			if !(math.Abs(float64(x-v.model.Data[k])) <= 0.05) {
				t.Fatalf("element %d of version %d is %v, not %v", k, number, v.model.Data[k], x)
			}
		}
		w, c := &Versions{}, &Copy{} // both continue from snapshots
		statetest.Restart(t, v, w)
		statetest.Restart(t, every, c)
		v, every = w, c
	}
	have, _ := every.Version(0)
	if news, err := v.Since(have); err != nil || len(news.Data) > 4 {
		t.Errorf("nothing new has %d bytes, %v", len(news.Data), err)
	} else if got, err := every.Apply(news); err != nil || !slices.Equal(got.Data, v.model.Data) {
		t.Errorf("the version that the receiver has is another one: %v", err)
	}
}

// What cannot be applied changes nothing.
func TestRefused(t *testing.T) {
	v, c := &Versions{}, &Copy{}
	if _, err := v.Since(0); err == nil {
		t.Error("there is news before a model")
	}
	models := walk(3)
	for _, m := range models {
		if _, err := v.Put(m); err != nil {
			t.Fatal(err)
		}
	}
	from2, err := v.Since(2)
	if err != nil {
		t.Fatal(err)
	}
	for n := range from2.Data {
		if _, err := c.Apply(tensor.DenseOf(from2.Data[:n], n)); err == nil {
			t.Errorf("the first %d bytes are applied", n)
		}
	}
	if _, err := c.Apply(from2); err == nil || c.number != 0 {
		t.Errorf("a difference from version 2 is applied to none: %v", err)
	}
	for _, claim := range []int64{-1, 4, math.MaxInt64, math.MinInt64} { // versions of another sender
		news, err := v.Since(claim)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&Copy{}).Apply(news); err != nil {
			t.Errorf("a receiver that claims version %d: %v", claim, err)
		}
	}
	if _, err := c.Apply(whole(1, float32(math.NaN()))); err == nil {
		t.Error("a model that is not finite is applied")
	}
	if err := (&Versions{Keep: -1}).Open(runtime.Env{}); err == nil {
		t.Error("Keep -1 is accepted")
	}
}
