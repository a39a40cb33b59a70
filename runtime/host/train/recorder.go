package train

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A Recorder receives the progress of a training, such as a file of JSON lines, or a page. The training
// goroutine calls its methods, one at a time.
type Recorder interface {
	// Begin is called before the first step of this process. In a group it is called only on the leader, or
	// on a peer that replaces it.
	Begin(t *Training) error

	// Record is called after a step or a validation.
	Record(l *Line) error

	// Flush is called before a checkpoint is written.
	Flush() error

	// Close is called at the end; why is the error of the training, or nil.
	Close(why error) error
}

// Training is the description of a training for a [Recorder].
type Training struct {
	Program   model.TrainProgram
	Step      int  // completed steps of a resumed training
	Evaluated int  // the step of the latest validation
	Resumed   bool // it was resumed from a checkpoint
	TakenOver bool // it is resumed because its leader was lost: then Resumed is set, too, and the last step is recorded again
	Group     bool // several peers train together: another may take over

	Total, PerEpoch, Batch int // steps, steps per epoch, examples per step
	EvalEvery              int // steps between validations
	Examples, Held         int // for training, and held back
	Names                  []string

	// Say prints a line.
	Say func(line string)

	// Parameters returns the weights while a method of a recorder runs. The tensors are the training's own
	// memory.
	Parameters func() []Parameter
}

// A Parameter is a weight.
type Parameter struct {
	Name         string
	Value        *tensor.Tensor
	GradientNorm float64 // of the last step; 0 if unknown
}

// A Line describes a step or a validation.
type Line struct {
	Step       int      `json:"step"`
	Epoch      int      `json:"epoch"`
	Loss       *float64 `json:"loss,omitempty"`
	Rate       *float64 `json:"lr,omitempty"`
	Norm       *float64 `json:"grad_norm,omitempty"` // before gradients are clipped, if the step is in two halves
	Speed      float64  `json:"examples_per_second,omitempty"`
	Summed     float64  `json:"sum_ms,omitempty"`  // of a group: the duration of the sums of a step
	Waited     float64  `json:"wait_ms,omitempty"` // the part of it in which the step only waited
	ValLoss    *float64 `json:"val_loss,omitempty"`
	Accuracy   *float64 `json:"val_accuracy,omitempty"`
	Perplexity *float64 `json:"val_perplexity,omitempty"`

	Samples []Sample `json:"-"` // of a validation of images
}

// recorders is all recorders of a training.
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

// openRecorders begins all recorders that the options name.
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
		again = t.latest // the previous leader may have been lost before it wrote them
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

// note passes a step or a validation to all recorders.
func (t *trainer) note(l *Line) error {
	if l.Loss != nil {
		t.latest = t.latest[:0]
	}
	t.latest = append(t.latest, l)
	return t.recorders.record(l)
}

// training returns the description for recorders.
func (t *trainer) training() *Training {
	x := &Training{
		Program: t.p, Step: t.Step, Evaluated: t.Evaluated, Group: t.team != nil,
		Total: t.total, PerEpoch: t.perEpoch, Batch: t.batch, EvalEvery: t.opt.EvalEvery,
		Examples: t.train.source.Len(), Names: t.set.Names, Say: t.printLine, Parameters: t.parameters,
	}
	if t.val != nil {
		x.Held = t.val.source.Len()
	}
	return x
}

// parameters returns the weights, with the norms of their gradients; none if a peer that has weights is lost, which
// ends the next step with an error.
func (t *trainer) parameters() []Parameter {
	state, err := t.present()
	if err != nil {
		return nil
	}
	var out []Parameter
	for i, v := range model.Trained(state) {
		p := Parameter{Name: v.Name, Value: v.Value}
		if i < len(t.norms) {
			p.GradientNorm = t.norms[i]
		}
		out = append(out, p)
	}
	return out
}
