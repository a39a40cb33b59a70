package hosttest_test

import (
	"flag"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

// TestInsiders: the benchmark of insiders measures rounds, and the processor time of the server, which is a process.
func TestInsiders(t *testing.T) {
	times := flag.Lookup("test.benchtime")
	before := times.Value.String()
	t.Cleanup(func() { times.Value.Set(before) })
	if err := times.Value.Set("1x"); err != nil {
		t.Fatal(err)
	}
	list := hosttest.Misdeeds()
	if testing.Short() {
		list = list[:1]
	}
	for _, misdeed := range list {
		t.Run(misdeed, func(t *testing.T) {
			r := testing.Benchmark(func(b *testing.B) { hosttest.Besieged(b, tcp.New, listen, misdeed) })
			if r.N != 1 || r.Extra["rounds/s"] <= 0 || r.Extra["server-cpu-µs/round"] <= 0 {
				t.Errorf("got %v", r)
			}
		})
	}
}
