package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ParameterID identifies a parameter on all ranks.
type ParameterID uint64

// A Parameter is a value with repeated collective calls.
type Parameter struct {
	ID   ParameterID
	Spec Spec
}

// A Session is one rank's part in the collectives of some parameters. It is safe for concurrent use. Calls are
// matched by the parameter and by their number among its calls: ranks may start those of different parameters
// in any order, and wait for them in any order.
//
// It does no I/O. The caller sends the messages of [Session.Next] to each rank, and passes received messages to
// [Session.Receive].
type Session struct {
	ids []ParameterID // by stream

	mu      sync.Mutex
	group   *Group
	started map[key]*CollectiveTensor // calls without a result
	changed chan struct{}             // closed when something has happened, and replaced
	closed  bool
}

// key is a call of a parameter.
type key struct {
	stream int
	call   uint64
}

// ErrClosed is the error of calls of a closed session.
var ErrClosed = errors.New("the session is closed")

// NewSession returns a session of these parameters, the same on all ranks. They replace the configuration's
// streams.
func NewSession(c Config, parameters ...Parameter) (*Session, error) {
	sorted := slices.SortedFunc(slices.Values(parameters), func(a, b Parameter) int { return cmp.Compare(a.ID, b.ID) })
	s := &Session{started: map[key]*CollectiveTensor{}, changed: make(chan struct{})}
	c.Streams = nil
	for i, p := range sorted {
		switch {
		case i > 0 && p.ID == sorted[i-1].ID:
			return nil, fmt.Errorf("collective: two parameters %d", p.ID)
		case p.Spec.Kind == Enter:
			return nil, fmt.Errorf("collective: parameter %d: %v is for programs", p.ID, p.Spec.Kind)
		}
		s.ids, c.Streams = append(s.ids, p.ID), append(c.Streams, p.Spec)
	}
	var err error
	s.group, err = New(c)
	return s, err
}

// A CollectiveTensor is a result that may be pending.
type CollectiveTensor struct {
	done   chan struct{} // closed when the result is available
	result Result
}

// Start begins a call of a parameter with this rank's value, without waiting for the result.
func (s *Session) Start(id ParameterID, v Value) (*CollectiveTensor, error) {
	stream, ok := slices.BinarySearch(s.ids, id)
	if !ok {
		return nil, fmt.Errorf("collective: there is no parameter %d", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	t := &CollectiveTensor{done: make(chan struct{})}
	k := key{stream, s.group.Calls(stream)}
	if err := s.group.Begin(stream, v); err != nil {
		return nil, fmt.Errorf("collective: parameter %d: %w", id, err)
	}
	s.started[k] = t
	s.deliverResults()
	return t, nil
}

// Resolve waits for the result. If its memory has a reference count, the caller must release it once.
func (t *CollectiveTensor) Resolve(ctx context.Context) (Result, error) {
	select {
	case <-t.done:
		return t.result, t.result.Err
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// ErrUnresolved is returned for a pending result.
var ErrUnresolved = errors.New("the result is still on its way")

// AssumeResolved is Resolve for a result that is known to be available, as after [Session.Sync]: it does not
// wait.
func (t *CollectiveTensor) AssumeResolved() (Result, error) {
	select {
	case <-t.done:
		return t.result, t.result.Err
	default:
		return Result{}, ErrUnresolved
	}
}

// Sync waits until all calls that this rank has started so far have a result, or an error.
func (s *Session) Sync(ctx context.Context) error {
	s.mu.Lock()
	var all []*CollectiveTensor
	for _, t := range s.started {
		all = append(all, t)
	}
	s.mu.Unlock()
	for _, t := range all {
		if _, err := t.Resolve(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// Next waits for the next message to a rank. Its data belong to the caller. Messages that are not taken yet use
// no additional memory: a slow link delays only its own sender.
func (s *Session) Next(ctx context.Context, to int) (Message, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return Message{}, ErrClosed
		}
		m, ok := s.group.Pull(to)
		m.Data, m.Memory = slices.Clone(m.Data), nil
		changed := s.changed
		if ok {
			s.deliverResults() // the chunk has been sent, so steps that waited for that may continue
		}
		s.mu.Unlock()
		if ok {
			return m, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Message{}, context.Cause(ctx)
		}
	}
}

// Receive handles a message of another rank. Its data are borrowed until it returns. An error describes the
// wrong message, and names the rank that sent it.
func (s *Session) Receive(from int, m *Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	err := s.group.Receive(from, m)
	s.deliverResults()
	return errors.Join(append(s.group.Refused(), err)...)
}

// Down reports that a rank is lost.
func (s *Session) Down(rank int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.group.Down(rank)
		s.deliverResults()
	}
}

// Close ends the session: pending calls fail.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.deliverResults()
	s.closed = true
	for k, t := range s.started {
		s.resolve(k, t, Result{Stream: k.stream, Call: k.call, Err: ErrClosed})
	}
	close(s.changed)
}

// deliverResults delivers the available results, and wakes waiting senders.
func (s *Session) deliverResults() {
	for r, ok := s.group.Done(); ok; r, ok = s.group.Done() {
		if k := (key{r.Stream, r.Call}); s.started[k] != nil {
			s.resolve(k, s.started[k], r)
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Session) resolve(k key, t *CollectiveTensor, r Result) {
	delete(s.started, k)
	t.result = r
	close(t.done)
}
