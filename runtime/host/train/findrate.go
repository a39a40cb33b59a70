package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
)

// RateTest is the result of a range test of learning rates: a training whose rate grows by the same factor
// with each update. Source: L. N. Smith, "Cyclical Learning Rates for Training Neural Networks", 2017.
type RateTest struct {
	Suggestion float64     `json:"suggestion"` // the rate at which the loss falls fastest; 0 if it falls at none
	Lowest     float64     `json:"lowest"`     // the rate at which the loss was lowest
	Points     []RatePoint `json:"points"`
	Diverged   bool        `json:"diverged"` // the test ended before its last rate because the loss was too large
}

// RatePoint is one update of a range test.
type RatePoint struct {
	Rate   float64 `json:"rate"`
	Loss   float64 `json:"loss"`
	Smooth float64 `json:"smooth"` // the running mean of the losses
}

const (
	rateUpdates = 100 // the updates of a test without Options.Steps
	rateKeeps   = 0.9 // the weight of the previous running mean in the next one
	rateEnough  = 4   // a test ends when the running mean is this many times the lowest one
	rateSkips   = 10  // the first points, which are not judged: their running means are of few losses
)

// FindRate trains with learning rates that grow from one value to another, and writes no files but metrics.
// It makes Options.Steps steps; if that is 0, as many as 100 updates need.
func FindRate(ctx context.Context, p model.TrainProgram, set *dataset.Set, from, to float64, opt Options) (*RateTest, error) {
	if opt.Threads > 0 {
		cpu.SetThreads(opt.Threads)
	}
	every := max(p.Accumulate, 1)
	if opt.Steps == 0 {
		opt.Steps = rateUpdates * every
	}
	if opt.Steps < 2*every {
		return nil, fmt.Errorf("%d steps are %d updates, want at least 2 rates to compare", opt.Steps, opt.Steps/every)
	}
	t, err := newTrainer(p, set, opt)
	if err != nil {
		return nil, err
	}
	if err := t.openRecorders(false, false); err != nil {
		return nil, err
	}
	r := &RateTest{}
	err = t.ramp(ctx, r, from, to)
	r.suggest()
	return r, errors.Join(err, t.recorders.close(err))
}

// ramp makes the updates of the test and adds a point for each.
func (t *trainer) ramp(ctx context.Context, r *RateTest, from, to float64) error {
	every := max(t.p.Accumulate, 1)
	updates := t.total / every
	t.progress = newProgress(t.opt.Stderr, 0, t.total)
	defer t.progress.clear()
	next, err := t.prefetch(ctx)
	if err != nil {
		return err
	}
	defer next.stop()
	for k := range updates {
		rate := from * math.Pow(to/from, float64(k)/float64(updates-1))
		loss := 0.0
		for range every {
			l, err := t.measure(ctx, next, rate)
			if err != nil {
				return err
			}
			loss += l / float64(every)
		}
		if r.add(rate, loss) {
			return nil
		}
	}
	return nil
}

// measure trains on the next batch and returns its loss.
func (t *trainer) measure(ctx context.Context, next *feed, rate float64) (loss float64, err error) {
	b, ok := <-next.ready
	switch {
	case !ok:
		return 0, context.Cause(ctx)
	case b.err != nil:
		return 0, b.err
	}
	if loss, err = t.learnBatch(b, rate); err != nil {
		return 0, err
	}
	next.free <- b
	t.Step++
	t.Losses += loss
	epoch := (t.Step-1)/t.perEpoch + 1
	t.progress.step(t.Step, epoch, t.mean(), t.batch)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, nil // JSON has no such numbers
	}
	return loss, t.recorders.record(&Line{Step: t.Step, Epoch: epoch, Loss: &loss, Rate: &rate, Norm: t.gradientNorm()})
}

// add adds a point. It reports whether the loss is so large that the test has to end.
func (r *RateTest) add(rate, loss float64) (over bool) {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		r.Diverged = true
		return true
	}
	smooth, lowest := loss, math.Inf(1)
	if n := len(r.Points); n > 0 {
		// The mean of all losses while they are few.
		keeps := min(rateKeeps, float64(n)/float64(n+1))
		smooth = keeps*r.Points[n-1].Smooth + (1-keeps)*loss
	}
	for _, p := range r.Points {
		lowest = min(lowest, p.Smooth)
	}
	r.Points = append(r.Points, RatePoint{rate, loss, smooth})
	r.Diverged = len(r.Points) > rateSkips && smooth > rateEnough*lowest
	return r.Diverged
}

// suggest finds the rate at which the running mean falls fastest. It uses central differences over the
// logarithm of the rate, in which points have equal distances.
func (r *RateTest) suggest() {
	steepest, lowest := 0.0, math.Inf(1)
	for i, p := range r.Points {
		if p.Smooth < lowest {
			lowest, r.Lowest = p.Smooth, p.Rate
		}
		if i < min(rateSkips, len(r.Points)/4) || i == 0 || i+1 == len(r.Points) {
			continue
		}
		if slope := r.Points[i+1].Smooth - r.Points[i-1].Smooth; slope < steepest {
			steepest, r.Suggestion = slope, p.Rate
		}
	}
}

const (
	rateRows = 20 // lines of a printed curve
	rateBar  = 40 // columns of the largest loss
)

// String returns the curve as text, followed by the suggested rate.
func (r *RateTest) String() string {
	var b strings.Builder
	largest := 0.0
	for _, p := range r.Points {
		largest = max(largest, math.Abs(p.Smooth))
	}
	b.WriteString("lr        loss\n")
	every := max(len(r.Points)/rateRows, 1)
	for i := every - 1; i < len(r.Points); i += every {
		p := r.Points[i]
		bar := int(rateBar * max(p.Smooth, 0) / max(largest, math.SmallestNonzeroFloat64))
		fmt.Fprintf(&b, "%-8.2g  %-8.4g  %s\n", p.Rate, p.Smooth, strings.Repeat("█", bar))
	}
	if r.Suggestion == 0 {
		b.WriteString("the loss falls at none of these rates")
		return b.String()
	}
	fmt.Fprintf(&b, "try --lr %.2g, where the loss falls fastest; it is lowest at %.2g", r.Suggestion, r.Lowest)
	if r.Diverged {
		b.WriteString(", and too large behind that")
	}
	return b.String()
}

// findRate runs [FindRate] for the command line and prints the result.
func (c *config) findRate(ctx context.Context, p model.TrainProgram, set *dataset.Set) error {
	from, to, err := rateRange(c.rates)
	if err != nil {
		return err
	}
	r, err := FindRate(ctx, p, set, from, to, c.Options)
	if err != nil {
		return err
	}
	return c.print(r)
}

// print prints the result of a test as text, or with -json as JSON.
func (c *config) print(result fmt.Stringer) error {
	text := result.String()
	if c.json {
		b, err := json.Marshal(result)
		if err != nil {
			return err
		}
		text = string(b)
	}
	_, err := fmt.Fprintln(c.Stdout, text)
	return err
}

// rateRange parses the first and the last rate of a test, as in 1e-6:1.
func rateRange(text string) (from, to float64, err error) {
	first, last, _ := strings.Cut(text, ":")
	from, err = strconv.ParseFloat(first, 64)
	if err == nil {
		to, err = strconv.ParseFloat(last, 64)
	}
	if err != nil || !(from > 0 && to > from) || math.IsInf(to, 1) {
		return 0, 0, fmt.Errorf("--lr-range is %q, want two rates above 0, the smaller one first, as in 1e-6:1", text)
	}
	return from, to, nil
}
