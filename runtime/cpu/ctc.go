package cpu

import "math"

// CTC says what [CTCLoss] works on.
type CTC struct {
	Batch, Time, Classes int
	Labels               int  // of a sample, at most
	Blank                int  // the class that stands for no label
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
// where a state that is a label may follow the label before it only if that is
// another one. There must be room in alpha for 2·Labels+1 elements.
func CTCLoss[T Float, I Index](dst, x []T, labels, times, lengths []I, alpha []float64, o CTC) {
	for i := range o.Batch {
		c := newCTC("CTCLoss", x, labels, times, lengths, i, o)
		loss := -c.forward(alpha[:c.states])
		if o.ZeroInfinity && math.IsInf(loss, 1) {
			loss = 0
		}
		dst[i] = T(loss)
	}
}

// CTCLossGrad is the gradient of [CTCLoss] by x: how probable it is, given the
// labels, that a sample is in a state of class c at time t,
//
//	dst[t, i, c] = -dy[i] * Σ exp(alpha[t, s] + beta[t, s] - total)
//
// where beta is the logarithm of the probability of all ways from a state to the
// end. There must be room in work for (Time+1)·(2·Labels+1) elements.
func CTCLossGrad[T Float, I Index](dst, dy, x []T, labels, times, lengths []I, work []float64, o CTC) {
	clear(dst)
	for i := range o.Batch {
		c := newCTC("CTCLossGrad", x, labels, times, lengths, i, o)
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
		if o.ZeroInfinity && math.IsInf(total, -1) {
			continue
		}
		for t := c.time - 1; t >= 0; t-- {
			c.back(beta, t)
			now := row(alpha, t, c.states)
			for s, b := range beta {
				dst[c.at(t)+c.class(s)] -= T(dy[i] * T(math.Exp(now[s]+b-total)))
			}
		}
	}
}

// ctc is one sample.
type ctc[T Float, I Index] struct {
	CTC
	x            []T
	labels       []I
	sample       int
	time, states int
}

func newCTC[T Float, I Index](kernel string, x []T, labels, times, lengths []I, i int, o CTC) ctc[T, I] {
	n, time := int(lengths[i]), int(times[i])
	if n < 0 || n > o.Labels {
		fail(kernel, "sample %d has %d labels, want 0 to %d", i, n, o.Labels)
	}
	if time < 0 || time > o.Time {
		fail(kernel, "sample %d has %d moments, want 0 to %d", i, time, o.Time)
	}
	c := ctc[T, I]{o, x, labels[i*o.Labels:][:n], i, time, 2*n + 1}
	for k, label := range c.labels {
		if int(label) < 0 || int(label) >= o.Classes {
			fail(kernel, "label %d of sample %d is %d, want 0 to %d", k, i, label, o.Classes-1)
		}
	}
	if o.Blank >= o.Classes {
		fail(kernel, "blank is %d of %d classes", o.Blank, o.Classes)
	}
	return c
}

// at is where the classes of time t begin.
func (c *ctc[T, I]) at(t int) int {
	if c.BatchFirst {
		return (c.sample*c.Time + t) * c.Classes
	}
	return (t*c.Batch + c.sample) * c.Classes
}

// class is that of state s.
func (c *ctc[T, I]) class(s int) int {
	if s%2 == 0 {
		return c.Blank
	}
	return int(c.labels[s/2])
}

// skips reports whether state s may follow the state before the one before it.
func (c *ctc[T, I]) skips(s int) bool {
	return s%2 == 1 && s > 1 && c.labels[s/2] != c.labels[s/2-1]
}

// forward is the logarithm of the probability of the labels.
func (c *ctc[T, I]) forward(alpha []float64) float64 {
	if c.time == 0 {
		return math.Log(float64(max(2-c.states, 0))) // 0 if there are no labels
	}
	for t := range c.time {
		c.step(alpha, t)
	}
	return c.total(alpha)
}

// total is how probable the last two states are, which end the labels.
func (c *ctc[T, I]) total(alpha []float64) float64 {
	last := c.states - 1
	if last == 0 {
		return alpha[0]
	}
	return logSum(alpha[last], alpha[last-1], math.Inf(-1))
}

// step goes from the time before t, if there is one, to t. From the end on, as
// each state looks at those before it.
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

// back goes from the time after t, if there is one, to t: beta is without what
// the states give at t.
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
