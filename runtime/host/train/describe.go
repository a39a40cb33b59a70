package train

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
)

// introduce prints a description of the data and the training.
func (t *trainer) introduce() {
	held := "nothing held back"
	if t.val != nil {
		held = fmt.Sprintf("%d held back", t.val.source.Len())
	}
	words := []string{count(t.train.source.Len(), "example") + " to learn from", held}
	if n := t.set.Classes; n > 0 && !t.isText() {
		words = append(words, classesText(n, t.set.Names))
	}
	switch t.opt.Sample {
	case "":
	case Balanced:
		words = append(words, "all classes drawn equally often")
	default:
		words = append(words, "drawn by "+t.opt.Sample)
	}
	fmt.Fprintln(t.opt.Stdout, strings.Join(words, ", "))
	if words := notes(t.set.Notes); len(words) > 0 {
		fmt.Fprintln(t.opt.Stdout, strings.Join(words, ", "))
	}
	steps := fmt.Sprintf("%s of %s", count(t.total, "step"), count(t.batch, "example"))
	if t.opt.Steps == 0 {
		steps = fmt.Sprintf("%s, %s", count(t.opt.Epochs, "epoch"), steps)
	}
	if t.opt.Resume {
		steps += fmt.Sprintf(", of which %d are done", t.Step)
	}
	fmt.Fprintf(t.opt.Stdout, "%s: %s by %s\n", steps, t.p.Loss, t.p.Optimizer)
	if t.team != nil && t.team.shards != nil {
		here, all := t.team.shards.bytes(t.team.members)
		fmt.Fprintf(t.opt.Stdout, "optimizer's state: %d of %d bytes on this peer, in parts on %d\n", here, all, len(t.team.members))
	}
}

// notes says what was made of a table that its reader may not expect.
func notes(n dataset.Notes) (words []string) {
	if n.LeftOut > 0 {
		words = append(words, count(n.LeftOut, "line")+" with missing cells left out")
	}
	if n.LastLabel != "" {
		words = append(words, fmt.Sprintf("labels from the last column, %q", n.LastLabel))
	}
	return words
}

// count returns a number and a noun, with a plural s if needed.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// classesText returns the number of classes, and the names of the first ones.
func classesText(n int, names []string) string {
	text := fmt.Sprintf("%d classes", n)
	if n == 1 {
		text = "1 class"
	}
	const most = 5
	switch {
	case len(names) > most:
		text += ": " + strings.Join(names[:most], ", ") + " …"
	case len(names) > 0:
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

// conclude prints which weights are the best.
func (t *trainer) conclude() {
	if t.Validated {
		fmt.Fprintf(t.opt.Stdout, "best: step %d, val loss %.4f\n", t.BestStep, t.Best)
	}
	if t.opt.Best == "" && t.opt.Output == "" {
		fmt.Fprintf(t.opt.Stdout, "the weights are in %s alone: --best FILE and -o FILE write them\n", t.opt.Checkpoint)
	}
}

// checkClasses returns an error if labels are classes but the model learns values, or if the model has too few
// classes.
func (t *trainer) checkClasses() error {
	target, n := t.train.target, t.set.Classes
	if target == nil {
		return nil
	}
	if n == 0 {
		return t.checkLabels()
	}
	if target.port.Elem.IsFloat() && target.oneHot == 0 && target.spec.Len() == 1 {
		return fmt.Errorf("labels are numbers of %s, and %s would take these numbers for values: want a model with a score for each class, and a loss such as cross_entropy", classesText(n, t.set.Names), t.p.Loss)
	}
	can := max(classes(t.p), target.oneHot)
	if can > 0 && n > can && !t.isText() {
		return fmt.Errorf("the data have %s; the model has outputs for %d%s", classesText(n, t.set.Names), can, t.oneOutput(can))
	}
	return t.checkLabels()
}

// notCounted is the label that losses of classes leave out if the program names no other, as in PyTorch.
const notCounted = -100

// checkLabels returns an error if labels are no numbers of the model's classes. The loss would report them too, but only
// in the step that meets the first one.
func (t *trainer) checkLabels() error {
	can := max(classes(t.p), t.train.target.oneHot)
	if can == 0 {
		return t.checkProbabilities()
	}
	if t.isText() {
		return nil
	}
	ignored := t.p.Ignored
	if len(ignored) == 0 {
		ignored = []int{notCounted}
	}
	for _, l := range []*loader{t.train, t.val} {
		if l == nil {
			continue
		}
		first, last, ok := dataset.LabelRange(l.source, ignored)
		if ok && (first < 0 || last >= int64(can)) {
			hint := t.oneOutput(can)
			if can > 1 {
				hint = fmt.Sprintf(", so want 0 to %d; numbers are taken as they are, words are numbered in their order", can-1)
			}
			if first < 0 && can > 1 {
				hint += fmt.Sprintf("; --ignore %d leaves that label out", first)
			}
			return fmt.Errorf("labels are from %d to %d; the model has outputs for %d%s", first, last, can, hint)
		}
	}
	return nil
}

// checkProbabilities returns an error if labels are no probabilities, as -1 for the other class, where the loss takes them
// for such: it would train without an error, and learn nothing of use.
func (t *trainer) checkProbabilities() error {
	if !slices.Contains([]string{"bce", "bce_logits", "focal"}, t.p.Loss) {
		return nil
	}
	for _, l := range []*loader{t.train, t.val} {
		if l == nil {
			continue
		}
		if first, last, ok := dataset.ValueRange(l.source); ok && (first < 0 || last > 1) {
			return fmt.Errorf("labels are from %g to %g; %s wants 0 for one class and 1 for the other, or probabilities (--loss hinge takes -1 and 1)", first, last, t.p.Loss)
		}
	}
	return nil
}

// oneOutput is what to do about a model that has one output where the loss wants one for each class.
func (t *trainer) oneOutput(can int) string {
	if can > 1 {
		return ""
	}
	return fmt.Sprintf(" (%s wants a score for each class: --loss bce_logits learns two classes with one output, bce if that is a probability, and mse learns values)", t.p.Loss)
}

// The keys of metadata in a file of weights that describe the data and the loss.
const (
	NamesKey   = "names"   // the classes
	ColumnsKey = "columns" // the features
	MeanKey    = "mean"
	StdKey     = "std"
	LossKey    = "loss"  // a list of its name
	LabelKey   = "label" // a list of the label's column
)

// addTraining adds the metadata of the data and the loss.
func (t *trainer) addTraining(meta map[string]string) error {
	var loss []string
	if t.p.Loss != "" {
		loss = []string{t.p.Loss}
	}
	return addTraining(meta, t.set, loss)
}

func addTraining(meta map[string]string, set *dataset.Set, loss []string) error {
	var label []string
	if set.LabelColumn != "" {
		label = []string{set.LabelColumn}
	}
	for key, value := range map[string]any{NamesKey: set.Names, ColumnsKey: set.Columns, MeanKey: set.Mean, StdKey: set.Std, LossKey: loss, LabelKey: label} {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if string(b) != "null" {
			meta[key] = string(b)
		}
	}
	return nil
}
