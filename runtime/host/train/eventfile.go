package train

import "github.com/bbgen/bbgen/runtime/host/tensorboard"

// eventFile writes the metrics as an event file for TensorBoard, and histograms of the weights: at the
// beginning, and at each validation.
type eventFile struct {
	dir string
	t   *Training
	w   *tensorboard.Writer
}

// Begin opens the file.
func (e *eventFile) Begin(t *Training) (err error) {
	e.t = t
	if t.Resumed {
		e.w, err = tensorboard.Create(e.dir, t.Step+1)
		return err
	}
	if e.w, err = tensorboard.Create(e.dir, 0); err != nil {
		return err
	}
	return e.histograms(0)
}

// Record writes the numbers of a line.
func (e *eventFile) Record(l *Line) error {
	if err := e.w.Scalars(l.Step, tagged(l)...); err != nil {
		return err
	}
	if l.Loss != nil && (l.Step%e.t.EvalEvery == 0 || l.Step == e.t.Total) {
		return e.histograms(l.Step)
	}
	return nil
}

// tagged returns the numbers of a line under the names by which TensorBoard groups them.
func tagged(l *Line) (out []tensorboard.Scalar) {
	for _, x := range []struct {
		tag   string
		value *float64
	}{
		{"loss/train", l.Loss}, {"loss/validation", l.ValLoss}, {"accuracy/validation", l.Accuracy}, {"perplexity/validation", l.Perplexity},
		{"learning_rate", l.Rate}, {"gradient_norm", l.Norm},
	} {
		if x.value != nil {
			out = append(out, tensorboard.Scalar{Tag: x.tag, Value: *x.value})
		}
	}
	if l.Speed > 0 {
		out = append(out, tensorboard.Scalar{Tag: "examples_per_second", Value: l.Speed})
	}
	return out
}

// histograms writes the histograms of all weights.
func (e *eventFile) histograms(step int) error {
	for _, p := range e.t.Parameters() {
		if h := tensorboard.HistogramOf(p.Value); h != nil {
			if err := e.w.Histogram(step, "parameters/"+p.Name, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush writes buffered data for readers.
func (e *eventFile) Flush() error { return e.w.Flush() }

// Close ends the file.
func (e *eventFile) Close(error) error { return e.w.Close() }
