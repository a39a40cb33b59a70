package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// leader is the last stage, which commands the others. To the training loop it is a session of the whole model.
type leader struct {
	m       *Model
	micros  int
	prev    *link          // to the stage before; nil if there is one stage
	control []*link        // to the other stages
	answers []chan message // from these
	stop    func()         // ends the training after the present step

	failed chan struct{} // closed when a stage is lost
	once   sync.Once
	err    error

	worker *worker
	given  []*tensor.Tensor // the inputs and the targets of the batch
	parts  [][]*tensor.Tensor
	norms  []float64
	out    []*tensor.Tensor
	whole  *wholeState
	shared *sharedWeights
}

var _ model.TrainSession = (*leader)(nil)

// lead returns the leader, which listens to the other stages from now on.
func lead(m *Model, micros int, prev *link, control []*link, stop func()) *leader {
	l := &leader{m: m, micros: micros, prev: prev, control: control, stop: stop, failed: make(chan struct{})}
	for k, c := range control {
		l.answers = append(l.answers, make(chan message, 1))
		go l.listen(k, c)
	}
	return l
}

// listen takes the messages of a stage.
func (l *leader) listen(k int, c *link) {
	for m := range c.in {
		switch m.kind {
		case stop:
			l.stop()
		case failed:
			l.fail(errors.New(string(m.body)))
			return
		case began, done, state:
			select {
			case l.answers[k] <- m:
			case <-l.failed:
				return
			}
		default:
			l.fail(fmt.Errorf("stage %d of %d: %w: a message %v", k, len(l.m.Stages), errMessage, m.kind))
			return
		}
	}
	l.fail(c.lost(len(l.m.Stages)))
}

// fail ends the training with the first error of a stage.
func (l *leader) fail(err error) {
	l.once.Do(func() {
		l.err = &lostError{err}
		close(l.failed)
	})
}

// receive returns the next message of the stage before. If that is lost, the reason is in its last message to the leader.
func (l *leader) receive(want kind) ([]byte, error) {
	select {
	case m, ok := <-l.prev.in:
		if ok && m.kind == want {
			return m.body, nil
		}
		if ok {
			return nil, fmt.Errorf("%w: a message %v, want %v", errMessage, m.kind, want)
		}
		select {
		case <-l.failed:
			return nil, l.err
		case <-time.After(farewell):
			return nil, &lostError{l.prev.lost(len(l.m.Stages))}
		}
	case <-l.failed:
		return nil, l.err
	}
}

// answer returns the next answer of a stage.
func (l *leader) answer(k int, want kind) ([]byte, error) {
	select {
	case m := <-l.answers[k]:
		l.control[k].written()
		if m.kind != want {
			return nil, fmt.Errorf("stage %d of %d: %w: a message %v, want %v", k, len(l.m.Stages), errMessage, m.kind, want)
		}
		return m.body, nil
	case <-l.failed:
		return nil, l.err
	}
}

// tell sends a message to all other stages.
func (l *leader) tell(k kind, parts ...[]byte) {
	for _, c := range l.control {
		c.send(k, parts...)
	}
}

// begin begins a training: each stage makes its session.
func (l *leader) begin(seed uint64) error {
	l.tell(begin, text(seed))
	s, err := l.m.last().Program.New(seed)
	if err != nil {
		return err
	}
	if l.worker, err = newWorker(l.m, len(l.m.Stages)-1, s); err != nil {
		return err
	}
	l.worker.receive, l.worker.feed = l.receive, func(micro int) ([]*tensor.Tensor, error) { return l.parts[micro], nil }
	l.worker.send = func(k kind, parts ...[]byte) { l.prev.send(k, parts...) }
	l.whole = &wholeState{}
	for k := range l.control {
		b, err := l.answer(k, began)
		if err != nil {
			return err
		}
		var list []variable
		if err := untext(b, &list); err != nil {
			return err
		}
		if err := l.whole.add(list, l.m.Stages[k].Program.State); err != nil {
			return fmt.Errorf("stage %d of %d: %w", k, len(l.m.Stages), err)
		}
	}
	l.whole.addOwn(s.State())
	l.shared = newSharedWeights(l.whole)
	for k, c := range l.control {
		c.send(share, text(l.shared.numbers[k]))
	}
	l.worker.shared = l.shared.numbers[len(l.control)]
	return nil
}

// give sends the batch to the stages that read it, in micro-batches.
func (l *leader) give(sizes []int) error {
	n := l.examples()
	from := 0
	l.parts = l.parts[:0]
	for _, size := range sizes {
		list := make([]*tensor.Tensor, len(l.given))
		for i, t := range l.given {
			var err error
			if list[i], err = rows(t, from, from+size, n); err != nil {
				return err
			}
		}
		from += size
		for k, c := range l.control {
			if in := l.m.Stages[k].Inputs; len(in) > 0 {
				c.send(feed, encode(pick(list, in))...)
			}
		}
		l.parts = append(l.parts, append(pick(list, l.m.last().Inputs), list[l.m.Inputs:]...))
	}
	return nil
}

// pick returns elements by number.
func pick(list []*tensor.Tensor, numbers []int) []*tensor.Tensor {
	out := make([]*tensor.Tensor, 0, len(numbers))
	for _, i := range numbers {
		out = append(out, list[i])
	}
	return out
}

// examples returns the number of examples in the batch.
func (l *leader) examples() int { return l.given[0].Shape[0] }

// order begins a step or an evaluation on all stages.
func (l *leader) order(train bool, rate float64) ([]int, error) {
	for i, t := range l.given {
		if t == nil {
			return nil, fmt.Errorf("there is no input %d", i)
		}
	}
	parts := sizes(l.examples(), l.micros)
	l.tell(command, text(order{train, rate, parts}))
	return parts, l.give(parts)
}

// Step makes a step of all stages.
func (l *leader) Step(rate float64) (loss float64, err error) {
	parts, err := l.order(true, rate)
	if err != nil {
		return 0, err
	}
	if loss, err = l.worker.train(parts); err != nil {
		return 0, l.reason(err)
	}
	l.shared.reset()
	for k := range l.control {
		b, err := l.answer(k, done)
		if err != nil {
			return 0, err
		}
		if err := l.shared.add(k, b); err != nil {
			return 0, fmt.Errorf("stage %d of %d: %w", k, len(l.m.Stages), err)
		}
	}
	own := append([][]byte{floats(l.worker.norms()...)}, l.worker.sharedBytes()...)
	if err := l.shared.add(len(l.control), bytes.Join(own, nil)); err != nil {
		return 0, err
	}
	l.norms = l.shared.norms()
	factor := l.factor()
	for k, c := range l.control {
		c.send(apply, append([][]byte{floats(factor)}, l.shared.bytes(k)...)...)
	}
	if err := l.worker.setShared(bytes.Join(l.shared.bytes(len(l.control)), nil)); err != nil {
		return 0, err
	}
	return loss, l.worker.apply(factor, rate)
}

// reason returns why a stage has ended the training, if that is the cause of an error.
func (l *leader) reason(err error) error {
	select {
	case <-l.failed:
		return l.err
	default:
		return err
	}
}

// factor returns the factor by which all stages multiply their gradients to clip their norm.
func (l *leader) factor() float64 {
	if l.m.ClipNorm <= 0 {
		return 1
	}
	sum := 0.0
	for _, x := range l.norms {
		sum += x * x
	}
	return math.Min(1, l.m.ClipNorm/(math.Sqrt(sum)+1e-6))
}

// Norms returns the norm of the gradient of each weight in the last step, before it was clipped.
func (l *leader) Norms() []float64 { return l.norms }

// Eval computes the loss and the outputs of a batch.
func (l *leader) Eval() (loss float64, err error) {
	parts, err := l.order(false, 0)
	if err != nil {
		return 0, err
	}
	losses, outputs, err := l.worker.evaluate(parts)
	if err != nil {
		return 0, l.reason(err)
	}
	for i, x := range losses {
		loss += x * float64(parts[i]) / float64(l.examples())
	}
	l.out = nil
	for i := range l.m.last().Program.Outputs {
		var list []*tensor.Tensor
		for _, o := range outputs {
			list = append(list, o[i])
		}
		l.out = append(l.out, join(list))
	}
	return loss, nil
}

// SetInput sets an input of the model or, behind the inputs, a target.
func (l *leader) SetInput(i int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || i < 0 || i >= len(l.given) {
		return fmt.Errorf("input %d is %v, want one of %d tensors", i, v, len(l.given))
	}
	if len(t.Shape) == 0 {
		return fmt.Errorf("input %d is one number, want an axis for the batch", i)
	}
	l.given[i] = t
	return nil
}

// Output returns an output of the last evaluation.
func (l *leader) Output(i int) tensor.Value { return l.out[i] }

// State returns the variables of all stages. Pull sets those of other stages, and Push sends them.
func (l *leader) State() []model.Variable { return l.whole.list() }

// Pull sets the variables in State to the values that the stages have.
func (l *leader) Pull() error {
	l.tell(fetch)
	for k := range l.control {
		b, err := l.answer(k, state)
		if err != nil {
			return err
		}
		if err := l.whole.set(k, b); err != nil {
			return fmt.Errorf("stage %d of %d: %w", k, len(l.m.Stages), err)
		}
	}
	return nil
}

// Push sends the values in State to the stages.
func (l *leader) Push() error {
	for k, c := range l.control {
		c.send(state, l.whole.bytes(k)...)
	}
	l.whole.copyOwn()
	for _, c := range l.control {
		c.written() // stages may have variables in common, which Pull sets
	}
	return l.Pull() // so that the values are read before they change
}

// end ends the training on all stages, with an error or without.
func (l *leader) end(ok bool) {
	if ok {
		l.tell(end)
	} else {
		why := "the last stage has ended the training with an error"
		if l.reason(nil) != nil {
			why = l.err.Error()
		}
		l.tell(failed, []byte(why))
	}
	for _, c := range l.control {
		c.close()
	}
	if l.prev != nil {
		l.prev.close()
	}
}
