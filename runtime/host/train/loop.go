package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/schedule"
	"github.com/bbgen/bbgen/runtime/model"
)

// defaultBatch is the default number of examples in a batch.
const defaultBatch = 64

// trainer is one training.
type trainer struct {
	p   model.TrainProgram
	s   model.TrainSession
	opt Options
	set *dataset.Set

	train, val      *loader        // val is nil if no examples are held back
	batch, perEpoch int            // examples per batch, batches per epoch
	fixed           int            // the fixed batch size of the model; 0: any size
	total           int            // steps
	draws           *dataset.Draws // of examples for an epoch; nil: each once
	position
	team *team     // the peers that share each batch; nil for a single training
	lock io.Closer // of the checkpoint's folder, if this peer leads

	recorders    recorders
	latest       []*Line   // of the last step, and of the validation after it
	norms        []float64 // of the gradients of the last step, in the order of the weights; nil: unknown
	samples      []Sample  // of the present validation
	bestAccuracy *float64  // of the best validation since the start; nil: the model is no classifier
	progress     *progress

	judged  func(label, said, classes int) // called for each prediction; may be nil
	quality *quality                       // collects the evaluated examples; may be nil
}

// position is the progress of a training: a checkpoint holds it in addition to the state.
type position struct {
	Step      int     `json:"step"`      // completed steps
	Evaluated int     `json:"evaluated"` // the step of the last validation
	Best      float64 `json:"best"`      // the best loss of a validation
	BestStep  int     `json:"best_step"` // the step of that validation
	Worse     int     `json:"worse"`     // validations since then
	Validated bool    `json:"validated"` // whether there was a validation, so that Best is valid
	Losses    float64 `json:"losses"`    // the sum of the steps' losses since the last validation
}

// mean returns the mean loss of the steps since the last validation.
func (p *position) mean() float64 { return p.Losses / float64(max(p.Step-p.Evaluated, 1)) }

// newTrainer returns a training that has not begun. It opens no files.
func newTrainer(p model.TrainProgram, set *dataset.Set, opt Options) (*trainer, error) {
	p = withLabels(p)
	if err := checkPorts(p); err != nil {
		return nil, err
	}
	if err := opt.Augment.Check(set.Train.Features()); err != nil {
		return nil, err
	}
	t := &trainer{p: p, opt: opt.withDefaults(p), set: set}
	if err := t.load(); err != nil {
		return nil, err
	}
	if err := t.count(); err != nil {
		return nil, err
	}
	var err error
	if t.s, err = p.New(opt.Seed); err != nil {
		return nil, err
	}
	if err := t.formTeam(); err != nil {
		return nil, err
	}
	return t, nil
}

// withDefaults returns the options with those that have a default set.
func (o Options) withDefaults(p model.TrainProgram) Options {
	for _, w := range []*io.Writer{&o.Stdout, &o.Stderr} {
		if *w == nil {
			*w = io.Discard
		}
	}
	if o.Schedule == nil {
		o.Schedule, _ = schedule.Parse("constant")
	}
	o.Rate = cmp.Or(o.Rate, p.Rate)
	return o
}

// load makes the loaders of the examples, which must be such as the program reads.
func (t *trainer) load() (err error) {
	if t.set, err = t.weigh(t.set); err != nil {
		return err
	}
	if t.train, err = newLoader(t.p, t.set.Train); errors.Is(err, errMismatch) && len(t.set.Columns) > 0 {
		return fmt.Errorf("%w: the columns %s (--columns chooses some)", err, t.set.FirstColumns())
	}
	if err != nil {
		return err
	}
	if t.set.Val != nil {
		if t.val, err = newLoader(t.p, t.set.Val); err != nil {
			return err
		}
	}
	return t.checkClasses()
}

func newLoader(p model.TrainProgram, s dataset.DataSource) (*loader, error) {
	in, err := fit(s.Features(), p.Inputs[0])
	if err != nil {
		return nil, err
	}
	l := &loader{source: s, input: in, inputs: len(p.Inputs)}
	if len(p.Targets) > 0 {
		if l.target, err = fitTarget(s.Labels(), p.Targets[0]); err != nil {
			return nil, err
		}
	}
	ports, specs := more(p), dataset.More(s)
	if len(ports) != len(specs) {
		return nil, fmt.Errorf("the data have %d values beside features and labels, want %d", len(specs), len(ports))
	}
	for i, port := range ports {
		kind := fit
		if i >= len(p.Inputs)-1 {
			kind = fitTarget
		}
		f, err := kind(specs[i], port)
		if err != nil {
			return nil, err
		}
		l.more = append(l.more, f)
	}
	return l, nil
}

// count computes the size of a batch and the number of steps.
func (t *trainer) count() error {
	peers := 1
	if t.opt.Group != nil {
		peers = t.opt.Group.Size()
	}
	t.batch, t.fixed = t.opt.Batch, max(known(t.p.Inputs[0].Dims)[0], 0)
	switch whole := t.fixed * peers; {
	case whole > 0 && t.batch != 0 && t.batch != whole && peers > 1:
		return fmt.Errorf("the batch is %d, the model fixes %d for each of %d peers", t.batch, t.fixed, peers)
	case whole > 0 && t.batch != 0 && t.batch != whole:
		return fmt.Errorf("the batch is %d, the model fixes %d", t.batch, t.fixed)
	case whole > 0:
		t.batch = whole
	case t.batch != 0 && t.batch < peers:
		return fmt.Errorf("the batch is %d, want at least one example for each of %d peers", t.batch, peers)
	}
	if t.batch == 0 {
		t.batch = min(defaultBatch, t.train.source.Len())
	}
	if t.perEpoch = t.train.source.Len() / t.batch; t.perEpoch == 0 {
		return fmt.Errorf("%s to learn from, fewer than a batch of %d: give a smaller --batch, or --val-split", count(t.train.source.Len(), "example"), t.batch)
	}
	t.total = t.opt.Epochs * t.perEpoch
	if t.opt.Steps > 0 {
		t.total = t.opt.Steps
	}
	if t.opt.EvalEvery == 0 {
		t.opt.EvalEvery = t.perEpoch
	}
	return nil
}

// loop trains to the end, or until ctx ends.
func (t *trainer) loop(ctx context.Context) error {
	t.progress = newProgress(t.opt.Stderr, t.Step, t.total)
	defer t.progress.clear()
	next, err := t.prefetch(ctx)
	if err != nil {
		return err
	}
	defer func() { next.stop() }()
	for first := true; ; first = false {
		if !first || t.team == nil || !t.team.justJoined { // the others have been there before a guest joined
			done, err := t.betweenSteps(ctx)
			if done || err != nil {
				return t.keepAfter(err)
			}
		}
		if t.team != nil && !first { // the first step has begun with the training
			if err := t.enter(); err != nil {
				return t.keepAfter(err)
			}
		}
		if next.share != t.share() {
			next.stop()
			again, err := t.prefetch(ctx)
			if err != nil {
				return err
			}
			next = again
		}
		b, ok := <-next.ready
		if !ok {
			continue // ctx has ended
		}
		if b.err != nil {
			return b.err
		}
		if err := t.step(b); err != nil {
			return t.keepAfter(err)
		}
		next.free <- b
	}
}

// keepAfter saves the last step that all peers have made if they cannot continue: one of the remaining peers
// writes the checkpoint.
func (t *trainer) keepAfter(err error) error {
	if _, ok := errors.AsType[*groupError](err); !ok {
		return err
	}
	if t.team.shards != nil {
		return fmt.Errorf("%w; the optimizer's state was divided, so the last checkpoint is the one before: go on with --resume", err)
	}
	t.team.members = []int{t.team.Rank()}
	if t.takeOver() != nil || t.save() != nil {
		return err
	}
	return fmt.Errorf("%w; the checkpoint is that of step %d: go on with --checkpoint %s --resume", err, t.Step, t.opt.Checkpoint)
}

// betweenSteps does the work between two steps: validation, checkpoints, and the end.
func (t *trainer) betweenSteps(ctx context.Context) (done bool, err error) {
	last := t.Step >= t.total
	due := t.Step > t.Evaluated && (t.Step%t.opt.EvalEvery == 0 || last)
	if due && ctx.Err() == nil {
		err := t.validate(ctx)
		if err == nil {
			err = t.save()
		}
		if err != nil && !errors.Is(err, ctx.Err()) {
			return false, err
		}
	} else if t.opt.Every > 0 && t.Step > 0 && t.Step%t.opt.Every == 0 {
		if err := t.save(); err != nil {
			return false, err
		}
	}
	if last && t.Evaluated == t.Step || t.opt.EarlyStop > 0 && t.Worse >= t.opt.EarlyStop {
		return true, t.finish()
	}
	if ctx.Err() != nil {
		if err := t.save(); err != nil {
			return false, err
		}
		t.progress.clear()
		if !t.team.isLeader() {
			return false, errOtherLeads
		}
		return false, fmt.Errorf("%w after step %d of %d", ErrInterrupted, t.Step, t.total)
	}
	return false, nil
}

// step learns from one batch.
func (t *trainer) step(b *batch) error {
	every := max(t.p.Accumulate, 1)
	rate := t.opt.Schedule.Rate(t.opt.Rate, t.Step/every, (t.total+every-1)/every)
	start := time.Now()
	loss, err := t.learnBatch(b, rate)
	if err != nil {
		return err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		why := "try a lower --lr"
		if i := b.notFinite(); i >= 0 {
			why = fmt.Sprintf("example %d of the data holds a NaN or an infinity", b.indices[i])
		}
		return fmt.Errorf("step %d: the loss is %g: %s", t.Step+1, loss, why)
	}
	t.Step++
	t.Losses += loss
	epoch := (t.Step - 1) / t.perEpoch
	t.progress.step(t.Step, epoch+1, t.mean(), t.batch)
	l := &Line{
		Step: t.Step, Epoch: epoch + 1, Loss: &loss, Rate: &rate, Norm: t.gradientNorm(),
		Speed: float64(t.batch) / max(time.Since(start).Seconds(), 1e-9),
	}
	if t.team != nil {
		l.Summed, l.Waited = 1e3*t.team.cost.summed.Seconds(), 1e3*t.team.cost.waited.Seconds()
	}
	return t.note(l)
}

// learnBatch learns from a batch with some rate, whatever the loss.
func (t *trainer) learnBatch(b *batch, rate float64) (loss float64, err error) {
	if err := b.setInputs(t.s); err != nil {
		return 0, err
	}
	if loss, err = t.learn(len(b.indices), rate); err != nil {
		return 0, fmt.Errorf("step %d: %w", t.Step+1, err)
	}
	return loss, nil
}

// finish writes the weights.
func (t *trainer) finish() error {
	t.progress.clear()
	if t.team.isLeader() {
		if t.Step < t.total {
			fmt.Fprintf(t.opt.Stdout, "stopped after step %d: %d validations without a better loss\n", t.Step, t.Worse)
		}
		t.conclude()
	}
	return t.writeWeights(t.opt.Output)
}
