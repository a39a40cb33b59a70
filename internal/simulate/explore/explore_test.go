package explore

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// All memory is counted here, and what is let go too early is found out.
func TestMain(m *testing.M) {
	tensor.Poison(Large)
	os.Exit(m.Run())
}

// The same seeds are played each time.
func TestExplore(t *testing.T) {
	o := Options{Seed: 1, Schedules: 20000, Jobs: 2, Failures: 3, Twice: 16}
	if testing.Short() {
		o.Schedules = 2000
	}
	o.Failed = func(seed uint64, err error) { t.Errorf("seed %d: %v", seed, err) }
	t.Logf("%+v", Run(o))
}
