// Package sender contains the component that returns the parameters a client sends: its own, or the opposite.
package sender

import "github.com/bbgen/bbgen/runtime/tensor"

// Sender is honest if Flip is 0.
type Sender struct {
	Flip float32 // the factor of a hostile client's opposite change
}

// Sent returns the parameters to send, given those before and after training.
func (s *Sender) Sent(began, now tensor.Dense[float32]) (tensor.Dense[float32], error) {
	out := now.Clone()
	for i := range out.Data {
		if s.Flip != 0 {
			out.Data[i] = began.Data[i] - s.Flip*(now.Data[i]-began.Data[i])
		}
	}
	return out, nil
}
