package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// batcher combines concurrent requests: it computes the rows of all in one run. A batch is computed when it is
// full, or when its first request has waited for the maximum time and a session is free; until then others join
// it.
type batcher struct {
	sessions *sessions
	rows     int           // the size of a batch, unless a request has more rows
	wait     time.Duration // the maximum time that the first request of a batch waits for others
	timeout  time.Duration // the maximum time that a batch waits for a session
	metrics  *metrics

	mu   sync.Mutex
	open *batch // the batch that requests may join, or nil; guarded by mu
}

// batch is a group of requests that are computed together.
type batch struct {
	jobs []*job
	rows int
	full chan struct{} // closed when no more requests may join
}

// job is a request in a batch.
type job struct {
	ctx     context.Context // done when nobody waits for the outputs any more
	inputs  []tensor.Value
	rows    int
	done    chan struct{} // closed when outputs or err are set
	outputs []tensor.Value
	err     error
}

// newBatcher returns an error for programs whose requests cannot be combined.
func newBatcher(s *sessions, opt options, m *metrics) (*batcher, error) {
	if err := checkBatchable(s.p); err != nil {
		return nil, fmt.Errorf("-batch %d: %w", opt.batch, err)
	}
	return &batcher{sessions: s, rows: opt.batch, wait: opt.batchWait, timeout: opt.timeout, metrics: m}, nil
}

// checkBatchable returns an error unless requests can be joined along the first axis: it must have the same
// symbolic size in all inputs and outputs, and no other axis may have that size.
func checkBatchable(p model.Program) error {
	var batch string
	for i, x := range slices.Concat(p.Inputs, p.Outputs) {
		if x.Elem == tensor.Undefined || x.Key != tensor.Undefined || len(x.Dims) == 0 || isFixed(x.Dims[0]) {
			return fmt.Errorf("%q is %s, want a tensor whose first dimension is free: generate the model without --bind for it", x.Name, x.Type)
		}
		if i == 0 {
			batch = x.Dims[0]
		}
		if x.Dims[0] != batch {
			return fmt.Errorf("the first dimension of %q is %s, and that of %q is %s, want the same for all inputs and outputs", x.Name, x.Dims[0], p.Inputs[0].Name, batch)
		}
		for _, d := range x.Dims[1:] {
			if mentions(d, batch) {
				return fmt.Errorf("%q is %s, want %s as the first dimension alone", x.Name, x.Type, batch)
			}
		}
	}
	if batch == "" {
		return fmt.Errorf("the model has no inputs")
	}
	return nil
}

// mentions reports whether a dimension depends on a symbol, as 2*n depends on n, and channels does not.
func mentions(dim, symbol string) bool {
	for at := 0; ; at++ {
		i := strings.Index(dim[at:], symbol)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(symbol)
		if (at == 0 || !isOfName(dim[at-1])) && (end == len(dim) || !isOfName(dim[end])) {
			return true
		}
	}
}

// isOfName reports whether a byte next to the name of a symbol belongs to a longer name.
func isOfName(c byte) bool {
	return c == '_' || c == '.' || c >= 0x80 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// compute computes the inputs in a batch. It returns when the batch does not hold them any more, even if ctx has ended.
func (b *batcher) compute(ctx context.Context, inputs []tensor.Value, read reader) ([]byte, error) {
	j := &job{ctx: ctx, inputs: inputs, rows: inputs[0].(*tensor.Tensor).Shape[0], done: make(chan struct{})}
	b.join(j)
	if <-j.done; j.err != nil {
		return nil, j.err
	}
	return read(j.outputs)
}

// join adds a job to the open batch, or begins one.
func (b *batcher) join(j *job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil && (b.open.rows+j.rows > b.rows || !sameRows(b.open.jobs[0].inputs, j.inputs)) {
		b.close(b.open)
	}
	if b.open == nil {
		b.open = &batch{full: make(chan struct{})}
		go b.lead(b.open)
	}
	b.open.jobs = append(b.open.jobs, j)
	if b.open.rows += j.rows; b.open.rows >= b.rows {
		b.close(b.open)
	}
}

// close closes a batch for more jobs. The caller holds mu.
func (b *batcher) close(x *batch) {
	if b.open == x {
		b.open = nil
		close(x.full)
	}
}

// lead waits until a batch is to be computed, and computes it.
func (b *batcher) lead(x *batch) {
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	select {
	case <-x.full:
	case <-timer.C:
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	for {
		err := b.sessions.wait(ctx)
		b.mu.Lock()
		b.close(x)
		b.mu.Unlock()
		x.dropUnwanted()
		switch {
		case err == nil && len(x.jobs) == 0:
			b.sessions.put(nil)
			return
		case err == nil:
			b.run(x)
			return
		case len(x.jobs) == 0:
			return
		}
		ctx = x.jobs[len(x.jobs)-1].ctx // it joined later, and has time left
	}
}

// dropUnwanted ends the jobs for whose outputs nobody waits any more.
func (x *batch) dropUnwanted() {
	x.jobs = slices.DeleteFunc(x.jobs, func(j *job) bool {
		if j.ctx.Err() == nil {
			return false
		}
		x.rows -= j.rows
		j.end(errNoTurn)
		return true
	})
}

// end ends all jobs of a batch.
func (x *batch) end(err error) {
	for _, j := range x.jobs {
		j.end(err)
	}
}

func (j *job) end(err error) {
	j.err = err
	close(j.done)
}

// run computes a batch in the caller's turn. If that fails, it computes each job separately, so that bad data
// of one do not fail the others.
func (b *batcher) run(x *batch) {
	b.metrics.batch(len(x.jobs))
	_, err := b.sessions.run(joined(x.jobs), func(outputs []tensor.Value) ([]byte, error) { return nil, x.share(outputs) })
	if err == nil || len(x.jobs) == 1 {
		x.end(err)
		return
	}
	for _, j := range x.jobs {
		alone := batch{jobs: []*job{j}, rows: j.rows}
		err := b.sessions.wait(context.Background()) // the wait ends, as each turn ends
		if err == nil {
			_, err = b.sessions.run(j.inputs, func(outputs []tensor.Value) ([]byte, error) { return nil, alone.share(outputs) })
		}
		alone.end(err)
	}
}

// share gives each job a copy of its rows of the outputs.
func (x *batch) share(outputs []tensor.Value) error {
	for _, v := range outputs {
		if t, ok := v.(*tensor.Tensor); !ok || len(t.Shape) == 0 || t.Shape[0] != x.rows {
			return fmt.Errorf("an output is %v, want %d rows: start the server without -batch", v, x.rows)
		}
	}
	at := 0
	for _, j := range x.jobs {
		j.outputs = make([]tensor.Value, len(outputs))
		for i, v := range outputs {
			j.outputs[i] = rowsOf(v.(*tensor.Tensor), at, j.rows)
		}
		at += j.rows
	}
	return nil
}
