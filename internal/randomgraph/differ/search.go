package differ

import (
	"sync"

	"github.com/bbgen/bbgen/internal/randomgraph"
)

// Search checks the models of a range of seeds.
type Search struct {
	First, Models uint64
	Jobs          int        // workers, each with a batch of its own
	Batch         int        // models in a binary
	Toolchain     *Toolchain // nil: only [Passes]
	ONNXRuntime   bool       // compares with ONNX Runtime as well
	Smaller       int        // limit for the number of smaller models tried for each failure

	// Each, if not nil, is called with the tally after each batch, one at a time.
	Each func(t Tally)
}

// Tally counts what a search has done.
type Tally struct {
	Models   uint64     `json:"models"`
	Empty    uint64     `json:"refused"` // no run of the model could be compared
	Runs     int        `json:"runs"`
	Compiled int        `json:"compiled_runs"`
	Foreign  int        `json:"onnxruntime_runs"`
	Failures []*Failure `json:"-"`
}

// Run does the search.
func (s *Search) Run() (Tally, error) {
	var total Tally
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	next, end := s.First, s.First+s.Models
	take := func() (from, to uint64) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil {
			next = end
		}
		from, to = next, min(next+uint64(s.Batch), end)
		next = to
		return from, to
	}
	for range s.Jobs {
		wg.Go(func() {
			for from, to := take(); from < to; from, to = take() {
				t, err := s.batch(from, to)
				mu.Lock()
				total.add(t)
				if err != nil {
					failed = err
				}
				if s.Each != nil {
					s.Each(total)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return total, failed
}

func (t *Tally) add(u Tally) {
	t.Models += u.Models
	t.Empty += u.Empty
	t.Runs += u.Runs
	t.Compiled += u.Compiled
	t.Foreign += u.Foreign
	t.Failures = append(t.Failures, u.Failures...)
}

// batch checks the seeds from one up to another.
func (s *Search) batch(from, to uint64) (t Tally, err error) {
	var ok []*checked
	for seed := from; seed < to; seed++ {
		t.Models++
		c, f := check(randomgraph.Draw(seed))
		t.Runs += len(c.sets)
		switch {
		case f != nil:
			t.Failures = append(t.Failures, Minimize(f, s.Smaller, passes))
		case len(c.sets) == 0:
			t.Empty++
		default:
			ok = append(ok, c)
		}
	}
	if s.ONNXRuntime {
		if err := s.foreign(ok, &t); err != nil {
			return t, err
		}
	}
	if s.Toolchain == nil {
		return t, nil
	}
	n, failures, err := s.Toolchain.compiled(ok)
	t.Compiled = n
	for _, f := range failures {
		t.Failures = append(t.Failures, Minimize(f, s.Smaller/4, s.Toolchain.alone))
	}
	return t, err
}

func passes(m *randomgraph.Model) *Failure {
	_, f := check(m)
	return f
}

// alone builds a binary with only this model. It returns the failure of the model, or nil.
func (t *Toolchain) alone(m *randomgraph.Model) *Failure {
	failures, err := t.Compiled([]*randomgraph.Model{m})
	if err != nil || len(failures) == 0 {
		return nil
	}
	return failures[0]
}
