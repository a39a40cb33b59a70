package explore

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// All values are shared memory here, so that the tests detect references that are released too early.
func TestMain(m *testing.M) {
	tensor.Poison(Large)
	os.Exit(m.Run())
}

// The same seeds are always run.
func TestExplore(t *testing.T) {
	o := Options{Seed: 1, Schedules: 10000, Jobs: 2, Failures: 3, Twice: 16}
	if testing.Short() {
		o.Schedules = 2000
	}
	o.Failed = func(seed uint64, err error) { t.Errorf("seed %d: %v", seed, err) }
	s := Run(t.Context(), o)
	t.Logf("%+v", s)
	for kind, n := range s.Events {
		if n == 0 {
			t.Errorf("%q never happens in %d schedules", kind, s.Schedules)
		}
	}
}

// patient is a context that is done after it was checked a number of times.
type patient struct {
	context.Context
	left *atomic.Int64
}

func (c patient) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// When the time is over, the results so far are reported.
func TestCut(t *testing.T) {
	left := new(atomic.Int64)
	left.Store(50)
	s := Run(patient{t.Context(), left}, Options{Seed: 7, Jobs: 2})
	if !s.Cut || s.Schedules == 0 || s.Schedules > 50 || s.Last != 7+uint64(s.Schedules)-1 || s.Failures != 0 {
		t.Errorf("got %+v, want some seeds from 7 on", s)
	}
}
