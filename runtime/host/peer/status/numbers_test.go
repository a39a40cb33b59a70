package status

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Only the last number of each name is recorded, for a limited number of names.
func TestNumbers(t *testing.T) {
	var x Numbers
	give := func(name string, round uint64, v tensor.Value) bool {
		_, ok := x.Tell(runtime.Event{Kind: runtime.Emitted, Name: name, Exec: wire.ExecID{Number: round}, Value: v})
		return ok
	}
	if give("model", 1, tensor.Of([]float32{1, 2}, 2)) || give("answer", 1, tensor.Of([]bool{true}, 1)) {
		t.Error("what is no number is taken for one")
	}
	for round, loss := range []float32{0.5, 0.25} {
		if !give("loss", uint64(round), tensor.Of([]float32{loss}, 1)) || !give("accuracy", uint64(round), tensor.Of([]int64{int64(round)}, 1)) {
			t.Error("a number is not taken")
		}
	}
	want := []Number{{Name: "accuracy", Value: 1, Round: 1}, {Name: "loss", Value: 0.25, Round: 1}}
	if got := x.All(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i := range 2 * maxTold {
		give(fmt.Sprint("name ", i), 1, tensor.Of([]float64{1}, 1))
	}
	if n := len(x.All()); n != maxTold {
		t.Errorf("%d names are remembered, want %d", n, maxTold)
	}
}

// Counters are reported unchanged, and rings by their mean.
func TestCounted(t *testing.T) {
	self, err := wire.PeerIDOf(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	n, err := runtime.New(runtime.Config{Self: self, Incarnation: 1}, &runtime.Partition{Class: "x"})
	if err != nil {
		t.Fatal(err)
	}
	jobs, sizes := &runtime.Counter{Name: "jobs"}, &runtime.Ring{Name: "sizes"}
	jobs.Add((*runtime.Engine)(n), 41)
	sizes.Record((*runtime.Engine)(n), 2)
	sizes.Record((*runtime.Engine)(n), 4)
	counters, records := Counted([]runtime.Store{jobs, sizes, &runtime.Hold{Name: "best"}})
	if got := fmt.Sprint(counters, records); got != "[{jobs 41 0 0}] [{sizes 3 0 2}]" {
		t.Errorf("got %s", got)
	}
}
