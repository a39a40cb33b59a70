package pipeline

import (
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/host/pipeline/schedule"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// worker computes the passes of one stage.
type worker struct {
	number, of int
	part       *Stage
	s          model.SplitSession
	gradients  []model.Variable // of the weights, of the micro-batch or, in the end, of the step
	sums       [][]float32      // of the step
	shared     []int            // the weights that other stages have, too
	random     []int64          // the position in the random stream; nil if nothing is drawn
	base       int64            // the position at the beginning of the step

	// receive returns the next message of a kind from a neighbor, or from the leader.
	receive func(kind) ([]byte, error)
	// send sends a message to a neighbor.
	send func(kind, ...[]byte)
	// feed returns the inputs of the model that the stage reads and, of the last stage, the targets, for a
	// micro-batch.
	feed func(micro int) ([]*tensor.Tensor, error)

	held map[int][]*tensor.Tensor // the inputs of micro-batches without a backward pass so far
	most int                      // how many there were at a time
}

// newWorker returns the worker of a stage, with a session that has just begun.
func newWorker(m *Model, number int, s model.TrainSession) (*worker, error) {
	w := &worker{number: number, of: len(m.Stages), part: &m.Stages[number], held: map[int][]*tensor.Tensor{}}
	var ok bool
	if w.s, ok = s.(model.SplitSession); !ok {
		return nil, fmt.Errorf("%s: the step is whole, want one that is split: generate it with --stages", w.part.Program.Name)
	}
	w.gradients = w.s.ParameterGradients()
	for _, v := range w.gradients {
		if v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to train in stages", w.part.Program.Name, v.Name, v.Value.DType)
		}
		w.sums = append(w.sums, make([]float32, v.Value.Len()))
	}
	for _, v := range s.State() {
		if name := w.part.Program.Random; name != "" && v.Name == name {
			w.random = tensor.Data[int64](v.Value)
		}
	}
	return w, nil
}

// isLast reports whether the stage computes the loss.
func (w *worker) isLast() bool { return w.number == w.of-1 }

// train computes the gradients of a step, in the order of the schedule. Afterwards the session's gradients are the means
// over all examples. The loss is 0 except on the last stage.
func (w *worker) train(sizes []int) (loss float64, err error) {
	examples := 0
	for _, n := range sizes {
		examples += n
	}
	for _, sum := range w.sums {
		clear(sum)
	}
	clear(w.held)
	if w.random != nil {
		w.base = w.random[0]
	}
	for _, a := range schedule.Actions(w.number, w.of, len(sizes)) {
		if !a.Backward {
			err = w.forward(a.Micro)
		} else {
			var part float64
			weight := float64(sizes[a.Micro]) / float64(examples)
			part, err = w.backward(a.Micro, float32(weight))
			loss += part * weight
		}
		if err != nil {
			return 0, w.named(err)
		}
	}
	if w.random != nil {
		w.random[0] = w.base + int64(len(sizes))
	}
	for i, v := range w.gradients {
		copy(tensor.Data[float32](v.Value), w.sums[i])
	}
	return loss, nil
}

// forward computes the outputs for a micro-batch and sends them. The last stage computes them in the backward pass.
func (w *worker) forward(micro int) error {
	in, err := w.inputs(micro)
	if err != nil {
		return err
	}
	w.held[micro] = in
	w.most = max(w.most, len(w.held))
	if w.isLast() {
		return nil
	}
	if err := w.set(0, in); err != nil {
		return err
	}
	w.draw(micro)
	if err := w.s.(model.ForwardSession).Forward(); err != nil {
		return err
	}
	return w.sendOutputs()
}

// inputs returns the inputs for a micro-batch, and the targets on the last stage.
func (w *worker) inputs(micro int) (in []*tensor.Tensor, err error) {
	n := w.part.received()
	if w.number > 0 {
		if in, err = w.receiveTensors(forward, w.part.Program.Inputs[:n]); err != nil {
			return nil, err
		}
	}
	if len(w.part.Inputs) == 0 && !w.isLast() {
		return in, nil
	}
	own, err := w.feed(micro)
	return append(in, own...), err
}

// receiveTensors receives values for some ports.
func (w *worker) receiveTensors(k kind, ports []model.Port) ([]*tensor.Tensor, error) {
	b, err := w.receive(k)
	if err != nil {
		return nil, err
	}
	return decode(b, ports)
}

// set sets inputs from a number on.
func (w *worker) set(first int, list []*tensor.Tensor) error {
	for i, t := range list {
		if err := w.s.SetInput(first+i, t); err != nil {
			return err
		}
	}
	return nil
}

// draw sets the position in the random stream for a micro-batch. Each stage draws its own numbers, the same in both
// passes.
func (w *worker) draw(micro int) {
	if w.random != nil {
		w.random[0] = (w.base + int64(micro)) ^ model.Stream(uint64(w.number))
	}
}

// sendOutputs sends a copy of the outputs to the next stage: the next run overwrites them.
func (w *worker) sendOutputs() error {
	var list []*tensor.Tensor
	for i, p := range w.part.Program.Outputs {
		t, ok := w.s.Output(i).(*tensor.Tensor)
		if !ok {
			return fmt.Errorf("%s is no tensor", p.Name)
		}
		list = append(list, t.Clone())
	}
	w.send(forward, encode(list)...)
	return nil
}

// backward adds the gradients of a micro-batch, times its weight, to those of the step, and sends those of its inputs.
func (w *worker) backward(micro int, weight float32) (loss float64, err error) {
	in := w.held[micro]
	delete(w.held, micro)
	if !w.isLast() {
		dys, err := w.receiveTensors(backward, w.part.Program.Targets)
		if err != nil {
			return 0, err
		}
		in = append(in, dys...)
	}
	if err := w.set(0, in); err != nil {
		return 0, err
	}
	w.draw(micro)
	if loss, err = w.s.Gradients(); err != nil {
		return 0, err
	}
	for i, v := range w.gradients {
		sum := w.sums[i]
		for j, g := range tensor.Data[float32](v.Value) {
			sum[j] += g * weight
		}
	}
	if w.number > 0 {
		w.sendGradients()
	}
	return loss, nil
}

// sendGradients sends a copy of the gradients of the received inputs that are floats.
func (w *worker) sendGradients() {
	s := w.s.(model.GradientSession)
	var list []*tensor.Tensor
	for i := range w.part.received() {
		if t, ok := s.Gradient(i).(*tensor.Tensor); ok {
			list = append(list, t.Clone())
		}
	}
	w.send(backward, encode(list)...)
}

// norms returns the norm of each gradient of the step.
func (w *worker) norms() []float64 {
	list := make([]float64, len(w.gradients))
	for i, v := range w.gradients {
		list[i] = norm(tensor.Data[float32](v.Value))
	}
	return list
}

// norm returns the root of the sum of squares.
func norm(list []float32) float64 {
	sum := 0.0
	for _, x := range list {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// sharedBytes returns the gradients of shared weights.
func (w *worker) sharedBytes() (parts [][]byte) {
	for _, i := range w.shared {
		parts = append(parts, w.gradients[i].Value.Bytes())
	}
	return parts
}

// setShared sets the gradients of shared weights.
func (w *worker) setShared(b []byte) error {
	size := 0
	for _, i := range w.shared {
		size += len(w.gradients[i].Value.Bytes())
	}
	if size != len(b) {
		return fmt.Errorf("%w: gradients of %d bytes, want %d", errMessage, len(b), size)
	}
	for _, p := range w.sharedBytes() {
		b = b[copy(p, b):]
	}
	return nil
}

// apply updates the weights with the gradients times a factor.
func (w *worker) apply(factor, rate float64) error {
	if factor != 1 {
		for _, v := range w.gradients {
			g := tensor.Data[float32](v.Value)
			for i := range g {
				g[i] *= float32(factor)
			}
		}
	}
	if err := w.s.ApplyGradients(rate); err != nil {
		return w.named(err)
	}
	return nil
}

// lostError is an error of another stage, or of the connection to it, which names that stage.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// named returns an error of this stage with its name.
func (w *worker) named(err error) error {
	if _, other := errors.AsType[*lostError](err); other {
		return err
	}
	return fmt.Errorf("stage %d of %d: %w", w.number, w.of, err)
}

// evaluate computes the outputs for the micro-batches as inference does. The last stage returns the losses and
// outputs of all.
func (w *worker) evaluate(sizes []int) (losses []float64, outputs [][]*tensor.Tensor, err error) {
	for micro := range sizes {
		in, err := w.inputs(micro)
		if err == nil {
			err = w.set(0, in)
		}
		loss := 0.0
		if err == nil {
			loss, err = w.s.Eval()
		}
		if err == nil && !w.isLast() {
			err = w.sendOutputs()
		}
		if err != nil {
			return nil, nil, w.named(err)
		}
		losses = append(losses, loss)
		if !w.isLast() {
			continue
		}
		var list []*tensor.Tensor
		for i := range w.part.Program.Outputs {
			t, _ := w.s.Output(i).(*tensor.Tensor)
			list = append(list, t.Clone())
		}
		outputs = append(outputs, list)
	}
	return losses, outputs, nil
}
