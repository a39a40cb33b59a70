package main

import (
	"context"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/examples/fedavg/peer/client/partition/model"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// opened returns an opened model of a peer.
func opened(t *testing.T, rank int) *model.Slot {
	t.Helper()
	m := &model.Slot{}
	if err := m.Open(runtime.Env{Seed: 1, Class: "client", Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return m
}

// step trains on some batch, and returns the parameters afterwards.
func step(t *testing.T, m *model.Slot) []float32 {
	t.Helper()
	x := tensor.DenseOf(make([]float32, 4*28*28), 4, 1, 28, 28)
	for i := range x.Data {
		x.Data[i] = float32(i%17) / 17
	}
	if _, err := m.TrainStep(context.Background(), x, tensor.DenseOf([]int64{1, 2, 3, 4}, 4)); err != nil {
		t.Fatal(err)
	}
	p, err := m.Params()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(p.Data)
}

// A model that continues from its state has the same results as without interruption, including momentum.
func TestModelState(t *testing.T) {
	a := opened(t, 0)
	step(t, a)
	b, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := opened(t, 0)
	if err := c.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(step(t, a), step(t, c)) {
		t.Error("the two go different ways")
	}
	for _, bad := range [][]byte{nil, b[:len(b)-1], append(slices.Clone(b), 0), b[1:]} {
		if err := c.UnmarshalBinary(bad); err == nil {
			t.Errorf("%d bytes of %d are accepted as state", len(bad), len(b))
		}
	}
}

func TestModelParameters(t *testing.T) {
	a, c := opened(t, 0), opened(t, 1)
	p := tensor.DenseOf(step(t, a), 0)
	p.Shape[0] = len(p.Data)
	if err := c.LoadParameters(p); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.Params(); !slices.Equal(got.Data, p.Data) {
		t.Error("the parameters that were loaded are others")
	}
	if err := c.ApplyDelta(p); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.Params(); got.Data[0] != 2*p.Data[0] {
		t.Errorf("parameter 0 is %v, want %v", got.Data[0], 2*p.Data[0])
	}
	if err := c.LoadParameters(tensor.DenseOf(p.Data[1:], len(p.Data)-1)); err == nil {
		t.Error("parameters of another model are accepted")
	}
	x := tensor.DenseOf(make([]float32, 2*28*28), 2, 1, 28, 28)
	if y, err := c.Forward(context.Background(), x); err != nil || !slices.Equal(y.Shape, []int{2, 10}) {
		t.Errorf("scores of shape %v (%v), want [2 10]", y.Shape, err)
	}
	if _, err := c.Forward(context.Background(), tensor.DenseOf(make([]float32, 4), 4)); err == nil {
		t.Error("an input of another shape is accepted")
	}
}
