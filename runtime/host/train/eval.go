package train

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
)

// Evaluation is the quality of a model on examples.
type Evaluation struct {
	Examples int      `json:"examples"`
	Loss     float64  `json:"loss"`
	Accuracy *float64 `json:"accuracy,omitempty"` // of a classifier: the part of labels that are predicted right

	// Of a classifier: the means over the classes, and how often examples of each class (the row) were
	// predicted as each class.
	Precision *float64  `json:"precision,omitempty"`
	Recall    *float64  `json:"recall,omitempty"`
	F1        *float64  `json:"f1,omitempty"`
	Confusion Confusion `json:"confusion,omitempty"`

	AUC *float64 `json:"auc,omitempty"` // of two classes: the area under the ROC curve
	R2  *float64 `json:"r2,omitempty"`  // of numbers: the part of their variance that is explained
}

// String returns the numbers that the evaluation has, in one line for the terminal.
func (e Evaluation) String() string {
	words := []string{fmt.Sprintf("%d examples  loss %.4f", e.Examples, e.Loss)}
	if e.Accuracy != nil {
		words = append(words, fmt.Sprintf("accuracy %.2f %%", 100**e.Accuracy))
	}
	if e.AUC != nil {
		words = append(words, fmt.Sprintf("AUC %.4f", *e.AUC))
	}
	if e.R2 != nil {
		words = append(words, fmt.Sprintf("R² %.4f", *e.R2))
	}
	return strings.Join(words, "  ")
}

// Evaluate computes the loss of a program, with the weights of its compilation, on the validation part of a
// set, or if there is none on all of it.
func Evaluate(ctx context.Context, p model.TrainProgram, set *dataset.Set, opt Options) (Evaluation, error) {
	if opt.Threads > 0 {
		cpu.SetThreads(opt.Threads)
	}
	opt.Sample = ""
	judged := *set
	if judged.Val == nil {
		judged.Val = set.Train
	}
	t, err := newTrainer(p, &judged, opt)
	if err != nil {
		return Evaluation{}, err
	}
	t.progress = newProgress(t.opt.Stderr, 0, 1)
	defer t.progress.clear()
	e := Evaluation{Examples: t.val.source.Len()}
	t.judged, t.quality = e.Confusion.add, &quality{}
	loss, hits, n, err := t.evaluate(ctx)
	e.Loss = loss
	if n > 0 {
		accuracy := float64(hits) / float64(n)
		e.Accuracy = &accuracy
	}
	if e.Confusion != nil {
		precision, recall, f1 := e.Confusion.scores()
		e.Precision, e.Recall, e.F1 = &precision, &recall, &f1
	}
	e.AUC, e.R2 = t.quality.auc(), t.quality.r2()
	return e, err
}

// evaluate is [Evaluate] for the command line.
func (c *config) evaluate(ctx context.Context, p model.TrainProgram, set *dataset.Set) error {
	e, err := Evaluate(ctx, p, set, c.Options)
	if err != nil {
		return err
	}
	words := notes(set.Notes)
	if set.LabelColumn != "" && set.LastLabel == "" {
		words = append(words, fmt.Sprintf("labels from the column %q", set.LabelColumn))
	}
	if len(words) > 0 {
		fmt.Fprintln(c.Stderr, strings.Join(words, ", "))
	}
	text := e.String()
	if c.json {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		text = string(b)
	}
	_, err = fmt.Fprintln(c.Stdout, text)
	return err
}
