package pipeline

import (
	"errors"
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// follower is a stage that follows the commands of the last one.
type follower struct {
	m          *Model
	number     int
	prev, next *link // prev is nil for the first stage
	control    *link
	worker     *worker
}

// endedError is the error with which the last stage has ended the training, which reports it, too.
type endedError struct{ error }

// follow follows the commands until the training ends.
func (f *follower) follow() error {
	for {
		m, ok := <-f.control.in
		if !ok {
			return f.control.lost(len(f.m.Stages))
		}
		f.control.written()
		over, err := f.obey(m)
		if err == nil && !over {
			continue
		}
		if _, told := errors.AsType[*endedError](err); err != nil && !told {
			f.control.send(failed, []byte(err.Error()))
		}
		return err
	}
}

// obey follows one command, and reports whether the training is over.
func (f *follower) obey(m message) (over bool, err error) {
	switch {
	case m.kind == begin:
		return false, f.begin(m.body)
	case m.kind == end:
		return true, nil
	case m.kind == failed:
		return true, &endedError{errors.New(string(m.body))}
	case f.worker == nil:
	case m.kind == share:
		return false, f.share(m.body)
	case m.kind == command:
		return false, f.compute(m.body)
	case m.kind == fetch:
		f.control.send(state, f.stateBytes()...)
		return false, nil
	case m.kind == state:
		return false, f.setState(m.body)
	}
	return true, fmt.Errorf("%w: a message %v from the last stage", errMessage, m.kind)
}

// begin makes the session.
func (f *follower) begin(b []byte) error {
	var seed uint64
	if err := untext(b, &seed); err != nil {
		return err
	}
	s, err := f.m.Stages[f.number].Program.New(seed)
	if err != nil {
		return err
	}
	if f.worker, err = newWorker(f.m, f.number, s); err != nil {
		return err
	}
	f.worker.receive, f.worker.feed, f.worker.send = f.receive, f.feed, f.send
	f.control.send(began, text(describe(s.State())))
	return nil
}

// share takes the numbers of the weights that other stages have, too.
func (f *follower) share(b []byte) error {
	if err := untext(b, &f.worker.shared); err != nil {
		return err
	}
	for _, i := range f.worker.shared {
		if i < 0 || i >= len(f.worker.gradients) {
			return fmt.Errorf("%w: weight %d of %d", errMessage, i, len(f.worker.gradients))
		}
	}
	return nil
}

// maxMicros is the largest number of micro-batches of a step.
const maxMicros = 1 << 16

// compute makes a step or an evaluation.
func (f *follower) compute(b []byte) error {
	var o order
	if err := untext(b, &o); err != nil {
		return err
	}
	if len(o.Sizes) == 0 || len(o.Sizes) > maxMicros {
		return fmt.Errorf("%w: %d micro-batches", errMessage, len(o.Sizes))
	}
	for _, n := range o.Sizes {
		if n < 1 {
			return fmt.Errorf("%w: a micro-batch of %d examples", errMessage, n)
		}
	}
	if !o.Train {
		_, _, err := f.worker.evaluate(o.Sizes)
		return err
	}
	if _, err := f.worker.train(o.Sizes); err != nil {
		return err
	}
	f.control.send(done, append([][]byte{floats(f.worker.norms()...)}, f.worker.sharedBytes()...)...)
	body, err := f.command(apply)
	if err != nil {
		return err
	}
	if len(body) < 8 {
		return fmt.Errorf("%w: %d bytes instead of a factor", errMessage, len(body))
	}
	factor, err := unfloats(body[:8], 1)
	if err == nil {
		err = f.worker.setShared(body[8:])
	}
	if err != nil {
		return err
	}
	return f.worker.apply(factor[0], o.Rate)
}

// command returns the body of the next message of the last stage, which must be of a kind.
func (f *follower) command(want kind) ([]byte, error) {
	m, ok := <-f.control.in
	f.control.written()
	switch {
	case !ok:
		return nil, &lostError{f.control.lost(len(f.m.Stages))}
	case m.kind == failed:
		return nil, &lostError{&endedError{errors.New(string(m.body))}}
	case m.kind != want:
		return nil, fmt.Errorf("%w: a message %v from the last stage, want %v", errMessage, m.kind, want)
	}
	return m.body, nil
}

// feed receives the inputs of the model for the next micro-batch.
func (f *follower) feed(int) ([]*tensor.Tensor, error) {
	b, err := f.command(feed)
	if err != nil {
		return nil, err
	}
	part := f.worker.part
	return decode(b, part.Program.Inputs[part.received():])
}

// neighbor returns the stage to which messages of a kind go, or from which they come.
func (f *follower) neighbor(k kind, sends bool) *link {
	if (k == forward) == sends {
		return f.next
	}
	return f.prev
}

func (f *follower) send(k kind, parts ...[]byte) { f.neighbor(k, true).send(k, parts...) }

// receive returns the next message of a neighbor. If that is lost, the last stage tells the reason.
func (f *follower) receive(want kind) ([]byte, error) {
	l := f.neighbor(want, false)
	m, ok := <-l.in
	switch {
	case !ok:
		return nil, &lostError{f.verdict(l.lost(len(f.m.Stages)))}
	case m.kind != want:
		return nil, fmt.Errorf("%w: a message %v from stage %d, want %v", errMessage, m.kind, l.stage, want)
	}
	return m.body, nil
}

// verdict waits for the reason why the training ends. The last stage is connected with all others, so that it
// finds the one that was lost first.
func (f *follower) verdict(found error) error {
	patience := time.After(farewell)
	for {
		select {
		case m, ok := <-f.control.in:
			if !ok {
				return f.control.lost(len(f.m.Stages))
			}
			if m.kind == failed {
				return &endedError{errors.New(string(m.body))}
			}
		case <-patience:
			return found
		}
	}
}

// stateBytes returns the values of all variables.
func (f *follower) stateBytes() (parts [][]byte) {
	for _, v := range f.worker.s.State() {
		parts = append(parts, v.Value.Bytes())
	}
	return parts
}

// setState sets the values of all variables.
func (f *follower) setState(b []byte) error {
	var own wholeState
	own.addOwn(f.worker.s.State())
	return own.set(0, b)
}

// close ends all connections.
func (f *follower) close() {
	for _, l := range []*link{f.control, f.prev, f.next} {
		if l != nil {
			l.close()
		}
	}
}
