package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
)

// Folds is the result of a cross-validation: several trainings, each of which is validated on another part of the
// examples and learns from the others.
type Folds struct {
	Folds             []Fold   `json:"folds"`
	Loss              float64  `json:"loss"` // the mean of the folds
	LossDeviation     float64  `json:"loss_deviation"`
	Accuracy          *float64 `json:"accuracy,omitempty"` // nil: the model is no classifier
	AccuracyDeviation *float64 `json:"accuracy_deviation,omitempty"`
}

// Fold is the best validation of one training.
type Fold struct {
	Step     int      `json:"step"`
	Loss     float64  `json:"loss"`
	Accuracy *float64 `json:"accuracy,omitempty"`
}

// maxFolds limits the number of trainings.
const maxFolds = 1000

// checkFolds returns an error for flags that have no meaning with --folds.
func (c *config) checkFolds() error {
	switch {
	case c.folds == 0:
		return nil
	case c.folds < 2 || c.folds > maxFolds:
		return fmt.Errorf("--folds is %d, want 2 to %d", c.folds, maxFolds)
	case c.eval || c.find || c.Resume || c.Metrics != "" || c.TensorBoard != "":
		return errors.New("--folds trains several models and keeps none: leave --eval, --find-lr, --resume, --metrics and --tensorboard out")
	}
	return nil
}

// crossValidate trains once for each fold and prints the results.
func (c *config) crossValidate(ctx context.Context, p model.TrainProgram, set *dataset.Set) error {
	if set.Train.Len() < c.folds {
		return fmt.Errorf("%s in %d folds, want at least one for each", count(set.Train.Len(), "example"), c.folds)
	}
	if c.Threads > 0 {
		cpu.SetThreads(c.Threads)
	}
	r := &Folds{}
	for i := range c.folds {
		part := *set
		part.Train, part.Val = dataset.Fold(set.Train, i, c.folds, c.Seed)
		if err := c.normalize(&part); err != nil {
			return err
		}
		f, err := trainFold(ctx, p, &part, c.Options)
		if err != nil {
			return fmt.Errorf("fold %d of %d: %w", i+1, c.folds, err)
		}
		r.Folds = append(r.Folds, f)
		if !c.json {
			fmt.Fprintf(c.Stdout, "fold %d of %d: %v\n", i+1, c.folds, f)
		}
	}
	r.summarize()
	return c.print(r)
}

// trainFold trains on one part of the examples and returns the best validation on the other one. It keeps no files.
func trainFold(ctx context.Context, p model.TrainProgram, set *dataset.Set, opt Options) (f Fold, err error) {
	if opt.Checkpoint, err = os.MkdirTemp("", "folds-*"); err != nil {
		return f, err
	}
	defer os.RemoveAll(opt.Checkpoint)
	opt.Best, opt.Output, opt.Stdout = "", "", nil
	t, err := newTrainer(p, set, opt)
	if err != nil {
		return f, err
	}
	defer t.release()
	err = t.run(ctx)
	if err = errors.Join(err, t.recorders.close(err)); err != nil {
		return f, err
	}
	return Fold{Step: t.BestStep, Loss: t.Best, Accuracy: t.bestAccuracy}, nil
}

// summarize computes means and standard deviations.
func (r *Folds) summarize() {
	var losses, accuracies []float64
	for _, f := range r.Folds {
		losses = append(losses, f.Loss)
		if f.Accuracy != nil {
			accuracies = append(accuracies, *f.Accuracy)
		}
	}
	r.Loss, r.LossDeviation = spread(losses)
	if len(accuracies) == len(r.Folds) {
		mean, deviation := spread(accuracies)
		r.Accuracy, r.AccuracyDeviation = &mean, &deviation
	}
}

// spread returns the mean and the standard deviation of a sample.
func spread(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(deviation)
}

// String returns the fold as in the lines of a training.
func (f Fold) String() string {
	words := []string{fmt.Sprintf("step %d  val loss %.4f", f.Step, f.Loss)}
	if f.Accuracy != nil {
		words = append(words, fmt.Sprintf("accuracy %.2f %%", 100**f.Accuracy))
	}
	return strings.Join(words, "  ")
}

// String returns the means.
func (r *Folds) String() string {
	s := fmt.Sprintf("mean of %d folds: val loss %.4f ± %.4f", len(r.Folds), r.Loss, r.LossDeviation)
	if r.Accuracy != nil {
		s += fmt.Sprintf("  accuracy %.2f ± %.2f %%", 100**r.Accuracy, 100**r.AccuracyDeviation)
	}
	return s
}
