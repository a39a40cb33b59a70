package trained

import (
	"context"
	"iter"
	"slices"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// pass is the first half of a step while its gradients are read in buckets: equal parts of the vector that
// ParameterGradients returns. It is computed only as far as the next bucket needs, so that the buckets before can
// be sent meanwhile.
type pass struct {
	number   int64
	next     func() (gradient int, ok bool) // computes until one more gradient is complete
	complete []bool                         // by gradient
	drawn    int64                          // where the random stream continues, if a later pass has been computed before
	loss     float64
	err      error

	// before holds the variables that a pass changes (statistics and the position in the random stream) as they were
	// before it, by index in State; nil for all others. A snapshot holds these: a peer that is restored computes the
	// pass again.
	before [][]byte
}

// BeginPass begins the first half of a step with inputs and targets, and computes it until the last of some buckets is
// complete, which Bucket returns then. It returns a number for ContinuePass. Another pass that is under way is
// dropped.
func (m *Model) BeginPass(ctx context.Context, buckets int, in ...*tensor.Tensor) (number int64, err error) {
	if err := m.setInputs(ctx, in); err != nil {
		return 0, err
	}
	if number = m.drawn; m.random != nil {
		number = m.random[0]
	}
	m.drawn++
	m.startPass(number)
	return number, m.pass.reach(m, buckets-1, buckets)
}

// ContinuePass computes a pass, which has the same inputs and targets, until one more bucket is complete. It returns
// the loss with bucket 0, which ends the pass. If the pass is not under way, because the peer was restored or another
// pass was begun, it is computed again.
func (m *Model) ContinuePass(ctx context.Context, number int64, bucket, buckets int, in ...*tensor.Tensor) (loss float32, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if m.pass == nil || m.pass.number != number {
		if err := m.setInputs(ctx, in); err != nil {
			return 0, err
		}
		drawn := int64(0)
		if m.random != nil {
			drawn, m.random[0] = m.random[0], number
		}
		m.startPass(number)
		m.pass.drawn = drawn
	}
	p := m.pass
	if err := p.reach(m, bucket, buckets); err != nil || bucket > 0 {
		return 0, err
	}
	p.finish()
	if m.random != nil {
		m.random[0] = max(m.random[0], p.drawn)
	}
	m.pass = nil
	return float32(p.loss), p.err
}

// Bucket returns the gradients that BeginPass or ContinuePass has computed. The next call overwrites them.
func (m *Model) Bucket() tensor.Dense[float32] { return m.bucket }

// startPass starts a pass with the inputs that are set.
func (m *Model) startPass(number int64) {
	s := m.session.(model.ReadySession)
	p := &pass{number: number, complete: make([]bool, len(s.ParameterGradients()))}
	for _, v := range s.State() {
		var b []byte
		if v.Kind == model.Buffer || v.Name == m.program.Random {
			b = slices.Clone(v.Value.Bytes())
		}
		p.before = append(p.before, b)
	}
	// A pass always runs to its end: see completePass.
	p.next, _ = iter.Pull(func(yield func(int) bool) {
		p.loss, p.err = s.GradientsReady(func(i int) { yield(i) })
	})
	m.pass = p
}

// completePass computes the rest of a pass, before something else uses the session.
func (m *Model) completePass() {
	if m.pass != nil {
		m.pass.finish()
	}
}

// finish computes all gradients.
func (p *pass) finish() {
	for ok := true; ok; {
		_, ok = p.next()
	}
	for i := range p.complete {
		p.complete[i] = true
	}
}

// reach computes until all gradients of a bucket are complete, and copies them.
func (p *pass) reach(m *Model, bucket, buckets int) error {
	size := len(m.flat.Data)
	from, to := size*bucket/buckets, size*(bucket+1)/buckets
	for !p.covers(m.weights, from, to) {
		i, ok := p.next()
		if !ok {
			p.finish()
			break
		}
		p.complete[i] = true
	}
	if p.err != nil {
		return p.err
	}
	x := m.gradientVector()[from:to]
	m.bucket = tensor.DenseOf(x, len(x))
	gatherRange(x, m.session.(model.SplitSession).ParameterGradients(), from)
	return nil
}

// covers reports whether the gradients of elements from to to−1 of all weights are complete.
func (p *pass) covers(weights []model.Variable, from, to int) bool {
	at := 0
	for i, v := range weights {
		n := v.Value.Len()
		if !p.complete[i] && at < to && from < at+n {
			return false
		}
		at += n
	}
	return true
}

// gatherRange copies what concatenated variables have from an element on.
func gatherRange(dst []float32, vars []model.Variable, from int) {
	for _, v := range vars {
		x := tensor.Data[float32](v.Value)
		skip := min(from, len(x))
		from -= skip
		dst = dst[copy(dst, x[skip:]):]
	}
}
