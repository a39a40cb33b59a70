// Package exchange lets a Go program compute together with those on other peers: it is
// the component of a peer that takes values from the program that it runs in, and gives
// back what the peers have made of them.
package exchange

import (
	"context"
	"errors"
	"sync"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Exchange is both ends: the component in a slot, and what the program around it calls.
// Copies are the same exchange.
type Exchange struct{ *ends }

// ends is what the two ends share.
type ends struct {
	values chan []float32 // on their way to the peers
	given  []float32      // the one that the peers have, between Take and Give
	back   chan struct{}  // its place holds the result
	ended  chan struct{}
	once   sync.Once
	why    error // set before ended is closed
}

// New returns an exchange.
func New() Exchange {
	return Exchange{&ends{values: make(chan []float32), back: make(chan struct{}, 1), ended: make(chan struct{})}}
}

var errEnded = errors.New("the exchange has ended")

// Sum gives a value to the peers, and returns when the result stands in its place. One
// value is on its way at a time.
func (e *ends) Sum(x []float32) error {
	select {
	case e.values <- x:
	case <-e.ended:
		return e.reason()
	}
	select {
	case <-e.back:
		return nil
	case <-e.ended:
		return e.reason()
	}
}

func (e *ends) reason() error {
	if e.why == nil {
		return errEnded
	}
	return e.why
}

// End lets nobody wait any more. The first reason counts; it is nil if the program has no
// more values, as those on the other peers have not.
func (e *ends) End(why error) {
	e.once.Do(func() {
		e.why = why
		close(e.ended)
	})
}

var errNobody = errors.New("the exchange has no program behind it: make it with New")

// Take waits for the program's next value, of a round. If there are no more, last is true
// and the value of no meaning: what the peers make of it says that all have ended.
func (e *Exchange) Take(ctx context.Context, _ int64) (x tensor.Dense[float32], last bool, err error) {
	if e.ends == nil {
		return x, false, errNobody
	}
	select {
	case e.given = <-e.values:
		return tensor.DenseOf(e.given, len(e.given)), false, nil
	case <-e.ended:
		return tensor.DenseOf(make([]float32, 1), 1), true, e.why
	case <-ctx.Done():
		return x, false, ctx.Err()
	}
}

// Give is told what the peers have made of the value.
func (e *Exchange) Give(result tensor.Dense[float32]) error {
	if e.given != nil {
		copy(e.given, result.Data)
		e.given = nil
		e.back <- struct{}{}
	}
	return nil
}

// AppendBinary has nothing to keep: the program does not outlive its process.
func (e *Exchange) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary has nothing to set.
func (e *Exchange) UnmarshalBinary([]byte) error { return nil }
