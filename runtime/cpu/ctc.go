package cpu

import "math"

// CTC is the parameters of [CTCLoss].
type CTC struct {
	Batch, Time, Classes int
	Labels               int  // the maximum number of labels of a sample
	Blank                int  // the class that is not a label
	BatchFirst           bool // x is [Batch, Time, Classes] instead of [Time, Batch, Classes]
	ZeroInfinity         bool // the loss of labels that do not fit into their time is 0
}

// CTCLoss is the loss of connectionist temporal classification (Graves et al.,
// 2006): for each sample the negative logarithm of the probability that the
// classes of its times[i] moments, without repetitions and then without blanks,
// are its first lengths[i] labels. x holds logarithms of probabilities.
//
// The states of a sample are its labels with a blank before and after each.
// alpha[s] is the logarithm of the probability of all ways to state s:
//
//	alpha[s] = log(exp(alpha[s]) + exp(alpha[s-1]) + exp(alpha[s-2])) + x[t, class of s]
//
// where a state that is a label may follow the previous label only if that is a different one. work needs
// 2·Labels+1 elements a sample.
func CTCLoss[T Float, I Index](dst, x []T, labels, times, lengths []I, work []float64, o CTC) {
	ctcSamples("CTCLoss", dst, nil, x, ctcLabels[I]{labels, times, lengths}, work, o)
}

// CTCLossGrad is the gradient of [CTCLoss] by x, from the probability that, given the labels, a sample is in
// a state of class c at time t:
//
//	dst[t, i, c] = -dy[i] * Σ exp(alpha[t, s] + beta[t, s] - total)
//
// where beta is the logarithm of the probability of all ways from a state to the end. work needs
// (Time+1)·(2·Labels+1) elements a sample.
func CTCLossGrad[T Float, I Index](dst, dy, x []T, labels, times, lengths []I, work []float64, o CTC) {
	clear(dst)
	ctcSamples("CTCLossGrad", dst, dy, x, ctcLabels[I]{labels, times, lengths}, work, o)
}

// ctcLabels is the labels of all samples, and for each sample its moments and the number of its labels.
type ctcLabels[I Index] struct{ labels, times, lengths []I }

// ctcSamples computes the losses or, with dy, their gradients.
func ctcSamples[T Float, I Index](kernel string, dst, dy, x []T, l ctcLabels[I], work []float64, o CTC) {
	states := 0
	for i := range o.Batch {
		c := newCTC(x, l, i, o)
		c.check(kernel)
		states += c.time * c.states
	}
	if x, ok := any(x).([]float32); ok {
		if l, ok := any(l).(ctcLabels[int64]); ok {
			t := ctcTasks.get()
			*t = ctcTask{any(dst).([]float32), any(dy).([]float32), x, l, work, o}
			parallel(o.Batch, 50*states, t)
			*t = ctcTask{}
			ctcTasks.put(t)
			return
		}
	}
	for i := range o.Batch {
		c := newCTC(x, l, i, o)
		c.sample(dst, dy, row(work, i, len(work)/o.Batch))
	}
}

// ctcTask is [ctcSamples] for the usual types. A turn is a sample.
type ctcTask struct {
	dst, dy, x []float32
	labels     ctcLabels[int64]
	work       []float64
	o          CTC
}

var ctcTasks freelist[ctcTask]

func (t *ctcTask) run(i int) {
	c := newCTC(t.x, t.labels, i, t.o)
	c.sample(t.dst, t.dy, row(t.work, i, len(t.work)/t.o.Batch))
}

// ctc is one sample.
type ctc[T Float, I Index] struct {
	CTC
	x           []T
	labels      []I
	index       int
	time, count int // the moments, and the labels
	states      int
}

func newCTC[T Float, I Index](x []T, l ctcLabels[I], i int, o CTC) ctc[T, I] {
	n := toInt(l.lengths[i])
	return ctc[T, I]{o, x, l.labels[i*o.Labels:][:o.Labels], i, toInt(l.times[i]), n, 2*n + 1}
}

// check panics with an [Error] if data are invalid.
func (c *ctc[T, I]) check(kernel string) {
	n := c.count // 2·n+1 may have overflowed
	switch {
	case n < 0 || n > c.Labels:
		fail(kernel, "sample %d has %d labels, want 0 to %d", c.index, n, c.Labels)
	case c.time < 0 || c.time > c.Time:
		fail(kernel, "sample %d has %d moments, want 0 to %d", c.index, c.time, c.Time)
	case c.Blank >= c.Classes:
		fail(kernel, "blank is %d of %d classes", c.Blank, c.Classes)
	}
	for k, label := range c.labels[:n] {
		if l := toInt(label); l < 0 || l >= c.Classes {
			fail(kernel, "label %d of sample %d is %d, want 0 to %d", k, c.index, label, c.Classes-1)
		}
	}
}

// sample computes the loss or, with dy, its gradient.
func (c *ctc[T, I]) sample(dst, dy []T, work []float64) {
	if dy != nil {
		c.gradient(dst, dy[c.index], work)
		return
	}
	loss := -c.forward(work[:c.states])
	if c.ZeroInfinity && math.IsInf(loss, 1) {
		loss = 0
	}
	dst[c.index] = T(loss)
}

func (c *ctc[T, I]) gradient(dst []T, dy T, work []float64) {
	alpha, beta := work[:c.time*c.states], work[c.time*c.states:][:c.states]
	total := math.Inf(-1)
	for t := range c.time {
		now := row(alpha, t, c.states)
		if t > 0 {
			copy(now, row(alpha, t-1, c.states))
		}
		c.step(now, t)
		total = c.total(now)
	}
	if c.ZeroInfinity && math.IsInf(total, -1) {
		return
	}
	for t := c.time - 1; t >= 0; t-- {
		c.back(beta, t)
		now := row(alpha, t, c.states)
		for s, b := range beta {
			dst[c.at(t)+c.class(s)] -= T(dy * T(math.Exp(now[s]+b-total)))
		}
	}
}

// at returns the place where the classes of time t begin.
func (c *ctc[T, I]) at(t int) int {
	if c.BatchFirst {
		return (c.index*c.Time + t) * c.Classes
	}
	return (t*c.Batch + c.index) * c.Classes
}

// class returns the class of state s.
func (c *ctc[T, I]) class(s int) int {
	if s%2 == 0 {
		return c.Blank
	}
	return int(c.labels[s/2])
}

// skips reports whether state s may follow state s-2.
func (c *ctc[T, I]) skips(s int) bool {
	return s%2 == 1 && s > 1 && c.labels[s/2] != c.labels[s/2-1]
}

// forward returns the logarithm of the probability of the labels.
func (c *ctc[T, I]) forward(alpha []float64) float64 {
	if c.time == 0 {
		return math.Log(float64(max(2-c.states, 0))) // 0 if there are no labels
	}
	for t := range c.time {
		c.step(alpha, t)
	}
	return c.total(alpha)
}

// total returns the logarithm of the probability of the last two states, with which the labels end.
func (c *ctc[T, I]) total(alpha []float64) float64 {
	last := c.states - 1
	if last == 0 {
		return alpha[0]
	}
	return logSum(alpha[last], alpha[last-1], math.Inf(-1))
}

// step goes from the previous time, if there is one, to t. It updates states from the end on, as each state
// reads those before it.
func (c *ctc[T, I]) step(alpha []float64, t int) {
	x := c.x[c.at(t):][:c.Classes]
	for s := c.states - 1; s >= 0; s-- {
		one, two := math.Inf(-1), math.Inf(-1)
		switch {
		case t == 0 && s < 2:
			alpha[s] = 0
		case t == 0:
			alpha[s] = math.Inf(-1)
		case s > 0:
			one = alpha[s-1]
		}
		if t > 0 && c.skips(s) {
			two = alpha[s-2]
		}
		alpha[s] = logSum(alpha[s], one, two) + float64(x[c.class(s)])
	}
}

// back goes from the next time, if there is one, to t. Beta does not include the classes at t.
func (c *ctc[T, I]) back(beta []float64, t int) {
	if t == c.time-1 {
		for s := range beta {
			beta[s] = math.Inf(-1)
			if s >= c.states-2 {
				beta[s] = 0
			}
		}
		return
	}
	x := c.x[c.at(t+1):][:c.Classes]
	for s := range beta {
		beta[s] += float64(x[c.class(s)])
	}
	for s := range beta {
		one, two := math.Inf(-1), math.Inf(-1)
		if s+1 < c.states {
			one = beta[s+1]
		}
		if s+2 < c.states && c.skips(s+2) {
			two = beta[s+2]
		}
		beta[s] = logSum(beta[s], one, two)
	}
}

// logSum is log(exp(a) + exp(b) + exp(c)).
func logSum(a, b, c float64) float64 {
	top := max(a, b, c)
	if math.IsInf(top, -1) {
		return top
	}
	return top + math.Log(math.Exp(a-top)+math.Exp(b-top)+math.Exp(c-top))
}
