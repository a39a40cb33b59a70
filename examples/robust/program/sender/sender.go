// Package sender is what a client sends: what it has learned, or the opposite.
package sender

import "github.com/bbgen/bbgen/runtime/tensor"

// Sender is honest as long as Flip is 0.
type Sender struct {
	Flip float32 // a hostile client goes so many times as far, the other way
}

// Sent returns the parameters that a client sends which began with some and has others now.
func (s *Sender) Sent(began, now tensor.Dense[float32]) (tensor.Dense[float32], error) {
	out := now.Clone()
	for i := range out.Data {
		if s.Flip != 0 {
			out.Data[i] = began.Data[i] - s.Flip*(now.Data[i]-began.Data[i])
		}
	}
	return out, nil
}
