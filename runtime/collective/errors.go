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

func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

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
