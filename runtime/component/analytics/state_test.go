package analytics

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

func round(n int) runtime.Round {
	return runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: uint64(n)}, Module: 3}
}

// The state of two executions is read by later versions.
func TestSumState(t *testing.T) {
	var s Sum
	for n := range 2 {
		s.Enter(round(n))
		if err := s.Contribute(wire.PeerID{}, tensor.DenseOf([]int32{1, 2, int32(n)}, 3), 1); err != nil {
			t.Fatal(err)
		}
	}
	statetest.Check(t, "sum", &s, func() runtime.Component { return &Sum{} })
}

// A state of an older version has no numbers of peers.
func TestOlderState(t *testing.T) {
	old := values.AppendScalar(nil, int64(2))
	for n := range 2 {
		old, _ = round(n).AppendBinary(old)
		old = values.AppendDense(old, counts(1, 2, int32(n)))
	}
	var s Sum
	if err := s.UnmarshalBinary(old); err != nil {
		t.Fatal(err)
	}
	s.Enter(round(1))
	if err := s.Contribute(wire.PeerID{}, counts(1, 1, 1), 1); err != nil {
		t.Fatal(err)
	}
	if x, err := s.Aggregate(); err != nil || !slices.Equal(x.Data, []int32{2, 3, 2}) {
		t.Errorf("the sums are %v, %v; want 2, 3 and 2", x.Data, err)
	}
	old = values.AppendScalar(values.AppendScalar(nil, counted), int64(1))
	old, _ = round(0).AppendBinary(old)
	old = values.AppendDense(values.AppendScalar(old, int64(0)), counts(1))
	if err := s.UnmarshalBinary(old); err == nil {
		t.Error("sums of no peers are accepted")
	}
}
