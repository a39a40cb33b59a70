package nearest

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The states of the components are read by later versions.
func TestStates(t *testing.T) {
	m := Merge{K: 3}
	for n := range 2 {
		m.Enter(runtime.Round{Exec: wire.ExecID{Incarnation: 1, Number: uint64(n)}, Module: 3})
		for rank := range n + 1 {
			if err := m.take(int32(rank), hits(t, rank, map[uint64]float32{7: 2.5, 9: float32(rank)})); err != nil {
				t.Fatal(err)
			}
		}
	}
	statetest.Check(t, "merge", &m, func() runtime.Component { return &Merge{K: 3} })

	var c Centers
	if err := c.Know(wire.PeerID{}, vec(1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "centers", &c, func() runtime.Component { return &Centers{} })
	for i, middle := range [][]float32{{4}, {5, 6}} {
		if err := c.Know(shard(byte(i)), vec(middle...)); err != nil {
			t.Fatal(err)
		}
	}
	statetest.Check(t, "uneven", &c, func() runtime.Component { return &Centers{} })
}
