package server

import (
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// task computes tensors from tensors.
type task struct {
	op      string
	in, out []*slot
	run     func(in []*tensor.Tensor) ([]*tensor.Tensor, error)
	after   []func() // called when the task has ended, or will not run
}

// submit finds the tensors in a message, and makes the stream compute others from them. If an input has
// failed, the outputs fail with the same failure, which names the first cause. After is called when the task
// has ended, or will not run.
func (x *session) submit(s *stream, m *protocol.Message, op string, run func(in []*tensor.Tensor) ([]*tensor.Tensor, error), after ...func()) {
	t := &task{op: op, run: run, after: after}
	var f *protocol.Failure
	t.in, f = x.store.get(m.In) // before the outputs are there: a task must not wait for itself
	var err error
	if t.out, err = x.store.add(m.Out); err != nil {
		s.note(failed(op, err))
		t.end()
		return
	}
	if f != nil {
		f.Op = op
		x.enqueue(s, func() { s.fail(t, f) })
		return
	}
	x.enqueue(s, func() { x.do(s, t) })
}

// end releases the resources of the task.
func (t *task) end() {
	releaseAll(t.in)
	releaseAll(t.out)
	for _, f := range t.after {
		f()
	}
}

// do runs a task when its inputs are available.
func (x *session) do(s *stream, t *task) {
	in, f := x.inputs(t.in)
	if f == nil {
		made, err := t.run(in)
		if err != nil {
			f = failed(t.op, err)
		} else {
			for i, y := range t.out {
				y.fill(made[i])
			}
		}
	}
	if f != nil {
		s.fail(t, f)
		return
	}
	t.end()
}

// inputs waits for tensors.
func (x *session) inputs(slots []*slot) ([]*tensor.Tensor, *protocol.Failure) {
	list := make([]*tensor.Tensor, len(slots))
	for i, y := range slots {
		if y == nil {
			continue
		}
		t, f := y.wait(x.ctx)
		if f != nil {
			return nil, f
		}
		list[i] = t
	}
	return list, nil
}

// fail sets the failure of a task's outputs, and reports it in the next Sync.
func (s *stream) fail(t *task, f *protocol.Failure) {
	s.note(f)
	for _, y := range t.out {
		y.fail(f)
	}
	t.end()
}
