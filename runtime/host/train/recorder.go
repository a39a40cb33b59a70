package train

import (
	"errors"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Recorder is told how a training goes: a file of JSON lines is one, and a page another.
// Its methods are called by the goroutine that trains, one after the other.
type Recorder interface {
	// Begin is called before the first step here. Of a group of peers, the one that
	// leads has it called, or takes over with it.
	Begin(t *Training) error

	// Record takes note of a step or a validation.
	Record(l *Line) error

	// Flush is called before a checkpoint is written.
	Flush() error

	// Close ends it; why is the error of the training, nil if that came to its end.
	Close(why error) error
}

// Training is what a [Recorder] may know of a training.
type Training struct {
	Program   runtime.TrainProgram
	Step      int  // steps that are done, of one that goes on
	Evaluated int  // the step after which the last validation was
	Resumed   bool // it goes on from a checkpoint
	TakenOver bool // it goes on because who led it is lost: then it is resumed, too, and told of the last step again
	Group     bool // several peers train together: another may take over

	Total, PerEpoch, Batch int // steps, steps an epoch, examples a step
	EvalEvery              int // steps between validations
	Examples, Held         int // to learn from, and held back
	Names                  []string

	// Say prints a line.
	Say func(line string)

	// Parameters are the weights as they are while a method of a recorder runs. The
	// tensors are the training's own memory.
	Parameters func() []Parameter
}

// Parameter is a weight.
type Parameter struct {
	Name         string
	Value        *tensor.Tensor
	GradientNorm float64 // of the last step; 0 if it is not known
}

// Line is what there is to say of a step or of a validation.
type Line struct {
	Step       int      `json:"step"`
	Epoch      int      `json:"epoch"`
	Loss       *float64 `json:"loss,omitempty"`
	Rate       *float64 `json:"lr,omitempty"`
	Norm       *float64 `json:"grad_norm,omitempty"` // before gradients are clipped, if the step is in two halves
	Speed      float64  `json:"examples_per_second,omitempty"`
	Summed     float64  `json:"sum_ms,omitempty"`  // of a group: how long the sums of a step took
	Waited     float64  `json:"wait_ms,omitempty"` // and how much of that the step had nothing else to do
	ValLoss    *float64 `json:"val_loss,omitempty"`
	Accuracy   *float64 `json:"val_accuracy,omitempty"`
	Perplexity *float64 `json:"val_perplexity,omitempty"`

	Samples []Sample `json:"-"` // of a validation of images
}

// recorders are all that are told.
type recorders []Recorder

func (r recorders) each(do func(Recorder) error) error {
	var errs []error
	for _, x := range r {
		errs = append(errs, do(x))
	}
	return errors.Join(errs...)
}

func (r recorders) record(l *Line) error {
	return r.each(func(x Recorder) error { return x.Record(l) })
}

func (r recorders) flush() error { return r.each(Recorder.Flush) }

func (r recorders) close(why error) error {
	return r.each(func(x Recorder) error { return x.Close(why) })
}

// openRecorders has all recorders begin that the options name.
func (t *trainer) openRecorders(resumed, takenOver bool) error {
	var list recorders
	if t.opt.Metrics != "" {
		list = append(list, &metrics{file: t.opt.Metrics})
	}
	if t.opt.TensorBoard != "" {
		list = append(list, &eventFile{dir: t.opt.TensorBoard})
	}
	info := t.training()
	info.Resumed, info.TakenOver = resumed, takenOver
	var again []*Line
	if takenOver && len(t.latest) > 0 && t.latest[0].Step == t.Step {
		again = t.latest // who led may have been lost before it wrote them
		info.Step--
	}
	for _, r := range append(list, t.opt.Recorders...) {
		if err := r.Begin(info); err != nil {
			return err
		}
		t.recorders = append(t.recorders, r)
	}
	for _, l := range again {
		if err := t.recorders.record(l); err != nil {
			return err
		}
	}
	return nil
}

// note tells all recorders of a step or a validation.
func (t *trainer) note(l *Line) error {
	if l.Loss != nil {
		t.latest = t.latest[:0]
	}
	t.latest = append(t.latest, l)
	return t.recorders.record(l)
}

// training is what recorders may know.
func (t *trainer) training() *Training {
	x := &Training{
		Program: t.p, Step: t.Step, Evaluated: t.Evaluated, Group: t.team != nil,
		Total: t.total, PerEpoch: t.perEpoch, Batch: t.batch, EvalEvery: t.opt.EvalEvery,
		Examples: t.train.source.Len(), Names: t.set.Names, Say: t.say, Parameters: t.parameters,
	}
	if t.val != nil {
		x.Held = t.val.source.Len()
	}
	return x
}

// parameters are the weights, with the norms of their gradients.
func (t *trainer) parameters() []Parameter {
	var out []Parameter
	for i, v := range runtime.Trained(t.s.State()) {
		p := Parameter{Name: v.Name, Value: v.Value}
		if i < len(t.norms) {
			p.GradientNorm = t.norms[i]
		}
		out = append(out, p)
	}
	return out
}
