package clustered

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i byte) wire.PeerID {
	p, err := wire.PeerIDOf(bytes.Repeat([]byte{i}, 32))
	if err != nil {
		panic(err)
	}
	return p
}

// Each model gets the weighted mean of its own changes, in any order of clients, also after a restart.
func TestAverage(t *testing.T) {
	a := &Average{Clusters: 3, Size: 2}
	other := runtime.Round{Module: 1}
	a.Enter(other)
	if err := a.Contribute(id(9), Update{1, []float32{100, 100}}, 1); err != nil {
		t.Fatal(err)
	}
	a.Enter(runtime.Round{})
	for i, c := range []struct {
		Update
		weight float32
	}{{Update{2, []float32{1, 2}}, 1}, {Update{0, []float32{-1, 0}}, 5}, {Update{2, []float32{5, 6}}, 3}} {
		if err := a.Contribute(id(byte(1+i)), c.Update, c.weight); err != nil {
			t.Fatal(err)
		}
	}
	b, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	back := &Average{Clusters: 3, Size: 2}
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	back.Leave(other)
	got, err := back.Aggregate()
	if want := []float32{-1, 0, 0, 0, 4, 5}; err != nil || !slices.Equal(got.Data, want) || !slices.Equal(got.Shape, []int{3, 2}) {
		t.Errorf("the means are %v, %v, want %v", got.Data, err, want)
	}
	back.Enter(other)
	if _, err := back.Aggregate(); err == nil {
		t.Error("an execution that has failed has contributions")
	}
	for n := 1; n < len(b); n += 7 {
		if err := back.UnmarshalBinary(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are a state", n, len(b))
		}
	}
}

// A client picks the model with the smallest loss; an update arrives as it was sent.
func TestChoice(t *testing.T) {
	c, nan := Choice{}, float32(math.NaN())
	if best, err := c.Best(tensor.DenseOf([]float32{nan, 3, 1, 2}, 4)); best != 2 || err != nil {
		t.Errorf("the best model is %d, %v, want 2", best, err)
	}
	if _, err := c.Best(tensor.DenseOf([]float32{nan}, 1)); err == nil {
		t.Error("a loss that is NaN is the smallest")
	}
	models := tensor.DenseOf([]float32{1, 2, 3, 4}, 2, 2)
	if m, err := c.Pick(models, 1); err != nil || !slices.Equal(m.Data, []float32{3, 4}) {
		t.Errorf("model 1 is %v, %v", m.Data, err)
	}
	for _, k := range []int64{-1, 2} {
		if _, err := c.Pick(models, k); err == nil {
			t.Errorf("there is a model %d of 2", k)
		}
	}
	u, _ := c.Update(tensor.DenseOf([]float32{1, 2}, 2), 1)
	b, _ := u.AppendBinary(nil)
	var back Update
	if err := back.UnmarshalBinary(b); err != nil || back.Cluster != 1 || !slices.Equal(back.Change, u.Change) {
		t.Errorf("%+v becomes %+v, %v", u, back, err)
	}
}

// What a client cannot have sent by the protocol is refused.
func TestRefused(t *testing.T) {
	a := &Average{Clusters: 2, Size: 1}
	for _, bad := range []struct {
		Update
		weight float32
	}{{Update{2, []float32{1}}, 1}, {Update{-1, []float32{1}}, 1}, {Update{0, []float32{1, 2}}, 1}, {Update{0, []float32{1}}, 0}, {Update{0, []float32{1}}, float32(math.Inf(1))}} {
		if err := a.Contribute(id(1), bad.Update, bad.weight); err == nil {
			t.Errorf("%+v is averaged", bad)
		}
	}
	for _, u := range []Update{{maxClusters, []float32{1}}, {0, []float32{float32(math.NaN())}}} {
		b, _ := u.AppendBinary(nil)
		if err := new(Update).UnmarshalBinary(b); err == nil {
			t.Errorf("%+v is read", u)
		}
	}
	for _, c := range []*Average{{}, {Clusters: 1}, {Size: 1}, {Clusters: maxClusters + 1, Size: 1}} {
		if err := c.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
