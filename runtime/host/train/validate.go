package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// validate computes and prints the loss of the held-back examples. If ctx ends meanwhile it has no effect.
func (t *trainer) validate(ctx context.Context) error {
	if t.val == nil {
		t.report("")
		return nil
	}
	loss, hits, judged, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("step %d: the loss of the examples that are held back is %g: do they hold a NaN or an infinity? Otherwise try a lower --lr", t.Step, loss)
	}
	l := &Line{Step: t.Step, Epoch: t.epoch(), ValLoss: &loss, Samples: t.samples}
	words := []string{fmt.Sprintf("val loss %.4f", loss)}
	if judged > 0 {
		accuracy := float64(hits) / float64(judged)
		l.Accuracy = &accuracy
		words = append(words, fmt.Sprintf("accuracy %.2f %%", 100*accuracy))
	}
	if p := math.Exp(loss); t.isText() && !math.IsInf(p, 0) {
		l.Perplexity = &p
		words = append(words, fmt.Sprintf("perplexity %.2f", p))
	}
	if !t.Validated || loss < t.Best {
		t.Best, t.BestStep, t.Worse, t.Validated, t.bestAccuracy = loss, t.Step, 0, true, l.Accuracy
		if err := t.writeWeights(t.opt.Best); err != nil {
			return err
		}
	} else {
		t.Worse++
	}
	t.report(strings.Join(words, "  "))
	return t.note(l)
}

// epoch returns the epoch of the last step, counted from 1.
func (t *trainer) epoch() int { return (max(t.Step, 1)-1)/t.perEpoch + 1 }

// isText reports whether labels are a sequence that is predicted.
func (t *trainer) isText() bool {
	return t.isClassifier() && len(t.train.target.spec.Shape) == 1 && t.train.input.spec.DType == tensor.Int64
}

// isClassifier reports whether labels are class numbers.
func (t *trainer) isClassifier() bool {
	target := t.train.target
	return target != nil && (target.spec.DType == tensor.Int64 || target.oneHot > 0) && len(t.p.Outputs) > 0
}

// evaluate returns the mean loss of the held-back examples and, for a classifier, how many labels it predicts
// right of those that count. If the model has a fixed batch size, the last batch is filled up with examples
// that were used before: these affect only the loss of that batch, which is weighted by its new examples.
func (t *trainer) evaluate(ctx context.Context) (loss float64, hits, judged int, err error) {
	t.samples = nil
	n := t.val.source.Len()
	step := cmp.Or(t.fixed, t.batch)
	sum, seen := 0.0, 0
	var b *batch
	for first := 0; first < n; first += step {
		if !t.team.handles(first / step) {
			continue
		}
		size := min(step, n-first)
		room := cmp.Or(t.fixed, size)
		if ctx.Err() != nil {
			return 0, 0, 0, ctx.Err()
		}
		if b == nil || len(b.indices) != room {
			if b, err = t.val.newBatch(room); err != nil {
				return 0, 0, 0, err
			}
		}
		for i := range b.indices {
			b.indices[i] = (first + i) % n
		}
		l, err := t.evalBatch(b)
		if err != nil {
			return 0, 0, 0, err
		}
		sum += l * float64(size)
		seen += size
		h, k := t.judge(b, size, room)
		hits, judged = hits+h, judged+k
		t.progress.validating(seen, n)
	}
	all := []float64{sum, float64(seen), float64(hits), float64(judged)}
	if err := t.team.total(&all[0], &all[1], &all[2], &all[3]); err != nil {
		return 0, 0, 0, err
	}
	return all[0] / all[1], int(all[2]), int(all[3]), nil
}

// judge compares the output for a batch of room examples with the labels of the first size ones. For a classifier, it
// returns how many labels it predicts right of those that count.
func (t *trainer) judge(b *batch, size, room int) (hits, judged int) {
	out, ok := t.s.Output(0).(*tensor.Tensor)
	switch {
	case !ok:
		return 0, 0
	case !t.isClassifier():
		if t.quality != nil && b.label != nil {
			t.quality.addNumbers(out, b.label, size, room)
		}
		return 0, 0
	}
	labels := t.val.classes(b)
	count := size * labels.Len() / room
	if t.quality != nil {
		t.quality.addClasses(out, labels, count)
	}
	hits, judged = countHits(out, labels, count, t.judged)
	t.sample(b, out)
	return hits, judged
}

// classes returns the labels of a batch as class numbers.
func (l *loader) classes(b *batch) *tensor.Tensor {
	if l.target.oneHot == 0 {
		return b.label
	}
	return &tensor.Tensor{DType: b.y.DType, Shape: []int{b.y.Len()}, Data: b.y.Data}
}

func (t *trainer) evalBatch(b *batch) (float64, error) {
	if err := t.val.fill(b, nil); err != nil {
		return 0, err
	}
	if err := b.setInputs(t.s); err != nil {
		return 0, err
	}
	return t.s.Eval()
}

// countHits compares the largest output along the axis of classes with each of the first count labels. It
// counts none if the shapes are not those of a classifier. If told is not nil, it is called for each label that
// counts.
func countHits(out, labels *tensor.Tensor, count int, told func(label, said, classes int)) (hits, judged int) {
	scores, ok := out.Data.([]float32)
	axis := classAxis(out.Shape, labels.Shape)
	if !ok || axis < 0 {
		return 0, 0
	}
	classes, inner := out.Shape[axis], 1
	for _, d := range out.Shape[axis+1:] {
		inner *= d
	}
	for i := range count {
		label := label(labels, i)
		if label < 0 {
			continue // ignored by losses
		}
		at := i/inner*classes*inner + i%inner
		best := 0
		for c := range classes {
			if scores[at+c*inner] > scores[at+best*inner] {
				best = c
			}
		}
		if told != nil {
			told(label, best, classes)
		}
		judged++
		if best == label {
			hits++
		}
	}
	return hits, judged
}

// label returns the class in an integer tensor.
func label(t *tensor.Tensor, i int) int {
	switch d := t.Data.(type) {
	case []int64:
		return int(d[i])
	case []int32:
		return int(d[i])
	case []float32:
		return int(d[i]) // the class of a one-hot vector
	}
	return -1
}

// report prints the result of a validation. The text found is its end.
func (t *trainer) report(found string) {
	line := fmt.Sprintf("epoch %d  step %d  loss %.4f", t.epoch(), t.Step, t.mean())
	t.Evaluated, t.Losses = t.Step, 0
	if found != "" {
		line += "  " + found
	}
	t.printLine(line)
}

// printLine prints a line, on one of all peers.
func (t *trainer) printLine(line string) {
	t.progress.clear()
	if t.team.isLeader() {
		fmt.Fprintln(t.opt.Stdout, line)
	}
}
