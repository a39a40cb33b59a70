package train

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/model"
)

// leaving is a peer that dies in a step during a sum on its first lane, and has contributed to all others of the step. The
// others detect that after all other possible events.
type leaving struct {
	one
	left int // the number of earlier sums
}

func (l *leaving) SumAs(c collective.Codec, lane int, x Addend) error {
	if lane == 0 {
		l.left--
	}
	if lane > 0 || l.left >= 0 {
		return l.one.SumAs(c, lane, x)
	}
	time.Sleep(time.Hour)
	l.leave(l.rank)
	return errKilled
}

// TestLossPoint lets a peer die while one of its buckets is in progress and others are complete: all
// remaining peers agree that it did not take part in that step.
func TestLossPoint(t *testing.T) {
	const victim = 2
	synctest.Test(t, func(t *testing.T) {
		opt := teamOptions(t, t.TempDir())
		opt.bucketBytes = 1
		telling := func(int) model.TrainProgram { return tells(nil, func() error { return nil }) }
		errs, said := runTogether(t.Context(), 4, opt, telling, func(rank int, opt *Options) {
			if rank == victim {
				opt.Group = &leaving{opt.Group.(one), 6}
			}
		})
		for rank, err := range errs {
			if rank == victim && !errors.Is(err, errKilled) || rank != victim && err != nil {
				t.Errorf("peer %d: %v", rank, err)
			}
		}
		if want := "step 7: lost peer 2; 3 go on\n"; strings.Count(said, want) != 1 {
			t.Errorf("they say\n%s\nwant once %q", said, want)
		}
	})
}
