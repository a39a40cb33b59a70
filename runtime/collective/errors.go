package collective

import (
	"errors"
	"fmt"
)

// Errors of calls and messages.
var (
	ErrLost      = errors.New("the rank is lost")
	ErrMinority  = errors.New("not more than half of the ranks are left")
	ErrLeftOut   = errors.New("the others have gone on without this rank")
	ErrRootLost  = errors.New("the root is lost")
	ErrMismatch  = errors.New("the ranks call with values of different sizes")
	ErrNotFinite = errors.New("a value is not finite")
	ErrAborted   = errors.New("the rank does not take part in the call")
	ErrForgotten = errors.New("the call is over: this rank has begun again without its past")
	ErrOrder     = errors.New("the call is not one that may come next")
	ErrEpoch     = errors.New("the ranks have different members")
	ErrMessage   = errors.New("not a message of the plan")
	ErrOverflow  = errors.New("too much")
)

// RankError is an error about a rank.
type RankError struct {
	Rank int
	Err  error
}

// Error returns the rank and its error.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

// Unwrap returns the error without the rank.
func (e *RankError) Unwrap() error { return e.Err }

// reasons are the errors that a rank reports to others, by the number in the message.
var reasons = []error{ErrAborted, ErrMismatch, ErrNotFinite, ErrForgotten, ErrRootLost}

func reasonOf(err error) int {
	for i, r := range reasons {
		if errors.Is(err, r) {
			return i
		}
	}
	return 0
}

// failed returns the message that a call has failed here. It passes on which rank is to blame, as only those that have
// received from it can know.
func (g *Group) failed(stream int, call uint64, err error) Message {
	m := Message{Stream: stream, Type: Failed, Call: call, Epoch: g.epoch, Step: reasonOf(err)}
	if r, ok := errors.AsType[*RankError](err); ok {
		m.Chunk = r.Rank + 1
	}
	return m
}

// blamed returns the error of a call that has failed at another rank. That rank may lie, so the error says who has told it.
func (g *Group) blamed(from int, m *Message, reason error) error {
	if at := m.Chunk - 1; at >= 0 && at < g.config.Ranks && at != from {
		return &RankError{at, fmt.Errorf("%w, says rank %d", reason, from)}
	}
	return &RankError{from, reason}
}
