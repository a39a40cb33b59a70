package serve

import (
	"context"
	"errors"
	"net/http"
	gort "runtime"
	"sync"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sessions lends a limited number of sessions. They are made when they are first needed, and reused, the latest
// first, as its memory is still cached.
type sessions struct {
	p     model.Program
	turns chan struct{} // holds an element for each lent session

	mu   sync.Mutex
	free []model.Session // sessions that are not lent; guarded by mu
}

// newSessions makes the first session, so that a model that cannot be loaded fails before the first request.
func newSessions(p model.Program, concurrency int) (*sessions, error) {
	s, err := p.New()
	if err != nil {
		return nil, err
	}
	return &sessions{p: p, turns: make(chan struct{}, concurrency), free: []model.Session{s}}, nil
}

// errNoTurn is the error of a request whose time has ended before its turn, or whose client has gone.
var errNoTurn = errors.New("the request got no turn")

// wait waits for a turn. Waiting callers are served in the order of their arrival.
func (p *sessions) wait(ctx context.Context) error {
	select {
	case p.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take lends a session to a caller with a turn.
func (p *sessions) take() (model.Session, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	return p.p.New()
}

// put returns a session and ends the turn; nil stands for a session that must not be reused.
func (p *sessions) put(s model.Session) {
	if s != nil {
		p.mu.Lock()
		p.free = append(p.free, s)
		p.mu.Unlock()
	}
	<-p.turns
}

// reader encodes outputs, which are borrowed.
type reader func(outputs []tensor.Value) ([]byte, error)

// compute runs the model in a turn of its own.
func (p *sessions) compute(ctx context.Context, inputs []tensor.Value, read reader) ([]byte, error) {
	if err := p.wait(ctx); err != nil {
		return nil, errNoTurn
	}
	return p.run(inputs, read)
}

// run runs the model and ends the caller's turn. A session whose run panics is dropped.
func (p *sessions) run(inputs []tensor.Value, read reader) (body []byte, err error) {
	var s model.Session
	defer func() {
		if r := recover(); r != nil {
			body, err = nil, panicked(r)
			s = nil
		}
		p.put(s)
	}()
	if s, err = p.take(); err != nil {
		return nil, err
	}
	for i, t := range inputs {
		if err := s.SetInput(i, t); err != nil {
			return nil, failf(http.StatusBadRequest, "input %q: %w", p.p.Inputs[i].Name, err)
		}
	}
	if err := s.Run(); err != nil {
		if is[gort.Error](err) {
			return nil, err // a run-time error of Go
		}
		return nil, failure{http.StatusBadRequest, err}
	}
	outputs := make([]tensor.Value, len(p.p.Outputs))
	for i := range outputs {
		outputs[i] = s.Output(i)
	}
	// Outputs are borrowed: they are read before the session is lent again.
	return read(outputs)
}
